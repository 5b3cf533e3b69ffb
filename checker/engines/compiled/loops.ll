%struct.batch = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }
%struct.functions = type { ptr, ptr }
%struct.store = type { ptr, ptr, ptr, i64 }
%struct.statistics = type { ptr, ptr, ptr, ptr, i64, i64, i64 }
%struct.graph = type { ptr, ptr, ptr, i64 }

define void @hash_rows(ptr %0, i64 %1, ptr %2) {
  %4 = icmp sgt i64 %1, 0
  br i1 %4, label %5, label %8

5:
  %6 = tail call i64 @words()
  %7 = icmp sgt i64 %6, 0
  br label %9

8:
  ret void

9:
  %10 = phi i64 [ 0, %5 ], [ %31, %26 ]
  %11 = mul nsw i64 %6, %10
  %12 = getelementptr inbounds i64, ptr %0, i64 %11
  br i1 %7, label %15, label %26

13:
  %14 = mul i64 %23, -2960836687051489901
  br label %26

15:
  %16 = phi i64 [ %24, %15 ], [ 0, %9 ]
  %17 = phi i64 [ %23, %15 ], [ -6884282663029611473, %9 ]
  %18 = getelementptr inbounds i64, ptr %12, i64 %16
  %19 = load i64, ptr %18, align 8
  %20 = xor i64 %19, %17
  %21 = mul i64 %20, -7046029254386353131
  %22 = lshr i64 %21, 32
  %23 = xor i64 %22, %21
  %24 = add nuw nsw i64 %16, 1
  %25 = icmp eq i64 %24, %6
  br i1 %25, label %13, label %15

26:
  %27 = phi i64 [ -1943514830520845827, %9 ], [ %14, %13 ]
  %28 = lshr i64 %27, 32
  %29 = xor i64 %28, %27
  %30 = getelementptr inbounds i64, ptr %2, i64 %10
  store i64 %29, ptr %30, align 8
  %31 = add nuw nsw i64 %10, 1
  %32 = icmp eq i64 %31, %1
  br i1 %32, label %8, label %9
}

declare i64 @words()

define void @enter(ptr %0, i64 %1, ptr %2, i64 %3) {
  %5 = icmp sgt i64 %1, 0
  br i1 %5, label %6, label %10

6:
  %7 = tail call i64 @words()
  %8 = icmp sgt i64 %7, 0
  %9 = icmp eq i64 %7, 1
  br label %11

10:
  ret void

11:
  %12 = phi i64 [ 0, %6 ], [ %81, %78 ]
  %13 = add nuw nsw i64 %12, 64
  %14 = icmp slt i64 %13, %1
  br i1 %14, label %15, label %39

15:
  %16 = tail call i64 @words()
  %17 = mul nsw i64 %16, %13
  %18 = getelementptr inbounds i64, ptr %0, i64 %17
  %19 = icmp sgt i64 %16, 0
  br i1 %19, label %22, label %33

20:
  %21 = mul i64 %30, -2960836687051489901
  br label %33

22:
  %23 = phi i64 [ %31, %22 ], [ 0, %15 ]
  %24 = phi i64 [ %30, %22 ], [ -6884282663029611473, %15 ]
  %25 = getelementptr inbounds i64, ptr %18, i64 %23
  %26 = load i64, ptr %25, align 8
  %27 = xor i64 %26, %24
  %28 = mul i64 %27, -7046029254386353131
  %29 = lshr i64 %28, 32
  %30 = xor i64 %29, %28
  %31 = add nuw nsw i64 %23, 1
  %32 = icmp eq i64 %31, %16
  br i1 %32, label %20, label %22

33:
  %34 = phi i64 [ -1943514830520845827, %15 ], [ %21, %20 ]
  %35 = lshr i64 %34, 33
  %36 = mul nsw i64 %35, %3
  %37 = ashr i64 %36, 31
  %38 = getelementptr inbounds i64, ptr %2, i64 %37
  tail call void @llvm.prefetch.p0(ptr %38, i32 0, i32 3, i32 1)
  br label %39

39:
  %40 = mul nsw i64 %7, %12
  %41 = getelementptr inbounds i64, ptr %0, i64 %40
  br i1 %8, label %44, label %55

42:
  %43 = mul i64 %52, -2960836687051489901
  br label %55

44:
  %45 = phi i64 [ %53, %44 ], [ 0, %39 ]
  %46 = phi i64 [ %52, %44 ], [ -6884282663029611473, %39 ]
  %47 = getelementptr inbounds i64, ptr %41, i64 %45
  %48 = load i64, ptr %47, align 8
  %49 = xor i64 %48, %46
  %50 = mul i64 %49, -7046029254386353131
  %51 = lshr i64 %50, 32
  %52 = xor i64 %51, %50
  %53 = add nuw nsw i64 %45, 1
  %54 = icmp eq i64 %53, %7
  br i1 %54, label %42, label %44

55:
  %56 = phi i64 [ -1943514830520845827, %39 ], [ %43, %42 ]
  %57 = lshr i64 %56, 32
  %58 = xor i64 %57, %56
  %59 = lshr i64 %56, 1
  %60 = and i64 %59, 9223372032559808512
  %61 = or i64 %60, %12
  %62 = xor i64 %61, -1
  %63 = select i1 %9, i64 %58, i64 %62
  %64 = lshr i64 %56, 33
  %65 = mul nsw i64 %64, %3
  %66 = ashr i64 %65, 31
  %67 = getelementptr inbounds i64, ptr %2, i64 %66
  %68 = load i64, ptr %67, align 8
  %69 = icmp eq i64 %68, 0
  br i1 %69, label %78, label %70

70:
  %71 = phi i64 [ %74, %70 ], [ %66, %55 ]
  %72 = add nsw i64 %71, 1
  %73 = icmp slt i64 %72, %3
  %74 = select i1 %73, i64 %72, i64 0
  %75 = getelementptr inbounds i64, ptr %2, i64 %74
  %76 = load i64, ptr %75, align 8
  %77 = icmp eq i64 %76, 0
  br i1 %77, label %78, label %70

78:
  %79 = phi i64 [ %66, %55 ], [ %74, %70 ]
  %80 = getelementptr inbounds i64, ptr %2, i64 %79
  store i64 %63, ptr %80, align 8
  %81 = add nuw nsw i64 %12, 1
  %82 = icmp eq i64 %81, %1
  br i1 %82, label %10, label %11
}

define void @move(ptr %0, i64 %1, i64 %2, ptr %3, i64 %4) {
  %6 = icmp slt i64 %1, %2
  br i1 %6, label %8, label %7

7:
  ret void

8:
  %9 = phi i64 [ %37, %36 ], [ %1, %5 ]
  %10 = getelementptr inbounds i64, ptr %0, i64 %9
  %11 = load i64, ptr %10, align 8
  %12 = icmp eq i64 %11, 0
  br i1 %12, label %36, label %13

13:
  %14 = tail call i64 @words()
  %15 = icmp eq i64 %14, 1
  %16 = lshr i64 %11, 33
  %17 = ashr i64 %11, 32
  %18 = xor i64 %17, -1
  %19 = select i1 %15, i64 %16, i64 %18
  %20 = mul nsw i64 %19, %4
  %21 = ashr i64 %20, 31
  %22 = getelementptr inbounds i64, ptr %3, i64 %21
  %23 = load i64, ptr %22, align 8
  %24 = icmp eq i64 %23, 0
  br i1 %24, label %33, label %25

25:
  %26 = phi i64 [ %29, %25 ], [ %21, %13 ]
  %27 = add nsw i64 %26, 1
  %28 = icmp slt i64 %27, %4
  %29 = select i1 %28, i64 %27, i64 0
  %30 = getelementptr inbounds i64, ptr %3, i64 %29
  %31 = load i64, ptr %30, align 8
  %32 = icmp eq i64 %31, 0
  br i1 %32, label %33, label %25

33:
  %34 = phi i64 [ %21, %13 ], [ %29, %25 ]
  %35 = getelementptr inbounds i64, ptr %3, i64 %34
  store i64 %11, ptr %35, align 8
  br label %36

36:
  %37 = add nsw i64 %9, 1
  %38 = icmp eq i64 %37, %2
  br i1 %38, label %7, label %8
}

define void @expand_states(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, ptr %5) {
  %7 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 9
  %8 = load i64, ptr %7, align 8
  %9 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 13
  %10 = load i64, ptr %9, align 8
  %11 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 4
  %12 = load ptr, ptr %11, align 8
  %13 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 5
  %14 = load ptr, ptr %13, align 8
  %15 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 2
  %16 = load ptr, ptr %15, align 8
  %17 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 1
  %18 = load ptr, ptr %17, align 8
  %19 = icmp slt i64 %2, %3
  %20 = icmp sgt i64 %4, -1
  %21 = and i1 %19, %20
  br i1 %21, label %22, label %137

22:
  %23 = load ptr, ptr %5, align 8
  %24 = tail call i64 @words()
  %25 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 3
  %26 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 6
  %27 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 14
  %28 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 8
  %29 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 7
  %30 = icmp sgt i64 %10, 0
  %31 = icmp sgt i64 %24, 0
  br label %32

32:
  %33 = phi ptr [ %23, %22 ], [ %132, %129 ]
  %34 = phi i64 [ 0, %22 ], [ %131, %129 ]
  %35 = phi i64 [ %2, %22 ], [ %133, %129 ]
  %36 = phi i64 [ -1, %22 ], [ %130, %129 ]
  %37 = load ptr, ptr %0, align 8
  %38 = mul nsw i64 %24, %35
  %39 = getelementptr inbounds i64, ptr %1, i64 %38
  %40 = load ptr, ptr %25, align 8
  %41 = load ptr, ptr %26, align 8
  %42 = tail call i64 %37(ptr %39, ptr %33, ptr %40, ptr %41)
  %43 = add nsw i64 %42, %34
  %44 = load i64, ptr %27, align 8
  %45 = icmp sgt i64 %44, 0
  br i1 %45, label %46, label %77

46:
  %47 = phi i64 [ %74, %73 ], [ 0, %32 ]
  %48 = load ptr, ptr %26, align 8
  %49 = getelementptr inbounds i64, ptr %48, i64 %47
  %50 = load i64, ptr %49, align 8
  %51 = load ptr, ptr %28, align 8
  %52 = getelementptr inbounds i64, ptr %51, i64 %47
  %53 = load i64, ptr %52, align 8
  %54 = and i64 %53, %50
  %55 = icmp eq i64 %54, 0
  br i1 %55, label %73, label %56

56:
  %57 = mul nsw i64 %47, 63
  br label %58

58:
  %59 = phi i64 [ 0, %56 ], [ %71, %70 ]
  %60 = shl i64 1, %59
  %61 = and i64 %60, %54
  %62 = icmp eq i64 %61, 0
  br i1 %62, label %70, label %63

63:
  %64 = load ptr, ptr %29, align 8
  %65 = add nuw nsw i64 %59, %57
  %66 = getelementptr inbounds i64, ptr %64, i64 %65
  %67 = load i64, ptr %66, align 8
  %68 = icmp slt i64 %67, 0
  br i1 %68, label %69, label %70

69:
  store i64 %35, ptr %66, align 8
  br label %70

70:
  %71 = add nuw nsw i64 %59, 1
  %72 = icmp eq i64 %71, 63
  br i1 %72, label %73, label %58

73:
  %74 = add nuw nsw i64 %47, 1
  %75 = load i64, ptr %27, align 8
  %76 = icmp slt i64 %74, %75
  br i1 %76, label %46, label %77

77:
  %78 = icmp sgt i64 %42, 0
  br i1 %78, label %79, label %129

79:
  %80 = trunc i64 %35 to i32
  br label %81

81:
  %82 = phi ptr [ %33, %79 ], [ %116, %109 ]
  %83 = phi i64 [ %34, %79 ], [ %115, %109 ]
  %84 = phi i64 [ %36, %79 ], [ %90, %109 ]
  %85 = getelementptr inbounds i64, ptr %82, i64 %24
  %86 = load i64, ptr %85, align 8
  %87 = icmp slt i64 %86, 0
  %88 = icmp slt i64 %84, 0
  %89 = select i1 %87, i1 %88, i1 false
  %90 = select i1 %89, i64 %83, i64 %84
  %91 = and i64 %86, 1048575
  %92 = getelementptr inbounds i64, ptr %12, i64 %91
  %93 = load i64, ptr %92, align 8
  %94 = add nsw i64 %93, 1
  store i64 %94, ptr %92, align 8
  br i1 %30, label %118, label %95

95:
  br i1 %31, label %98, label %109

96:
  %97 = mul i64 %106, -2960836687051489901
  br label %109

98:
  %99 = phi i64 [ %107, %98 ], [ 0, %95 ]
  %100 = phi i64 [ %106, %98 ], [ -6884282663029611473, %95 ]
  %101 = getelementptr inbounds i64, ptr %82, i64 %99
  %102 = load i64, ptr %101, align 8
  %103 = xor i64 %102, %100
  %104 = mul i64 %103, -7046029254386353131
  %105 = lshr i64 %104, 32
  %106 = xor i64 %105, %104
  %107 = add nuw nsw i64 %99, 1
  %108 = icmp eq i64 %107, %24
  br i1 %108, label %96, label %98

109:
  %110 = phi i64 [ -1943514830520845827, %95 ], [ %97, %96 ]
  %111 = lshr i64 %110, 32
  %112 = xor i64 %111, %110
  %113 = getelementptr inbounds i64, ptr %16, i64 %83
  store i64 %112, ptr %113, align 8
  %114 = getelementptr inbounds i32, ptr %18, i64 %83
  store i32 %80, ptr %114, align 4
  %115 = add nsw i64 %83, 1
  %116 = getelementptr inbounds i64, ptr %82, i64 %8
  %117 = icmp slt i64 %115, %43
  br i1 %117, label %81, label %129

118:
  %119 = phi i64 [ %127, %118 ], [ 0, %81 ]
  %120 = add nuw nsw i64 %119, 1
  %121 = add i64 %120, %24
  %122 = getelementptr inbounds i64, ptr %82, i64 %121
  %123 = load i64, ptr %122, align 8
  %124 = getelementptr inbounds i64, ptr %14, i64 %119
  %125 = load i64, ptr %124, align 8
  %126 = or i64 %125, %123
  store i64 %126, ptr %124, align 8
  %127 = add nuw nsw i64 %119, 1
  %128 = icmp eq i64 %127, %10
  br i1 %128, label %95, label %118

129:
  %130 = phi i64 [ %36, %77 ], [ %90, %109 ]
  %131 = phi i64 [ %34, %77 ], [ %115, %109 ]
  %132 = phi ptr [ %33, %77 ], [ %116, %109 ]
  %133 = add nsw i64 %35, 1
  %134 = icmp slt i64 %133, %3
  %135 = icmp sle i64 %131, %4
  %136 = select i1 %134, i1 %135, i1 false
  br i1 %136, label %32, label %137

137:
  %138 = phi i64 [ -1, %6 ], [ %130, %129 ]
  %139 = phi i64 [ %2, %6 ], [ %133, %129 ]
  %140 = phi i64 [ 0, %6 ], [ %131, %129 ]
  %141 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 15
  store i64 %139, ptr %141, align 8
  %142 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 16
  store i64 %140, ptr %142, align 8
  %143 = icmp slt i64 %138, 0
  %144 = select i1 %143, i64 %140, i64 %138
  %145 = getelementptr inbounds %struct.batch, ptr %5, i64 0, i32 17
  store i64 %144, ptr %145, align 8
  ret void
}

define void @examine_states(ptr %0, ptr %1, i64 %2, i64 %3, ptr %4) {
  %6 = icmp sgt i64 %2, 0
  br i1 %6, label %7, label %14

7:
  %8 = getelementptr inbounds %struct.functions, ptr %0, i64 0, i32 1
  %9 = tail call i64 @words()
  %10 = getelementptr inbounds %struct.batch, ptr %4, i64 0, i32 6
  %11 = getelementptr inbounds %struct.batch, ptr %4, i64 0, i32 14
  %12 = getelementptr inbounds %struct.batch, ptr %4, i64 0, i32 8
  %13 = getelementptr inbounds %struct.batch, ptr %4, i64 0, i32 7
  br label %15

14:
  ret void

15:
  %16 = phi i64 [ 0, %7 ], [ %57, %56 ]
  %17 = load ptr, ptr %8, align 8
  %18 = mul nsw i64 %9, %16
  %19 = getelementptr inbounds i64, ptr %1, i64 %18
  %20 = load ptr, ptr %10, align 8
  %21 = tail call i64 %17(ptr %19, ptr %20)
  %22 = add nsw i64 %16, %3
  %23 = load i64, ptr %11, align 8
  %24 = icmp sgt i64 %23, 0
  br i1 %24, label %25, label %56

25:
  %26 = phi i64 [ %53, %52 ], [ 0, %15 ]
  %27 = load ptr, ptr %10, align 8
  %28 = getelementptr inbounds i64, ptr %27, i64 %26
  %29 = load i64, ptr %28, align 8
  %30 = load ptr, ptr %12, align 8
  %31 = getelementptr inbounds i64, ptr %30, i64 %26
  %32 = load i64, ptr %31, align 8
  %33 = and i64 %32, %29
  %34 = icmp eq i64 %33, 0
  br i1 %34, label %52, label %35

35:
  %36 = mul nsw i64 %26, 63
  br label %37

37:
  %38 = phi i64 [ 0, %35 ], [ %50, %49 ]
  %39 = shl i64 1, %38
  %40 = and i64 %39, %33
  %41 = icmp eq i64 %40, 0
  br i1 %41, label %49, label %42

42:
  %43 = load ptr, ptr %13, align 8
  %44 = add nuw nsw i64 %38, %36
  %45 = getelementptr inbounds i64, ptr %43, i64 %44
  %46 = load i64, ptr %45, align 8
  %47 = icmp slt i64 %46, 0
  br i1 %47, label %48, label %49

48:
  store i64 %22, ptr %45, align 8
  br label %49

49:
  %50 = add nuw nsw i64 %38, 1
  %51 = icmp eq i64 %50, 63
  br i1 %51, label %52, label %37

52:
  %53 = add nuw nsw i64 %26, 1
  %54 = load i64, ptr %11, align 8
  %55 = icmp slt i64 %53, %54
  br i1 %55, label %25, label %56

56:
  %57 = add nuw nsw i64 %16, 1
  %58 = icmp eq i64 %57, %2
  br i1 %58, label %14, label %15
}

define i64 @insert(ptr %0, ptr %1, ptr %2, i64 %3) {
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr inbounds %struct.store, ptr %0, i64 0, i32 2
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds %struct.statistics, ptr %1, i64 0, i32 2
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds %struct.statistics, ptr %1, i64 0, i32 4
  %11 = load i64, ptr %10, align 8
  %12 = getelementptr inbounds %struct.statistics, ptr %1, i64 0, i32 5
  %13 = load i64, ptr %12, align 8
  %14 = getelementptr inbounds %struct.store, ptr %0, i64 0, i32 3
  %15 = load i64, ptr %14, align 8
  %16 = getelementptr inbounds %struct.batch, ptr %2, i64 0, i32 9
  %17 = load i64, ptr %16, align 8
  %18 = getelementptr inbounds %struct.batch, ptr %2, i64 0, i32 2
  %19 = load ptr, ptr %18, align 8
  %20 = icmp sgt i64 %3, 0
  br i1 %20, label %21, label %143

21:
  %22 = load ptr, ptr %2, align 8
  %23 = tail call i64 @words()
  %24 = icmp eq i64 %23, 1
  %25 = icmp sgt i64 %23, 0
  %26 = icmp sgt i64 %23, 0
  %27 = getelementptr inbounds %struct.batch, ptr %2, i64 0, i32 1
  %28 = getelementptr inbounds %struct.store, ptr %0, i64 0, i32 1
  br label %29

29:
  %30 = phi i64 [ %11, %21 ], [ %137, %139 ]
  %31 = phi i64 [ 0, %21 ], [ %140, %139 ]
  %32 = phi ptr [ %22, %21 ], [ %141, %139 ]
  %33 = add nuw nsw i64 %31, 64
  %34 = icmp slt i64 %33, %3
  br i1 %34, label %35, label %42

35:
  %36 = getelementptr inbounds i64, ptr %19, i64 %33
  %37 = load i64, ptr %36, align 8
  %38 = lshr i64 %37, 33
  %39 = mul nsw i64 %38, %15
  %40 = ashr i64 %39, 31
  %41 = getelementptr inbounds i64, ptr %7, i64 %40
  tail call void @llvm.prefetch.p0(ptr %41, i32 0, i32 3, i32 1)
  br label %42

42:
  %43 = getelementptr inbounds i64, ptr %19, i64 %31
  %44 = load i64, ptr %43, align 8
  %45 = lshr i64 %44, 33
  %46 = mul nsw i64 %45, %15
  %47 = ashr i64 %46, 31
  %48 = getelementptr inbounds i64, ptr %7, i64 %47
  %49 = load i64, ptr %48, align 8
  br i1 %24, label %50, label %63

50:
  %51 = icmp eq i64 %49, 0
  br i1 %51, label %102, label %52

52:
  %53 = phi i64 [ %61, %56 ], [ %49, %50 ]
  %54 = phi i64 [ %59, %56 ], [ %47, %50 ]
  %55 = icmp eq i64 %53, %44
  br i1 %55, label %102, label %56

56:
  %57 = add nsw i64 %54, 1
  %58 = icmp slt i64 %57, %15
  %59 = select i1 %58, i64 %57, i64 0
  %60 = getelementptr inbounds i64, ptr %7, i64 %59
  %61 = load i64, ptr %60, align 8
  %62 = icmp eq i64 %61, 0
  br i1 %62, label %102, label %52

63:
  %64 = xor i64 %45, -1
  %65 = icmp eq i64 %49, 0
  br i1 %65, label %102, label %66

66:
  %67 = phi i64 [ %100, %95 ], [ %49, %63 ]
  %68 = phi i64 [ %98, %95 ], [ %47, %63 ]
  %69 = ashr i64 %67, 32
  %70 = icmp eq i64 %69, %64
  br i1 %70, label %71, label %95

71:
  %72 = and i64 %67, 4294967295
  %73 = xor i64 %72, 4294967295
  %74 = mul nsw i64 %73, %23
  %75 = getelementptr inbounds i64, ptr %5, i64 %74
  br i1 %25, label %76, label %93

76:
  %77 = load i64, ptr %75, align 8
  %78 = load i64, ptr %32, align 8
  %79 = icmp eq i64 %77, %78
  br i1 %79, label %80, label %95

80:
  %81 = phi i64 [ %82, %84 ], [ 0, %76 ]
  %82 = add nuw nsw i64 %81, 1
  %83 = icmp eq i64 %82, %23
  br i1 %83, label %90, label %84

84:
  %85 = getelementptr inbounds i64, ptr %75, i64 %82
  %86 = load i64, ptr %85, align 8
  %87 = getelementptr inbounds i64, ptr %32, i64 %82
  %88 = load i64, ptr %87, align 8
  %89 = icmp eq i64 %86, %88
  br i1 %89, label %80, label %90

90:
  %91 = phi i64 [ %23, %80 ], [ %82, %84 ]
  %92 = icmp slt i64 %91, %23
  br label %93

93:
  %94 = phi i1 [ %25, %71 ], [ %92, %90 ]
  br i1 %94, label %95, label %102

95:
  %96 = add nsw i64 %68, 1
  %97 = icmp slt i64 %96, %15
  %98 = select i1 %97, i64 %96, i64 0
  %99 = getelementptr inbounds i64, ptr %7, i64 %98
  %100 = load i64, ptr %99, align 8
  %101 = icmp eq i64 %100, 0
  br i1 %101, label %102, label %66

102:
  %103 = phi i64 [ %47, %50 ], [ %47, %63 ], [ %59, %56 ], [ -1, %52 ], [ -1, %93 ], [ %98, %95 ]
  %104 = icmp slt i64 %103, 0
  br i1 %104, label %136, label %105

105:
  %106 = icmp slt i64 %30, %13
  br i1 %106, label %107, label %136

107:
  %108 = lshr i64 %44, 1
  %109 = and i64 %108, 9223372032559808512
  %110 = or i64 %109, %30
  %111 = xor i64 %110, -1
  %112 = select i1 %24, i64 %44, i64 %111
  %113 = getelementptr inbounds i64, ptr %7, i64 %103
  store i64 %112, ptr %113, align 8
  %114 = mul nsw i64 %23, %30
  %115 = getelementptr inbounds i64, ptr %5, i64 %114
  br i1 %26, label %116, label %123

116:
  %117 = phi i64 [ %121, %116 ], [ 0, %107 ]
  %118 = getelementptr inbounds i64, ptr %32, i64 %117
  %119 = load i64, ptr %118, align 8
  %120 = getelementptr inbounds i64, ptr %115, i64 %117
  store i64 %119, ptr %120, align 8
  %121 = add nuw nsw i64 %117, 1
  %122 = icmp eq i64 %121, %23
  br i1 %122, label %123, label %116

123:
  %124 = load ptr, ptr %27, align 8
  %125 = getelementptr inbounds i32, ptr %124, i64 %31
  %126 = load i32, ptr %125, align 4
  %127 = load ptr, ptr %28, align 8
  %128 = getelementptr inbounds i32, ptr %127, i64 %30
  store i32 %126, ptr %128, align 4
  %129 = getelementptr inbounds i64, ptr %32, i64 %23
  %130 = load i64, ptr %129, align 8
  %131 = and i64 %130, 1048575
  %132 = getelementptr inbounds i64, ptr %9, i64 %131
  %133 = load i64, ptr %132, align 8
  %134 = add nsw i64 %133, 1
  store i64 %134, ptr %132, align 8
  %135 = add nsw i64 %30, 1
  br label %136

136:
  %137 = phi i64 [ %135, %123 ], [ %30, %102 ], [ %30, %105 ]
  %138 = phi i1 [ false, %123 ], [ false, %102 ], [ true, %105 ]
  br i1 %138, label %143, label %139

139:
  %140 = add nuw nsw i64 %31, 1
  %141 = getelementptr inbounds i64, ptr %32, i64 %17
  %142 = icmp eq i64 %140, %3
  br i1 %142, label %143, label %29

143:
  %144 = phi i64 [ 0, %4 ], [ %3, %139 ], [ %31, %136 ]
  %145 = phi i64 [ %11, %4 ], [ %137, %136 ], [ %137, %139 ]
  store i64 %145, ptr %10, align 8
  ret i64 %144
}

define void @descend(ptr %0, i64 %1, i64 %2, i64 %3, ptr %4, ptr %5, ptr %6) {
  %8 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 15
  %9 = load i64, ptr %8, align 8
  %10 = getelementptr inbounds %struct.statistics, ptr %5, i64 0, i32 4
  %11 = load i64, ptr %10, align 8
  %12 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 10
  %13 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 16
  %14 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 17
  %15 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 5
  %16 = getelementptr inbounds %struct.statistics, ptr %5, i64 0, i32 3
  %17 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 13
  %18 = getelementptr inbounds %struct.statistics, ptr %5, i64 0, i32 6
  %19 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 3
  %20 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 11
  %21 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 4
  %22 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 12
  %23 = getelementptr inbounds %struct.statistics, ptr %5, i64 0, i32 1
  br label %24

24:
  %25 = phi i64 [ %11, %7 ], [ %107, %106 ]
  %26 = phi i64 [ 0, %7 ], [ %108, %106 ]
  %27 = phi i64 [ 0, %7 ], [ %39, %106 ]
  %28 = phi i64 [ %9, %7 ], [ %109, %106 ]
  %29 = icmp sle i64 %25, %28
  %30 = icmp sge i64 %26, %1
  %31 = select i1 %29, i1 true, i1 %30
  %32 = sub nsw i64 %25, %28
  %33 = icmp sgt i64 %32, %2
  %34 = select i1 %31, i1 true, i1 %33
  br i1 %34, label %111, label %35

35:
  %36 = load ptr, ptr %4, align 8
  %37 = load i64, ptr %12, align 8
  tail call void @expand_states(ptr %0, ptr %36, i64 %28, i64 %25, i64 %37, ptr %6)
  %38 = load i64, ptr %13, align 8
  %39 = tail call i64 @llvm.smax.i64(i64 %38, i64 %27)
  %40 = load i64, ptr %14, align 8
  %41 = icmp slt i64 %40, %38
  %42 = add nsw i64 %38, %25
  %43 = icmp sgt i64 %42, %3
  %44 = select i1 %41, i1 true, i1 %43
  br i1 %44, label %106, label %45

45:
  %46 = load ptr, ptr %15, align 8
  %47 = load ptr, ptr %16, align 8
  %48 = load i64, ptr %17, align 8
  %49 = icmp sgt i64 %48, 0
  br i1 %49, label %50, label %68

50:
  %51 = load i64, ptr %46, align 8
  %52 = load i64, ptr %47, align 8
  %53 = and i64 %52, %51
  %54 = icmp eq i64 %53, 0
  br i1 %54, label %55, label %68

55:
  %56 = phi i64 [ %57, %59 ], [ 0, %50 ]
  %57 = add nuw nsw i64 %56, 1
  %58 = icmp eq i64 %57, %48
  br i1 %58, label %66, label %59

59:
  %60 = getelementptr inbounds i64, ptr %46, i64 %57
  %61 = load i64, ptr %60, align 8
  %62 = getelementptr inbounds i64, ptr %47, i64 %57
  %63 = load i64, ptr %62, align 8
  %64 = and i64 %63, %61
  %65 = icmp eq i64 %64, 0
  br i1 %65, label %55, label %66

66:
  %67 = icmp slt i64 %57, %48
  br label %68

68:
  %69 = phi i1 [ %49, %45 ], [ %49, %50 ], [ %67, %66 ]
  br i1 %69, label %106, label %70

70:
  %71 = tail call i64 @insert(ptr nonnull %4, ptr %5, ptr %6, i64 %38)
  %72 = load i64, ptr %18, align 8
  %73 = add nsw i64 %72, %38
  store i64 %73, ptr %18, align 8
  %74 = load ptr, ptr %19, align 8
  %75 = load i64, ptr %20, align 8
  %76 = load ptr, ptr %5, align 8
  %77 = icmp sgt i64 %75, 0
  br i1 %77, label %78, label %87

78:
  %79 = phi i64 [ %85, %78 ], [ 0, %70 ]
  %80 = getelementptr inbounds i64, ptr %74, i64 %79
  %81 = load i64, ptr %80, align 8
  %82 = getelementptr inbounds i64, ptr %76, i64 %79
  %83 = load i64, ptr %82, align 8
  %84 = add nsw i64 %83, %81
  store i64 %84, ptr %82, align 8
  store i64 0, ptr %80, align 8
  %85 = add nuw nsw i64 %79, 1
  %86 = icmp eq i64 %85, %75
  br i1 %86, label %87, label %78

87:
  %88 = load ptr, ptr %21, align 8
  %89 = load i64, ptr %22, align 8
  %90 = load ptr, ptr %23, align 8
  %91 = icmp sgt i64 %89, 0
  br i1 %91, label %92, label %101

92:
  %93 = phi i64 [ %99, %92 ], [ 0, %87 ]
  %94 = getelementptr inbounds i64, ptr %88, i64 %93
  %95 = load i64, ptr %94, align 8
  %96 = getelementptr inbounds i64, ptr %90, i64 %93
  %97 = load i64, ptr %96, align 8
  %98 = add nsw i64 %97, %95
  store i64 %98, ptr %96, align 8
  store i64 0, ptr %94, align 8
  %99 = add nuw nsw i64 %93, 1
  %100 = icmp eq i64 %99, %89
  br i1 %100, label %101, label %92

101:
  store i64 0, ptr %14, align 8
  store i64 0, ptr %13, align 8
  %102 = load i64, ptr %10, align 8
  %103 = icmp sgt i64 %102, %25
  %104 = zext i1 %103 to i64
  %105 = add nsw i64 %26, %104
  br label %106

106:
  %107 = phi i64 [ %102, %101 ], [ %25, %68 ], [ %25, %35 ]
  %108 = phi i64 [ %105, %101 ], [ %26, %68 ], [ %26, %35 ]
  %109 = phi i64 [ %25, %101 ], [ %28, %68 ], [ %28, %35 ]
  %110 = phi i1 [ true, %101 ], [ false, %68 ], [ false, %35 ]
  br i1 %110, label %24, label %111

111:
  %112 = phi i64 [ %108, %106 ], [ %26, %24 ]
  %113 = phi i64 [ %39, %106 ], [ %27, %24 ]
  %114 = phi i64 [ %109, %106 ], [ %28, %24 ]
  %115 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 18
  store i64 %114, ptr %115, align 8
  %116 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 19
  store i64 %112, ptr %116, align 8
  %117 = getelementptr inbounds %struct.batch, ptr %6, i64 0, i32 20
  store i64 %113, ptr %117, align 8
  ret void
}

define void @judge(ptr %0, i64 %1, ptr %2, ptr %3) {
  %5 = icmp sgt i64 %1, 0
  br i1 %5, label %6, label %18

6:
  %7 = load ptr, ptr %0, align 8
  %8 = tail call i64 @words()
  %9 = getelementptr inbounds i64, ptr %7, i64 %8
  %10 = getelementptr inbounds %struct.batch, ptr %0, i64 0, i32 13
  %11 = getelementptr inbounds %struct.batch, ptr %0, i64 0, i32 1
  %12 = getelementptr inbounds %struct.batch, ptr %0, i64 0, i32 9
  br label %13

13:
  %14 = phi i64 [ 0, %6 ], [ %23, %22 ]
  %15 = phi ptr [ %9, %6 ], [ %25, %22 ]
  %16 = load i64, ptr %10, align 8
  %17 = icmp sgt i64 %16, 0
  br i1 %17, label %27, label %22

18:
  ret void

19:
  %20 = load i64, ptr %10, align 8
  %21 = icmp slt i64 %29, %20
  br i1 %21, label %27, label %22

22:
  %23 = add nuw nsw i64 %14, 1
  %24 = load i64, ptr %12, align 8
  %25 = getelementptr inbounds i64, ptr %15, i64 %24
  %26 = icmp eq i64 %23, %1
  br i1 %26, label %18, label %13

27:
  %28 = phi i64 [ %29, %19 ], [ 0, %13 ]
  %29 = add nuw nsw i64 %28, 1
  %30 = getelementptr inbounds i64, ptr %15, i64 %29
  %31 = load i64, ptr %30, align 8
  %32 = getelementptr inbounds i64, ptr %2, i64 %28
  %33 = load i64, ptr %32, align 8
  %34 = and i64 %33, %31
  %35 = xor i64 %34, %33
  store i64 %35, ptr %32, align 8
  %36 = icmp eq i64 %34, 0
  br i1 %36, label %19, label %37

37:
  %38 = mul nsw i64 %28, 126
  %39 = getelementptr inbounds i64, ptr %3, i64 %38
  br label %40

40:
  %41 = phi ptr [ %54, %52 ], [ %39, %37 ]
  %42 = phi i64 [ %53, %52 ], [ %34, %37 ]
  %43 = and i64 %42, 1
  %44 = icmp eq i64 %43, 0
  br i1 %44, label %52, label %45

45:
  %46 = load ptr, ptr %11, align 8
  %47 = getelementptr inbounds i32, ptr %46, i64 %14
  %48 = load i32, ptr %47, align 4
  %49 = zext i32 %48 to i64
  store i64 %49, ptr %41, align 8
  %50 = load i64, ptr %15, align 8
  %51 = getelementptr inbounds i64, ptr %41, i64 1
  store i64 %50, ptr %51, align 8
  br label %52

52:
  %53 = ashr i64 %42, 1
  %54 = getelementptr inbounds i64, ptr %41, i64 2
  %55 = icmp ult i64 %42, 2
  br i1 %55, label %19, label %40
}

define void @number_states(ptr %0, i64 %1, ptr %2, i64 %3) {
  %5 = icmp sgt i64 %1, 0
  br i1 %5, label %6, label %9

6:
  %7 = tail call i64 @words()
  %8 = icmp sgt i64 %7, 0
  br label %10

9:
  ret void

10:
  %11 = phi i64 [ 0, %6 ], [ %41, %38 ]
  %12 = mul nsw i64 %7, %11
  %13 = getelementptr inbounds i64, ptr %0, i64 %12
  br i1 %8, label %16, label %27

14:
  %15 = mul i64 %24, -2960836687051489901
  br label %27

16:
  %17 = phi i64 [ %25, %16 ], [ 0, %10 ]
  %18 = phi i64 [ %24, %16 ], [ -6884282663029611473, %10 ]
  %19 = getelementptr inbounds i64, ptr %13, i64 %17
  %20 = load i64, ptr %19, align 8
  %21 = xor i64 %20, %18
  %22 = mul i64 %21, -7046029254386353131
  %23 = lshr i64 %22, 32
  %24 = xor i64 %23, %22
  %25 = add nuw nsw i64 %17, 1
  %26 = icmp eq i64 %25, %7
  br i1 %26, label %14, label %16

27:
  %28 = phi i64 [ -1943514830520845827, %10 ], [ %15, %14 ]
  %29 = lshr i64 %28, 32
  %30 = xor i64 %29, %28
  br label %31

31:
  %32 = phi i64 [ %30, %27 ], [ %37, %31 ]
  %33 = and i64 %32, %3
  %34 = getelementptr inbounds i32, ptr %2, i64 %33
  %35 = load i32, ptr %34, align 4
  %36 = icmp eq i32 %35, -1
  %37 = add nsw i64 %33, 1
  br i1 %36, label %38, label %31

38:
  %39 = getelementptr inbounds i32, ptr %2, i64 %33
  %40 = trunc i64 %11 to i32
  store i32 %40, ptr %39, align 4
  %41 = add nuw nsw i64 %11, 1
  %42 = icmp eq i64 %41, %1
  br i1 %42, label %9, label %10
}

define void @numbers_of(ptr %0, ptr %1, i64 %2, ptr %3, ptr %4) {
  %6 = getelementptr inbounds %struct.batch, ptr %3, i64 0, i32 16
  %7 = load i64, ptr %6, align 8
  %8 = icmp sgt i64 %7, 0
  br i1 %8, label %9, label %13

9:
  %10 = load ptr, ptr %3, align 8
  %11 = getelementptr inbounds %struct.batch, ptr %3, i64 0, i32 2
  %12 = getelementptr inbounds %struct.batch, ptr %3, i64 0, i32 9
  br label %14

13:
  ret void

14:
  %15 = phi i64 [ 0, %9 ], [ %60, %57 ]
  %16 = phi ptr [ %10, %9 ], [ %62, %57 ]
  %17 = load ptr, ptr %11, align 8
  %18 = getelementptr inbounds i64, ptr %17, i64 %15
  %19 = load i64, ptr %18, align 8
  %20 = and i64 %19, %2
  %21 = getelementptr inbounds i32, ptr %1, i64 %20
  %22 = load i32, ptr %21, align 4
  %23 = icmp eq i32 %22, -1
  br i1 %23, label %57, label %24

24:
  %25 = tail call i64 @words()
  %26 = icmp sgt i64 %25, 0
  br label %33

27:
  %28 = add nsw i64 %35, 1
  %29 = and i64 %28, %2
  %30 = getelementptr inbounds i32, ptr %1, i64 %29
  %31 = load i32, ptr %30, align 4
  %32 = icmp eq i32 %31, -1
  br i1 %32, label %57, label %33

33:
  %34 = phi i32 [ %22, %24 ], [ %31, %27 ]
  %35 = phi i64 [ %20, %24 ], [ %29, %27 ]
  %36 = sext i32 %34 to i64
  %37 = mul nsw i64 %25, %36
  %38 = getelementptr inbounds i64, ptr %0, i64 %37
  br i1 %26, label %39, label %55

39:
  %40 = load i64, ptr %38, align 8
  %41 = load i64, ptr %16, align 8
  %42 = icmp eq i64 %40, %41
  br i1 %42, label %43, label %55

43:
  %44 = phi i64 [ %45, %47 ], [ 0, %39 ]
  %45 = add nuw nsw i64 %44, 1
  %46 = icmp eq i64 %45, %25
  br i1 %46, label %53, label %47

47:
  %48 = getelementptr inbounds i64, ptr %38, i64 %45
  %49 = load i64, ptr %48, align 8
  %50 = getelementptr inbounds i64, ptr %16, i64 %45
  %51 = load i64, ptr %50, align 8
  %52 = icmp eq i64 %49, %51
  br i1 %52, label %43, label %53

53:
  %54 = icmp slt i64 %45, %25
  br label %55

55:
  %56 = phi i1 [ %26, %33 ], [ %26, %39 ], [ %54, %53 ]
  br i1 %56, label %27, label %57

57:
  %58 = phi i32 [ %22, %14 ], [ %34, %55 ], [ %31, %27 ]
  %59 = getelementptr inbounds i32, ptr %4, i64 %15
  store i32 %58, ptr %59, align 4
  %60 = add nuw nsw i64 %15, 1
  %61 = load i64, ptr %12, align 8
  %62 = getelementptr inbounds i64, ptr %16, i64 %61
  %63 = load i64, ptr %6, align 8
  %64 = icmp slt i64 %60, %63
  br i1 %64, label %14, label %13
}

define i64 @number_alike(ptr %0, i64 %1, ptr %2, i64 %3, ptr %4, ptr %5) {
  %7 = icmp sgt i64 %1, 0
  br i1 %7, label %10, label %8

8:
  %9 = phi i64 [ 0, %6 ], [ %63, %61 ]
  ret i64 %9

10:
  %11 = phi i64 [ %67, %61 ], [ 0, %6 ]
  %12 = phi i64 [ %63, %61 ], [ 0, %6 ]
  %13 = getelementptr inbounds i64, ptr %0, i64 %11
  %14 = load i64, ptr %13, align 8
  %15 = mul i64 %14, -7046029254386353131
  %16 = add i64 %15, -7046029254386353131
  %17 = lshr i64 %16, 32
  %18 = xor i64 %17, %16
  %19 = mul i64 %18, -2960836687051489901
  %20 = lshr i64 %19, 32
  %21 = xor i64 %20, %19
  %22 = and i64 %21, %3
  %23 = getelementptr inbounds i32, ptr %2, i64 %22
  %24 = load i32, ptr %23, align 4
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %53, label %26

26:
  %27 = add i32 %24, -1
  %28 = zext i32 %27 to i64
  %29 = getelementptr inbounds i64, ptr %5, i64 %28
  %30 = load i64, ptr %29, align 8
  %31 = getelementptr inbounds i64, ptr %0, i64 %30
  %32 = load i64, ptr %31, align 8
  %33 = icmp eq i64 %32, %14
  br i1 %33, label %49, label %42

34:
  %35 = add i32 %47, -1
  %36 = zext i32 %35 to i64
  %37 = getelementptr inbounds i64, ptr %5, i64 %36
  %38 = load i64, ptr %37, align 8
  %39 = getelementptr inbounds i64, ptr %0, i64 %38
  %40 = load i64, ptr %39, align 8
  %41 = icmp eq i64 %40, %14
  br i1 %41, label %49, label %42

42:
  %43 = phi i64 [ %45, %34 ], [ %22, %26 ]
  %44 = add nsw i64 %43, 1
  %45 = and i64 %44, %3
  %46 = getelementptr inbounds i32, ptr %2, i64 %45
  %47 = load i32, ptr %46, align 4
  %48 = icmp eq i32 %47, 0
  br i1 %48, label %53, label %34

49:
  %50 = phi i1 [ %25, %26 ], [ %48, %34 ]
  %51 = phi i64 [ %22, %26 ], [ %45, %34 ]
  %52 = getelementptr inbounds i32, ptr %2, i64 %51
  br i1 %50, label %56, label %61

53:
  %54 = phi i64 [ %22, %10 ], [ %45, %42 ]
  %55 = getelementptr inbounds i32, ptr %2, i64 %54
  br label %56

56:
  %57 = phi ptr [ %55, %53 ], [ %52, %49 ]
  %58 = add nsw i64 %12, 1
  %59 = getelementptr inbounds i64, ptr %5, i64 %12
  store i64 %11, ptr %59, align 8
  %60 = trunc i64 %58 to i32
  store i32 %60, ptr %57, align 4
  br label %61

61:
  %62 = phi ptr [ %57, %56 ], [ %52, %49 ]
  %63 = phi i64 [ %58, %56 ], [ %12, %49 ]
  %64 = load i32, ptr %62, align 4
  %65 = add i32 %64, -1
  %66 = getelementptr inbounds i32, ptr %4, i64 %11
  store i32 %65, ptr %66, align 4
  %67 = add nuw nsw i64 %11, 1
  %68 = icmp eq i64 %67, %1
  br i1 %68, label %8, label %10
}

define void @sign(ptr %0, ptr %1, ptr %2) {
  %4 = getelementptr inbounds %struct.graph, ptr %0, i64 0, i32 3
  %5 = load i64, ptr %4, align 8
  %6 = icmp sgt i64 %5, 0
  br i1 %6, label %7, label %10

7:
  %8 = getelementptr inbounds %struct.graph, ptr %0, i64 0, i32 1
  %9 = getelementptr inbounds %struct.graph, ptr %0, i64 0, i32 2
  br label %11

10:
  ret void

11:
  %12 = phi i64 [ 0, %7 ], [ %27, %34 ]
  %13 = getelementptr inbounds i32, ptr %1, i64 %12
  %14 = load i32, ptr %13, align 4
  %15 = sext i32 %14 to i64
  %16 = add nsw i64 %15, 1
  %17 = xor i64 %16, 9223372032559808512
  %18 = mul i64 %17, -7046029254386353131
  %19 = lshr i64 %18, 32
  %20 = xor i64 %19, %18
  %21 = mul i64 %20, -2960836687051489901
  %22 = lshr i64 %21, 32
  %23 = xor i64 %22, %21
  %24 = load ptr, ptr %0, align 8
  %25 = getelementptr inbounds i64, ptr %24, i64 %12
  %26 = load i64, ptr %25, align 8
  %27 = add nuw nsw i64 %12, 1
  %28 = getelementptr inbounds i64, ptr %24, i64 %27
  %29 = load i64, ptr %28, align 8
  %30 = icmp slt i64 %26, %29
  br i1 %30, label %31, label %34

31:
  %32 = load ptr, ptr %8, align 8
  %33 = load ptr, ptr %9, align 8
  br label %39

34:
  %35 = phi i64 [ %23, %11 ], [ %83, %82 ]
  %36 = getelementptr inbounds i64, ptr %2, i64 %12
  store i64 %35, ptr %36, align 8
  %37 = load i64, ptr %4, align 8
  %38 = icmp slt i64 %27, %37
  br i1 %38, label %11, label %10

39:
  %40 = phi i64 [ %26, %31 ], [ %84, %82 ]
  %41 = phi i64 [ %23, %31 ], [ %83, %82 ]
  %42 = getelementptr inbounds i32, ptr %32, i64 %40
  %43 = load i32, ptr %42, align 4
  %44 = sext i32 %43 to i64
  %45 = getelementptr inbounds i32, ptr %33, i64 %40
  %46 = load i32, ptr %45, align 4
  %47 = sext i32 %46 to i64
  %48 = getelementptr inbounds i32, ptr %1, i64 %47
  %49 = load i32, ptr %48, align 4
  %50 = sext i32 %49 to i64
  %51 = icmp slt i64 %26, %40
  br i1 %51, label %52, label %69

52:
  %53 = phi i1 [ %67, %65 ], [ true, %39 ]
  %54 = phi i64 [ %66, %65 ], [ %26, %39 ]
  %55 = getelementptr inbounds i32, ptr %32, i64 %54
  %56 = load i32, ptr %55, align 4
  %57 = icmp eq i32 %56, %43
  br i1 %57, label %58, label %65

58:
  %59 = getelementptr inbounds i32, ptr %33, i64 %54
  %60 = load i32, ptr %59, align 4
  %61 = sext i32 %60 to i64
  %62 = getelementptr inbounds i32, ptr %1, i64 %61
  %63 = load i32, ptr %62, align 4
  %64 = icmp eq i32 %63, %49
  br i1 %64, label %69, label %65

65:
  %66 = add i64 %54, 1
  %67 = icmp slt i64 %66, %40
  %68 = icmp eq i64 %66, %40
  br i1 %68, label %69, label %52

69:
  %70 = phi i1 [ %51, %39 ], [ %67, %65 ], [ %53, %58 ]
  br i1 %70, label %82, label %71

71:
  %72 = add nsw i64 %44, 1
  %73 = shl nsw i64 %50, 32
  %74 = xor i64 %73, %72
  %75 = mul i64 %74, -7046029254386353131
  %76 = lshr i64 %75, 32
  %77 = xor i64 %76, %75
  %78 = mul i64 %77, -2960836687051489901
  %79 = lshr i64 %78, 32
  %80 = xor i64 %79, %78
  %81 = add i64 %80, %41
  br label %82

82:
  %83 = phi i64 [ %41, %69 ], [ %81, %71 ]
  %84 = add nsw i64 %40, 1
  %85 = icmp eq i64 %84, %29
  br i1 %85, label %34, label %39
}

define i64 @first_unlike(ptr %0, ptr %1, ptr %2) {
  %4 = getelementptr inbounds %struct.graph, ptr %0, i64 0, i32 3
  %5 = load i64, ptr %4, align 8
  %6 = getelementptr inbounds %struct.graph, ptr %0, i64 0, i32 1
  %7 = getelementptr inbounds %struct.graph, ptr %0, i64 0, i32 2
  %8 = getelementptr inbounds %struct.graph, ptr %0, i64 0, i32 1
  %9 = getelementptr inbounds %struct.graph, ptr %0, i64 0, i32 2
  %10 = tail call i64 @llvm.smax.i64(i64 %5, i64 0)
  br label %11

11:
  %12 = phi i64 [ 0, %3 ], [ %24, %119 ]
  %13 = phi i64 [ undef, %3 ], [ %121, %119 ]
  %14 = icmp eq i64 %12, %10
  br i1 %14, label %122, label %15

15:
  %16 = getelementptr inbounds i32, ptr %1, i64 %12
  %17 = load i32, ptr %16, align 4
  %18 = sext i32 %17 to i64
  %19 = getelementptr inbounds i64, ptr %2, i64 %18
  %20 = load i64, ptr %19, align 8
  %21 = load ptr, ptr %0, align 8
  %22 = getelementptr inbounds i64, ptr %21, i64 %12
  %23 = load i64, ptr %22, align 8
  %24 = add nuw i64 %12, 1
  %25 = getelementptr inbounds i64, ptr %21, i64 %24
  %26 = load i64, ptr %25, align 8
  %27 = icmp slt i64 %23, %26
  br i1 %27, label %28, label %70

28:
  %29 = add nsw i64 %20, 1
  %30 = getelementptr inbounds i64, ptr %21, i64 %29
  %31 = load i64, ptr %30, align 8
  %32 = load ptr, ptr %6, align 8
  %33 = load ptr, ptr %7, align 8
  %34 = getelementptr inbounds i64, ptr %21, i64 %20
  %35 = load i64, ptr %34, align 8
  %36 = icmp slt i64 %35, %31
  br label %41

37:
  %38 = add i64 %43, 1
  %39 = icmp slt i64 %38, %26
  %40 = icmp eq i64 %38, %26
  br i1 %40, label %70, label %41

41:
  %42 = phi i1 [ true, %28 ], [ %39, %37 ]
  %43 = phi i64 [ %23, %28 ], [ %38, %37 ]
  %44 = getelementptr inbounds i32, ptr %32, i64 %43
  %45 = load i32, ptr %44, align 4
  %46 = getelementptr inbounds i32, ptr %33, i64 %43
  %47 = load i32, ptr %46, align 4
  %48 = sext i32 %47 to i64
  %49 = getelementptr inbounds i32, ptr %1, i64 %48
  %50 = load i32, ptr %49, align 4
  br i1 %36, label %51, label %68

51:
  %52 = phi i1 [ %66, %64 ], [ true, %41 ]
  %53 = phi i64 [ %65, %64 ], [ %35, %41 ]
  %54 = getelementptr inbounds i32, ptr %32, i64 %53
  %55 = load i32, ptr %54, align 4
  %56 = icmp eq i32 %55, %45
  br i1 %56, label %57, label %64

57:
  %58 = getelementptr inbounds i32, ptr %33, i64 %53
  %59 = load i32, ptr %58, align 4
  %60 = sext i32 %59 to i64
  %61 = getelementptr inbounds i32, ptr %1, i64 %60
  %62 = load i32, ptr %61, align 4
  %63 = icmp eq i32 %62, %50
  br i1 %63, label %68, label %64

64:
  %65 = add i64 %53, 1
  %66 = icmp slt i64 %65, %31
  %67 = icmp eq i64 %65, %31
  br i1 %67, label %68, label %51

68:
  %69 = phi i1 [ %36, %41 ], [ %66, %64 ], [ %52, %57 ]
  br i1 %69, label %37, label %70

70:
  %71 = phi i1 [ %27, %15 ], [ %39, %37 ], [ %42, %68 ]
  br i1 %71, label %119, label %72

72:
  %73 = getelementptr inbounds i64, ptr %21, i64 %20
  %74 = load i64, ptr %73, align 8
  %75 = add nsw i64 %20, 1
  %76 = getelementptr inbounds i64, ptr %21, i64 %75
  %77 = load i64, ptr %76, align 8
  %78 = icmp slt i64 %74, %77
  br i1 %78, label %79, label %115

79:
  %80 = load ptr, ptr %8, align 8
  %81 = load ptr, ptr %9, align 8
  br label %86

82:
  %83 = add i64 %88, 1
  %84 = icmp slt i64 %83, %77
  %85 = icmp eq i64 %83, %77
  br i1 %85, label %115, label %86

86:
  %87 = phi i1 [ true, %79 ], [ %84, %82 ]
  %88 = phi i64 [ %74, %79 ], [ %83, %82 ]
  %89 = getelementptr inbounds i32, ptr %80, i64 %88
  %90 = load i32, ptr %89, align 4
  %91 = getelementptr inbounds i32, ptr %81, i64 %88
  %92 = load i32, ptr %91, align 4
  %93 = sext i32 %92 to i64
  %94 = getelementptr inbounds i32, ptr %1, i64 %93
  %95 = load i32, ptr %94, align 4
  br i1 %27, label %96, label %113

96:
  %97 = phi i1 [ %111, %109 ], [ true, %86 ]
  %98 = phi i64 [ %110, %109 ], [ %23, %86 ]
  %99 = getelementptr inbounds i32, ptr %80, i64 %98
  %100 = load i32, ptr %99, align 4
  %101 = icmp eq i32 %100, %90
  br i1 %101, label %102, label %109

102:
  %103 = getelementptr inbounds i32, ptr %81, i64 %98
  %104 = load i32, ptr %103, align 4
  %105 = sext i32 %104 to i64
  %106 = getelementptr inbounds i32, ptr %1, i64 %105
  %107 = load i32, ptr %106, align 4
  %108 = icmp eq i32 %107, %95
  br i1 %108, label %113, label %109

109:
  %110 = add i64 %98, 1
  %111 = icmp slt i64 %110, %26
  %112 = icmp eq i64 %110, %26
  br i1 %112, label %113, label %96

113:
  %114 = phi i1 [ %27, %86 ], [ %111, %109 ], [ %97, %102 ]
  br i1 %114, label %82, label %115

115:
  %116 = phi i1 [ %78, %72 ], [ %84, %82 ], [ %87, %113 ]
  %117 = xor i1 %116, true
  %118 = select i1 %116, i64 %12, i64 %13
  br label %119

119:
  %120 = phi i1 [ false, %70 ], [ %117, %115 ]
  %121 = phi i64 [ %12, %70 ], [ %118, %115 ]
  br i1 %120, label %11, label %122

122:
  %123 = phi i64 [ -1, %11 ], [ %121, %119 ]
  ret i64 %123
}

define i64 @strong_components(ptr %0, ptr %1, i64 %2, ptr %3, ptr %4, ptr %5) {
  %7 = getelementptr inbounds i32, ptr %5, i64 %2
  %8 = icmp sgt i64 %2, 0
  br i1 %8, label %12, label %9

9:
  %10 = phi i64 [ 0, %6 ], [ %89, %88 ]
  %11 = icmp sgt i64 %2, 0
  br i1 %11, label %93, label %92

12:
  %13 = phi i64 [ %89, %88 ], [ 0, %6 ]
  %14 = phi i64 [ %90, %88 ], [ 0, %6 ]
  %15 = getelementptr inbounds i32, ptr %3, i64 %14
  %16 = load i32, ptr %15, align 4
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %18, label %88

18:
  %19 = trunc i64 %14 to i32
  store i32 %19, ptr %7, align 4
  br label %20

20:
  %21 = phi i64 [ %13, %18 ], [ %86, %83 ]
  %22 = phi i64 [ 1, %18 ], [ %85, %83 ]
  %23 = phi i64 [ 0, %18 ], [ %84, %83 ]
  %24 = add nsw i64 %22, -1
  %25 = getelementptr inbounds i32, ptr %7, i64 %24
  %26 = load i32, ptr %25, align 4
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds i32, ptr %3, i64 %27
  %29 = load i32, ptr %28, align 4
  %30 = icmp eq i32 %29, 0
  br i1 %30, label %31, label %38

31:
  %32 = getelementptr inbounds i32, ptr %5, i64 %23
  store i32 %26, ptr %32, align 4
  %33 = add nsw i64 %23, 1
  %34 = trunc i64 %33 to i32
  store i32 %34, ptr %28, align 4
  %35 = getelementptr inbounds i64, ptr %0, i64 %27
  %36 = load i64, ptr %35, align 8
  %37 = getelementptr inbounds i64, ptr %4, i64 %27
  store i64 %36, ptr %37, align 8
  br label %38

38:
  %39 = phi i64 [ %33, %31 ], [ %23, %20 ]
  %40 = getelementptr inbounds i64, ptr %4, i64 %27
  %41 = load i64, ptr %40, align 8
  %42 = add nsw i64 %27, 1
  %43 = getelementptr inbounds i64, ptr %0, i64 %42
  %44 = load i64, ptr %43, align 8
  %45 = icmp slt i64 %41, %44
  br i1 %45, label %46, label %62

46:
  %47 = getelementptr inbounds i32, ptr %1, i64 %41
  %48 = load i32, ptr %47, align 4
  %49 = sext i32 %48 to i64
  %50 = getelementptr inbounds i32, ptr %3, i64 %49
  %51 = load i32, ptr %50, align 4
  %52 = icmp eq i32 %51, 0
  br i1 %52, label %53, label %56

53:
  %54 = add nsw i64 %22, 1
  %55 = getelementptr inbounds i32, ptr %7, i64 %22
  store i32 %48, ptr %55, align 4
  br label %83

56:
  %57 = add nsw i64 %41, 1
  store i64 %57, ptr %40, align 8
  %58 = load i32, ptr %50, align 4
  %59 = load i32, ptr %28, align 4
  %60 = icmp ult i32 %58, %59
  br i1 %60, label %61, label %83

61:
  store i32 %58, ptr %28, align 4
  br label %83

62:
  %63 = load i32, ptr %28, align 4
  %64 = add nsw i32 %63, -1
  %65 = sext i32 %64 to i64
  %66 = getelementptr inbounds i32, ptr %5, i64 %65
  %67 = load i32, ptr %66, align 4
  %68 = icmp eq i32 %67, %26
  br i1 %68, label %69, label %83

69:
  %70 = trunc i64 %21 to i32
  %71 = sub i32 -2, %70
  br label %72

72:
  %73 = phi i64 [ %74, %72 ], [ %39, %69 ]
  %74 = add nsw i64 %73, -1
  %75 = getelementptr inbounds i32, ptr %5, i64 %74
  %76 = load i32, ptr %75, align 4
  %77 = sext i32 %76 to i64
  %78 = getelementptr inbounds i32, ptr %3, i64 %77
  store i32 %71, ptr %78, align 4
  %79 = load i32, ptr %75, align 4
  %80 = icmp eq i32 %79, %26
  br i1 %80, label %81, label %72

81:
  %82 = add nsw i64 %21, 1
  br label %83

83:
  %84 = phi i64 [ %74, %81 ], [ %39, %56 ], [ %39, %61 ], [ %39, %53 ], [ %39, %62 ]
  %85 = phi i64 [ %24, %81 ], [ %22, %56 ], [ %22, %61 ], [ %54, %53 ], [ %24, %62 ]
  %86 = phi i64 [ %82, %81 ], [ %21, %56 ], [ %21, %61 ], [ %21, %53 ], [ %21, %62 ]
  %87 = icmp sgt i64 %85, 0
  br i1 %87, label %20, label %88

88:
  %89 = phi i64 [ %13, %12 ], [ %86, %83 ]
  %90 = add nuw nsw i64 %14, 1
  %91 = icmp eq i64 %90, %2
  br i1 %91, label %9, label %12

92:
  ret i64 %10

93:
  %94 = phi i64 [ %98, %93 ], [ 0, %9 ]
  %95 = getelementptr inbounds i32, ptr %3, i64 %94
  %96 = load i32, ptr %95, align 4
  %97 = sub nsw i32 -2, %96
  store i32 %97, ptr %95, align 4
  %98 = add nuw nsw i64 %94, 1
  %99 = icmp eq i64 %98, %2
  br i1 %99, label %92, label %93
}

define void @turn_round(ptr %0, ptr %1, i64 %2, ptr %3, ptr %4) {
  %6 = icmp sgt i64 %2, 0
  br i1 %6, label %10, label %9

7:
  %8 = icmp eq i64 %14, %2
  br i1 %8, label %9, label %10

9:
  ret void

10:
  %11 = phi i64 [ %14, %7 ], [ 0, %5 ]
  %12 = getelementptr inbounds i64, ptr %0, i64 %11
  %13 = load i64, ptr %12, align 8
  %14 = add nuw nsw i64 %11, 1
  %15 = getelementptr inbounds i64, ptr %0, i64 %14
  %16 = load i64, ptr %15, align 8
  %17 = icmp slt i64 %13, %16
  br i1 %17, label %18, label %7

18:
  %19 = trunc i64 %11 to i32
  br label %20

20:
  %21 = phi i64 [ %13, %18 ], [ %29, %20 ]
  %22 = getelementptr inbounds i32, ptr %1, i64 %21
  %23 = load i32, ptr %22, align 4
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds i64, ptr %3, i64 %24
  %26 = load i64, ptr %25, align 8
  %27 = add nsw i64 %26, -1
  store i64 %27, ptr %25, align 8
  %28 = getelementptr inbounds i32, ptr %4, i64 %27
  store i32 %19, ptr %28, align 4
  %29 = add nsw i64 %21, 1
  %30 = load i64, ptr %15, align 8
  %31 = icmp slt i64 %29, %30
  br i1 %31, label %20, label %7
}

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

declare i64 @llvm.smax.i64(i64, i64)

