%struct.diagram = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }
%struct.edge = type { i32, i32 }
%struct.inner = type { [2 x i32], i32, i32 }

define void @saturate(ptr %0) {
  %2 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  store i64 0, ptr %2, align 8
  %3 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 14
  store i64 1, ptr %3, align 8
  %4 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 12
  %5 = load i64, ptr %4, align 8
  %6 = trunc i64 %5 to i32
  %7 = tail call fastcc i32 @closure(ptr %0, i32 %6, i32 0)
  %8 = zext i32 %7 to i64
  store i64 %8, ptr %4, align 8
  ret void
}

define internal fastcc i32 @closure(ptr %0, i32 %1, i32 %2) unnamed_addr {
  %4 = alloca [2 x %struct.edge], align 16
  %5 = icmp ult i32 %1, 2
  br i1 %5, label %105, label %6

6:
  %7 = load ptr, ptr %0, align 8
  %8 = zext i32 %1 to i64
  %9 = getelementptr inbounds %struct.inner, ptr %7, i64 %8, i32 2
  %10 = load i32, ptr %9, align 4
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %12, label %105

12:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %4)
  %13 = add i32 %2, 1
  br label %22

14:
  %15 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  %16 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 7
  %17 = zext i32 %2 to i64
  %18 = add i32 %2, 1
  %19 = zext i32 %18 to i64
  %20 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 5
  %21 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 6
  br label %36

22:
  %23 = phi i64 [ 0, %12 ], [ %31, %22 ]
  %24 = getelementptr inbounds [2 x %struct.edge], ptr %4, i64 0, i64 %23
  %25 = load ptr, ptr %0, align 8
  %26 = getelementptr inbounds %struct.inner, ptr %25, i64 %8
  %27 = getelementptr inbounds [2 x i32], ptr %26, i64 0, i64 %23
  %28 = load i32, ptr %27, align 4
  %29 = tail call fastcc i32 @closure(ptr nonnull %0, i32 %28, i32 %13)
  store i32 0, ptr %24, align 8
  %30 = getelementptr inbounds i8, ptr %24, i64 4
  store i32 %29, ptr %30, align 4
  %31 = add nuw nsw i64 %23, 1
  %32 = icmp eq i64 %31, 2
  br i1 %32, label %14, label %22

33:
  %34 = phi i64 [ 0, %39 ], [ %85, %51 ]
  %35 = icmp eq i64 %34, 0
  br i1 %35, label %88, label %36

36:
  %37 = load i64, ptr %15, align 8
  %38 = icmp eq i64 %37, 0
  br i1 %38, label %39, label %88

39:
  %40 = load ptr, ptr %16, align 8
  %41 = getelementptr inbounds i32, ptr %40, i64 %17
  %42 = load i32, ptr %41, align 4
  %43 = getelementptr inbounds i32, ptr %40, i64 %19
  %44 = load i32, ptr %43, align 4
  %45 = icmp ult i32 %42, %44
  br i1 %45, label %46, label %33

46:
  %47 = zext i32 %42 to i64
  br label %48

48:
  %49 = phi i64 [ %47, %46 ], [ %52, %51 ]
  %50 = phi i64 [ 0, %46 ], [ %85, %51 ]
  br label %58

51:
  %52 = add nuw nsw i64 %49, 1
  %53 = load ptr, ptr %16, align 8
  %54 = getelementptr inbounds i32, ptr %53, i64 %19
  %55 = load i32, ptr %54, align 4
  %56 = zext i32 %55 to i64
  %57 = icmp ult i64 %52, %56
  br i1 %57, label %48, label %33

58:
  %59 = phi i64 [ 0, %48 ], [ %86, %58 ]
  %60 = phi i64 [ %50, %48 ], [ %85, %58 ]
  %61 = load ptr, ptr %20, align 8
  %62 = load ptr, ptr %21, align 8
  %63 = getelementptr inbounds i32, ptr %62, i64 %49
  %64 = load i32, ptr %63, align 4
  %65 = zext i32 %64 to i64
  %66 = mul nuw nsw i64 %65, 5
  %67 = add nuw nsw i64 %59, 1
  %68 = add nuw nsw i64 %67, %66
  %69 = getelementptr inbounds i32, ptr %61, i64 %68
  %70 = load i32, ptr %69, align 4
  %71 = and i64 %59, 1
  %72 = getelementptr inbounds [2 x %struct.edge], ptr %4, i64 0, i64 %71
  %73 = getelementptr inbounds [2 x %struct.edge], ptr %4, i64 0, i64 %71, i32 1
  %74 = load i32, ptr %73, align 4
  %75 = lshr i64 %59, 1
  %76 = and i64 %75, 2147483647
  %77 = getelementptr inbounds [2 x %struct.edge], ptr %4, i64 0, i64 %76, i32 1
  %78 = load i32, ptr %77, align 4
  %79 = tail call fastcc i64 @product(ptr nonnull %0, i32 %78, i32 %70, i32 %18)
  %80 = load i64, ptr %72, align 8
  %81 = tail call fastcc i64 @joined(ptr nonnull %0, i64 %80, i64 %79)
  store i64 %81, ptr %72, align 8
  %82 = load i32, ptr %73, align 4
  %83 = icmp ne i32 %82, %74
  %84 = zext i1 %83 to i64
  %85 = or i64 %60, %84
  %86 = add nuw nsw i64 %59, 1
  %87 = icmp eq i64 %86, 4
  br i1 %87, label %51, label %58

88:
  %89 = getelementptr inbounds [2 x %struct.edge], ptr %4, i64 0, i64 1
  %90 = load i64, ptr %4, align 16
  %91 = load i64, ptr %89, align 8
  %92 = shl nuw i64 %8, 32
  %93 = tail call fastcc i64 @node(ptr nonnull %0, i64 %90, i64 %91, i64 %92)
  %94 = lshr i64 %93, 32
  %95 = trunc i64 %94 to i32
  %96 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  %97 = load i64, ptr %96, align 8
  %98 = icmp eq i64 %97, 0
  br i1 %98, label %99, label %104

99:
  %100 = load ptr, ptr %0, align 8
  %101 = getelementptr inbounds %struct.inner, ptr %100, i64 %94, i32 2
  store i32 %95, ptr %101, align 4
  %102 = load ptr, ptr %0, align 8
  %103 = getelementptr inbounds %struct.inner, ptr %102, i64 %8, i32 2
  store i32 %95, ptr %103, align 4
  br label %104

104:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  br label %105

105:
  %106 = phi i32 [ %95, %104 ], [ %1, %3 ], [ %10, %6 ]
  ret i32 %106
}

define void @advance(ptr %0) {
  %2 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  store i64 0, ptr %2, align 8
  %3 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 14
  store i64 0, ptr %3, align 8
  %4 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 12
  %5 = load i64, ptr %4, align 8
  %6 = trunc i64 %5 to i32
  %7 = tail call fastcc i64 @image(ptr %0, i32 %6, i32 0)
  %8 = icmp ult i64 %7, 4294967296
  %9 = add i64 %7, 1
  %10 = and i64 %7, -4294967296
  %11 = and i64 %9, 4294967295
  %12 = or i64 %11, %10
  %13 = select i1 %8, i64 0, i64 %12
  %14 = shl i64 %5, 32
  %15 = tail call fastcc i64 @joined(ptr %0, i64 %14, i64 %13)
  %16 = load i64, ptr %2, align 8
  %17 = icmp eq i64 %16, 0
  br i1 %17, label %18, label %20

18:
  %19 = lshr i64 %15, 32
  store i64 %19, ptr %4, align 8
  br label %20

20:
  ret void
}

declare void @llvm.lifetime.start.p0(i64, ptr)

define internal fastcc i64 @joined(ptr %0, i64 %1, i64 %2) unnamed_addr {
  %4 = trunc i64 %1 to i32
  %5 = lshr i64 %1, 32
  %6 = trunc i64 %5 to i32
  %7 = trunc i64 %2 to i32
  %8 = lshr i64 %2, 32
  %9 = trunc i64 %8 to i32
  %10 = icmp eq i32 %9, 0
  br i1 %10, label %129, label %11

11:
  %12 = icmp eq i32 %6, 0
  br i1 %12, label %129, label %13

13:
  %14 = icmp eq i32 %6, %9
  br i1 %14, label %15, label %19

15:
  %16 = icmp sgt i32 %4, %7
  %17 = tail call i32 @llvm.smin.i32(i32 %4, i32 %7)
  %18 = select i1 %16, i32 %9, i32 %6
  br label %129

19:
  %20 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  %21 = load i64, ptr %20, align 8
  %22 = icmp eq i64 %21, 0
  br i1 %22, label %23, label %129

23:
  %24 = icmp ult i32 %6, %9
  %25 = select i1 %24, i32 %4, i32 %7
  %26 = tail call i32 @llvm.umin.i32(i32 %6, i32 %9)
  %27 = select i1 %24, i32 %7, i32 %4
  %28 = tail call i32 @llvm.umax.i32(i32 %6, i32 %9)
  %29 = tail call i32 @llvm.smin.i32(i32 %27, i32 %25)
  %30 = sub nsw i32 %27, %25
  %31 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 2
  %32 = load ptr, ptr %31, align 8
  %33 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 11
  %34 = load i64, ptr %33, align 8
  %35 = zext i32 %26 to i64
  %36 = zext i32 %30 to i64
  %37 = shl nuw i64 %36, 32
  %38 = or i64 %37, %35
  %39 = zext i32 %28 to i64
  %40 = mul i64 %38, -7046029254386353131
  %41 = mul i64 %39, -4417276706812531889
  %42 = xor i64 %40, %41
  %43 = lshr i64 %42, 29
  %44 = xor i64 %43, %42
  %45 = mul i64 %44, -4658895280553007687
  %46 = lshr i64 %45, 32
  %47 = xor i64 %46, %45
  %48 = and i64 %34, %47
  %49 = shl i64 %48, 2
  %50 = getelementptr inbounds i32, ptr %32, i64 %49
  %51 = load i32, ptr %50, align 4
  %52 = icmp eq i32 %51, %26
  br i1 %52, label %53, label %64

53:
  %54 = getelementptr inbounds i32, ptr %50, i64 1
  %55 = load i32, ptr %54, align 4
  %56 = icmp eq i32 %55, %28
  br i1 %56, label %57, label %64

57:
  %58 = getelementptr inbounds i32, ptr %50, i64 2
  %59 = load i32, ptr %58, align 4
  %60 = icmp eq i32 %59, %30
  br i1 %60, label %61, label %64

61:
  %62 = getelementptr inbounds i32, ptr %50, i64 3
  %63 = load i32, ptr %62, align 4
  br label %129

64:
  %65 = load ptr, ptr %0, align 8
  %66 = getelementptr inbounds %struct.inner, ptr %65, i64 %5, i32 1
  %67 = load i32, ptr %66, align 4
  %68 = sub nsw i32 0, %67
  %69 = getelementptr inbounds %struct.inner, ptr %65, i64 %5
  %70 = tail call i32 @llvm.smax.i32(i32 %68, i32 0)
  %71 = load i32, ptr %69, align 4
  %72 = zext i32 %71 to i64
  %73 = shl nuw i64 %72, 32
  %74 = icmp eq i32 %71, 0
  %75 = add nsw i32 %70, %4
  %76 = zext i32 %75 to i64
  %77 = or i64 %73, %76
  %78 = select i1 %74, i64 0, i64 %77
  %79 = getelementptr inbounds %struct.inner, ptr %65, i64 %8, i32 1
  %80 = load i32, ptr %79, align 4
  %81 = sub nsw i32 0, %80
  %82 = getelementptr inbounds %struct.inner, ptr %65, i64 %8
  %83 = tail call i32 @llvm.smax.i32(i32 %81, i32 0)
  %84 = load i32, ptr %82, align 4
  %85 = zext i32 %84 to i64
  %86 = shl nuw i64 %85, 32
  %87 = icmp eq i32 %84, 0
  %88 = add nsw i32 %83, %7
  %89 = zext i32 %88 to i64
  %90 = or i64 %86, %89
  %91 = select i1 %87, i64 0, i64 %90
  %92 = tail call fastcc i64 @joined(ptr nonnull %0, i64 %78, i64 %91)
  %93 = load ptr, ptr %0, align 8
  %94 = getelementptr inbounds %struct.inner, ptr %93, i64 %5, i32 1
  %95 = load i32, ptr %94, align 4
  %96 = tail call i32 @llvm.smax.i32(i32 %95, i32 0)
  %97 = getelementptr inbounds %struct.inner, ptr %93, i64 %5, i32 0, i64 1
  %98 = load i32, ptr %97, align 4
  %99 = zext i32 %98 to i64
  %100 = shl nuw i64 %99, 32
  %101 = icmp eq i32 %98, 0
  %102 = add nsw i32 %96, %4
  %103 = zext i32 %102 to i64
  %104 = or i64 %100, %103
  %105 = select i1 %101, i64 0, i64 %104
  %106 = getelementptr inbounds %struct.inner, ptr %93, i64 %8, i32 1
  %107 = load i32, ptr %106, align 4
  %108 = tail call i32 @llvm.smax.i32(i32 %107, i32 0)
  %109 = getelementptr inbounds %struct.inner, ptr %93, i64 %8, i32 0, i64 1
  %110 = load i32, ptr %109, align 4
  %111 = zext i32 %110 to i64
  %112 = shl nuw i64 %111, 32
  %113 = icmp eq i32 %110, 0
  %114 = add nsw i32 %108, %7
  %115 = zext i32 %114 to i64
  %116 = or i64 %112, %115
  %117 = select i1 %113, i64 0, i64 %116
  %118 = tail call fastcc i64 @joined(ptr nonnull %0, i64 %105, i64 %117)
  %119 = tail call fastcc i64 @node(ptr nonnull %0, i64 %92, i64 %118, i64 %1)
  %120 = trunc i64 %119 to i32
  %121 = lshr i64 %119, 32
  %122 = trunc i64 %121 to i32
  %123 = load i64, ptr %20, align 8
  %124 = icmp eq i64 %123, 0
  br i1 %124, label %125, label %129

125:
  store i32 %26, ptr %50, align 4
  %126 = getelementptr inbounds i32, ptr %50, i64 1
  store i32 %28, ptr %126, align 4
  %127 = getelementptr inbounds i32, ptr %50, i64 2
  store i32 %30, ptr %127, align 4
  %128 = getelementptr inbounds i32, ptr %50, i64 3
  store i32 %122, ptr %128, align 4
  br label %129

129:
  %130 = phi i32 [ %4, %3 ], [ %7, %11 ], [ %17, %15 ], [ %4, %19 ], [ %29, %61 ], [ %120, %125 ], [ %120, %64 ]
  %131 = phi i32 [ %6, %3 ], [ %9, %11 ], [ %18, %15 ], [ %6, %19 ], [ %63, %61 ], [ %122, %125 ], [ %122, %64 ]
  %132 = zext i32 %131 to i64
  %133 = shl nuw i64 %132, 32
  %134 = zext i32 %130 to i64
  %135 = or i64 %133, %134
  ret i64 %135
}

define internal fastcc i64 @image(ptr %0, i32 %1, i32 %2) unnamed_addr {
  %4 = alloca [2 x %struct.edge], align 16
  %5 = icmp ult i32 %1, 2
  br i1 %5, label %138, label %6

6:
  %7 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  %8 = load i64, ptr %7, align 8
  %9 = icmp eq i64 %8, 0
  br i1 %9, label %10, label %138

10:
  %11 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 3
  %12 = load ptr, ptr %11, align 8
  %13 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 11
  %14 = load i64, ptr %13, align 8
  %15 = zext i32 %1 to i64
  %16 = mul i64 %15, -7046029254386353131
  %17 = lshr i64 %16, 29
  %18 = xor i64 %17, %16
  %19 = mul i64 %18, -4658895280553007687
  %20 = lshr i64 %19, 32
  %21 = xor i64 %20, %19
  %22 = and i64 %14, %21
  %23 = shl i64 %22, 2
  %24 = getelementptr inbounds i32, ptr %12, i64 %23
  %25 = load i32, ptr %24, align 4
  %26 = icmp eq i32 %25, %1
  br i1 %26, label %27, label %36

27:
  %28 = getelementptr inbounds i32, ptr %24, i64 1
  %29 = load i32, ptr %28, align 4
  %30 = icmp eq i32 %29, 0
  br i1 %30, label %31, label %36

31:
  %32 = getelementptr inbounds i32, ptr %24, i64 2
  %33 = load i32, ptr %32, align 4
  %34 = getelementptr inbounds i32, ptr %24, i64 3
  %35 = load i32, ptr %34, align 4
  br label %138

36:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %4)
  %37 = add i32 %2, 1
  br label %53

38:
  %39 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 7
  %40 = load ptr, ptr %39, align 8
  %41 = zext i32 %2 to i64
  %42 = getelementptr inbounds i32, ptr %40, i64 %41
  %43 = load i32, ptr %42, align 4
  %44 = add i32 %2, 1
  %45 = zext i32 %44 to i64
  %46 = getelementptr inbounds i32, ptr %40, i64 %45
  %47 = load i32, ptr %46, align 4
  %48 = icmp ult i32 %43, %47
  br i1 %48, label %49, label %78

49:
  %50 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 5
  %51 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 6
  %52 = zext i32 %43 to i64
  br label %76

53:
  %54 = phi i64 [ 0, %36 ], [ %74, %53 ]
  %55 = load ptr, ptr %0, align 8
  %56 = icmp eq i64 %54, 0
  %57 = getelementptr inbounds %struct.inner, ptr %55, i64 %15, i32 1
  %58 = load i32, ptr %57, align 4
  %59 = sub nsw i32 0, %58
  %60 = select i1 %56, i32 %59, i32 %58
  %61 = getelementptr inbounds %struct.inner, ptr %55, i64 %15
  %62 = tail call i32 @llvm.smax.i32(i32 %60, i32 0)
  %63 = getelementptr inbounds [2 x i32], ptr %61, i64 0, i64 %54
  %64 = load i32, ptr %63, align 4
  %65 = getelementptr inbounds [2 x %struct.edge], ptr %4, i64 0, i64 %54
  %66 = tail call fastcc i64 @image(ptr nonnull %0, i32 %64, i32 %37)
  %67 = icmp ult i64 %66, 4294967296
  %68 = trunc i64 %66 to i32
  %69 = add nsw i32 %62, %68
  %70 = and i64 %66, -4294967296
  %71 = zext i32 %69 to i64
  %72 = or i64 %70, %71
  %73 = select i1 %67, i64 0, i64 %72
  store i64 %73, ptr %65, align 8
  %74 = add nuw nsw i64 %54, 1
  %75 = icmp eq i64 %74, 2
  br i1 %75, label %38, label %53

76:
  %77 = phi i64 [ %52, %49 ], [ %89, %88 ]
  br label %95

78:
  %79 = getelementptr inbounds [2 x %struct.edge], ptr %4, i64 0, i64 1
  %80 = load i64, ptr %4, align 16
  %81 = load i64, ptr %79, align 8
  %82 = tail call fastcc i64 @node(ptr nonnull %0, i64 %80, i64 %81, i64 0)
  %83 = trunc i64 %82 to i32
  %84 = lshr i64 %82, 32
  %85 = trunc i64 %84 to i32
  %86 = load i64, ptr %7, align 8
  %87 = icmp eq i64 %86, 0
  br i1 %87, label %133, label %137

88:
  %89 = add nuw nsw i64 %77, 1
  %90 = load ptr, ptr %39, align 8
  %91 = getelementptr inbounds i32, ptr %90, i64 %45
  %92 = load i32, ptr %91, align 4
  %93 = zext i32 %92 to i64
  %94 = icmp ult i64 %89, %93
  br i1 %94, label %76, label %78

95:
  %96 = phi i64 [ 0, %76 ], [ %131, %95 ]
  %97 = lshr i64 %96, 1
  %98 = load ptr, ptr %0, align 8
  %99 = icmp ult i64 %96, 2
  %100 = getelementptr inbounds %struct.inner, ptr %98, i64 %15, i32 1
  %101 = load i32, ptr %100, align 4
  %102 = sub nsw i32 0, %101
  %103 = select i1 %99, i32 %102, i32 %101
  %104 = getelementptr inbounds %struct.inner, ptr %98, i64 %15
  %105 = tail call i32 @llvm.smax.i32(i32 %103, i32 0)
  %106 = and i64 %97, 2147483647
  %107 = getelementptr inbounds [2 x i32], ptr %104, i64 0, i64 %106
  %108 = load i32, ptr %107, align 4
  %109 = load ptr, ptr %50, align 8
  %110 = load ptr, ptr %51, align 8
  %111 = getelementptr inbounds i32, ptr %110, i64 %77
  %112 = load i32, ptr %111, align 4
  %113 = zext i32 %112 to i64
  %114 = mul nuw nsw i64 %113, 5
  %115 = add nuw nsw i64 %96, 1
  %116 = add nuw nsw i64 %115, %114
  %117 = getelementptr inbounds i32, ptr %109, i64 %116
  %118 = load i32, ptr %117, align 4
  %119 = tail call fastcc i64 @product(ptr nonnull %0, i32 %108, i32 %118, i32 %44)
  %120 = and i64 %96, 1
  %121 = getelementptr inbounds [2 x %struct.edge], ptr %4, i64 0, i64 %120
  %122 = icmp ult i64 %119, 4294967296
  %123 = trunc i64 %119 to i32
  %124 = add nsw i32 %105, %123
  %125 = and i64 %119, -4294967296
  %126 = zext i32 %124 to i64
  %127 = or i64 %125, %126
  %128 = select i1 %122, i64 0, i64 %127
  %129 = load i64, ptr %121, align 8
  %130 = tail call fastcc i64 @joined(ptr nonnull %0, i64 %129, i64 %128)
  store i64 %130, ptr %121, align 8
  %131 = add nuw nsw i64 %96, 1
  %132 = icmp eq i64 %131, 4
  br i1 %132, label %88, label %95

133:
  store i32 %1, ptr %24, align 4
  %134 = getelementptr inbounds i32, ptr %24, i64 1
  store i32 0, ptr %134, align 4
  %135 = getelementptr inbounds i32, ptr %24, i64 2
  store i32 %83, ptr %135, align 4
  %136 = getelementptr inbounds i32, ptr %24, i64 3
  store i32 %85, ptr %136, align 4
  br label %137

137:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  br label %138

138:
  %139 = phi i32 [ 0, %6 ], [ 0, %3 ], [ %33, %31 ], [ %83, %137 ]
  %140 = phi i32 [ 0, %6 ], [ 0, %3 ], [ %35, %31 ], [ %85, %137 ]
  %141 = zext i32 %140 to i64
  %142 = shl nuw i64 %141, 32
  %143 = zext i32 %139 to i64
  %144 = or i64 %142, %143
  ret i64 %144
}

declare void @llvm.lifetime.end.p0(i64, ptr)

define void @add_state(ptr %0, ptr %1, i64 %2) {
  %4 = icmp sgt i64 %2, 0
  br i1 %4, label %12, label %5

5:
  %6 = phi i64 [ 4294967296, %3 ], [ %24, %23 ]
  %7 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 12
  %8 = load i64, ptr %7, align 8
  %9 = shl i64 %8, 32
  %10 = tail call fastcc i64 @joined(ptr %0, i64 %9, i64 %6)
  %11 = lshr i64 %10, 32
  store i64 %11, ptr %7, align 8
  ret void

12:
  %13 = phi i64 [ %15, %23 ], [ %2, %3 ]
  %14 = phi i64 [ %24, %23 ], [ 4294967296, %3 ]
  %15 = add nsw i64 %13, -1
  %16 = getelementptr inbounds i8, ptr %1, i64 %15
  %17 = load i8, ptr %16, align 1
  %18 = icmp eq i8 %17, 0
  br i1 %18, label %21, label %19

19:
  %20 = tail call fastcc i64 @node(ptr %0, i64 0, i64 %14, i64 0)
  br label %23

21:
  %22 = tail call fastcc i64 @node(ptr %0, i64 %14, i64 0, i64 0)
  br label %23

23:
  %24 = phi i64 [ %20, %19 ], [ %22, %21 ]
  %25 = icmp sgt i64 %13, 1
  br i1 %25, label %12, label %5
}

define internal fastcc i64 @node(ptr %0, i64 %1, i64 %2, i64 %3) unnamed_addr {
  %5 = trunc i64 %1 to i32
  %6 = lshr i64 %1, 32
  %7 = trunc i64 %6 to i32
  %8 = trunc i64 %2 to i32
  %9 = lshr i64 %2, 32
  %10 = trunc i64 %9 to i32
  %11 = or i32 %10, %7
  %12 = icmp eq i32 %11, 0
  br i1 %12, label %109, label %13

13:
  %14 = icmp ne i32 %7, 0
  %15 = icmp ne i32 %10, 0
  %16 = select i1 %14, i1 %15, i1 false
  %17 = sub nsw i32 %8, %5
  %18 = select i1 %16, i32 %17, i32 0
  br i1 %14, label %19, label %23

19:
  %20 = icmp eq i32 %10, 0
  %21 = icmp sgt i32 %18, 0
  %22 = select i1 %20, i1 true, i1 %21
  br i1 %22, label %24, label %23

23:
  br label %24

24:
  %25 = phi i32 [ %8, %23 ], [ %5, %19 ]
  %26 = zext i32 %18 to i64
  %27 = shl nuw i64 %26, 32
  %28 = or i64 %27, %6
  %29 = mul i64 %28, -7046029254386353131
  %30 = mul i64 %9, -4417276706812531889
  %31 = xor i64 %29, %30
  %32 = lshr i64 %31, 29
  %33 = xor i64 %32, %31
  %34 = mul i64 %33, -4658895280553007687
  %35 = lshr i64 %34, 32
  %36 = xor i64 %35, %34
  %37 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 10
  %38 = load i64, ptr %37, align 8
  %39 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 1
  %40 = load ptr, ptr %39, align 8
  %41 = and i64 %36, %38
  %42 = getelementptr inbounds i32, ptr %40, i64 %41
  %43 = load i32, ptr %42, align 4
  %44 = icmp eq i32 %43, 0
  br i1 %44, label %76, label %45

45:
  %46 = load ptr, ptr %0, align 8
  br label %47

47:
  %48 = phi i1 [ %44, %45 ], [ %75, %70 ]
  %49 = phi i32 [ %43, %45 ], [ %74, %70 ]
  %50 = phi i64 [ %41, %45 ], [ %72, %70 ]
  %51 = phi i32 [ undef, %45 ], [ %69, %70 ]
  %52 = phi i32 [ undef, %45 ], [ %68, %70 ]
  %53 = zext i32 %49 to i64
  %54 = getelementptr inbounds %struct.inner, ptr %46, i64 %53
  %55 = load i32, ptr %54, align 4
  %56 = icmp eq i32 %55, %7
  br i1 %56, label %57, label %65

57:
  %58 = getelementptr inbounds [2 x i32], ptr %54, i64 0, i64 1
  %59 = load i32, ptr %58, align 4
  %60 = icmp eq i32 %59, %10
  br i1 %60, label %61, label %65

61:
  %62 = getelementptr inbounds %struct.inner, ptr %46, i64 %53, i32 1
  %63 = load i32, ptr %62, align 4
  %64 = icmp eq i32 %63, %18
  br i1 %64, label %66, label %65

65:
  br label %66

66:
  %67 = phi i1 [ true, %65 ], [ false, %61 ]
  %68 = phi i32 [ %52, %65 ], [ %25, %61 ]
  %69 = phi i32 [ %51, %65 ], [ %49, %61 ]
  br i1 %67, label %70, label %76

70:
  %71 = add i64 %50, 1
  %72 = and i64 %71, %38
  %73 = getelementptr inbounds i32, ptr %40, i64 %72
  %74 = load i32, ptr %73, align 4
  %75 = icmp eq i32 %74, 0
  br i1 %75, label %76, label %47

76:
  %77 = phi i64 [ %41, %24 ], [ %50, %66 ], [ %72, %70 ]
  %78 = phi i1 [ %44, %24 ], [ %48, %66 ], [ %75, %70 ]
  %79 = phi i32 [ undef, %24 ], [ %68, %70 ], [ %68, %66 ]
  %80 = phi i32 [ undef, %24 ], [ %69, %70 ], [ %69, %66 ]
  %81 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 1
  br i1 %78, label %82, label %109

82:
  %83 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 8
  %84 = load i64, ptr %83, align 8
  %85 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 9
  %86 = load i64, ptr %85, align 8
  %87 = sdiv i64 %86, -16
  %88 = add i64 %87, %86
  %89 = icmp slt i64 %84, %88
  br i1 %89, label %92, label %90

90:
  %91 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  store i64 1, ptr %91, align 8
  br label %92

92:
  %93 = icmp slt i64 %84, %86
  br i1 %93, label %98, label %94

94:
  %95 = trunc i64 %3 to i32
  %96 = lshr i64 %3, 32
  %97 = trunc i64 %96 to i32
  br label %109

98:
  %99 = add nsw i64 %84, 1
  store i64 %99, ptr %83, align 8
  %100 = trunc i64 %84 to i32
  %101 = load ptr, ptr %0, align 8
  %102 = and i64 %84, 4294967295
  %103 = getelementptr inbounds %struct.inner, ptr %101, i64 %102
  store i32 %7, ptr %103, align 4
  %104 = getelementptr inbounds i8, ptr %103, i64 4
  store i32 %10, ptr %104, align 4
  %105 = getelementptr inbounds i8, ptr %103, i64 8
  store i32 %18, ptr %105, align 4
  %106 = getelementptr inbounds i8, ptr %103, i64 12
  store i32 0, ptr %106, align 4
  %107 = load ptr, ptr %81, align 8
  %108 = getelementptr inbounds i32, ptr %107, i64 %77
  store i32 %100, ptr %108, align 4
  br label %109

109:
  %110 = phi i32 [ 0, %4 ], [ %95, %94 ], [ %25, %98 ], [ %79, %76 ]
  %111 = phi i32 [ 0, %4 ], [ %97, %94 ], [ %100, %98 ], [ %80, %76 ]
  %112 = zext i32 %111 to i64
  %113 = shl nuw i64 %112, 32
  %114 = zext i32 %110 to i64
  %115 = or i64 %113, %114
  ret i64 %115
}

define void @weigh(ptr %0, ptr %1, ptr %2) {
  store double 0.000000e+00, ptr %1, align 8
  %4 = getelementptr inbounds double, ptr %1, i64 1
  store double 1.000000e+00, ptr %4, align 8
  %5 = getelementptr inbounds i32, ptr %2, i64 1
  store i32 0, ptr %5, align 4
  store i32 0, ptr %2, align 4
  %6 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 12
  %7 = load i64, ptr %6, align 8
  %8 = icmp slt i64 %7, 2
  br i1 %8, label %9, label %10

9:
  ret void

10:
  %11 = phi i64 [ %39, %10 ], [ 2, %3 ]
  %12 = load ptr, ptr %0, align 8
  %13 = and i64 %11, 4294967295
  %14 = getelementptr inbounds %struct.inner, ptr %12, i64 %13, i32 1
  %15 = load i32, ptr %14, align 4
  %16 = sub nsw i32 0, %15
  %17 = getelementptr inbounds %struct.inner, ptr %12, i64 %13
  %18 = tail call i32 @llvm.smax.i32(i32 %16, i32 0)
  %19 = load i32, ptr %17, align 4
  %20 = zext i32 %19 to i64
  %21 = tail call i32 @llvm.smax.i32(i32 %15, i32 0)
  %22 = getelementptr inbounds [2 x i32], ptr %17, i64 0, i64 1
  %23 = load i32, ptr %22, align 4
  %24 = zext i32 %23 to i64
  %25 = getelementptr inbounds i32, ptr %2, i64 %20
  %26 = load i32, ptr %25, align 4
  %27 = add nsw i32 %26, %18
  %28 = getelementptr inbounds i32, ptr %2, i64 %24
  %29 = load i32, ptr %28, align 4
  %30 = add nsw i32 %29, %21
  %31 = getelementptr inbounds double, ptr %1, i64 %20
  %32 = load double, ptr %31, align 8
  %33 = getelementptr inbounds double, ptr %1, i64 %24
  %34 = load double, ptr %33, align 8
  %35 = fadd double %32, %34
  %36 = getelementptr inbounds double, ptr %1, i64 %11
  store double %35, ptr %36, align 8
  %37 = tail call i32 @llvm.smax.i32(i32 %27, i32 %30)
  %38 = getelementptr inbounds i32, ptr %2, i64 %11
  store i32 %37, ptr %38, align 4
  %39 = add nuw nsw i64 %11, 1
  %40 = load i64, ptr %6, align 8
  %41 = icmp slt i64 %11, %40
  br i1 %41, label %10, label %9
}

define void @nearest(ptr %0, ptr %1, i64 %2, ptr %3, ptr %4, i64 %5) {
  %7 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 17
  store i64 2147483647, ptr %7, align 8
  %8 = icmp ne ptr %3, null
  %9 = zext i1 %8 to i64
  %10 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 15
  %11 = load i64, ptr %10, align 8
  %12 = add nsw i64 %11, %9
  store i64 %12, ptr %10, align 8
  %13 = icmp sgt i64 %2, 0
  br i1 %13, label %14, label %17

14:
  %15 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 12
  %16 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 16
  br label %22

17:
  %18 = load i64, ptr %7, align 8
  %19 = icmp ne i64 %18, 2147483647
  %20 = icmp sgt i64 %5, 0
  %21 = and i1 %19, %20
  br i1 %21, label %36, label %114

22:
  %23 = phi i64 [ 0, %14 ], [ %34, %33 ]
  %24 = load i64, ptr %15, align 8
  %25 = trunc i64 %24 to i32
  %26 = getelementptr inbounds i32, ptr %1, i64 %23
  %27 = load i32, ptr %26, align 4
  %28 = tail call fastcc i32 @nearness(ptr %0, i32 %25, i32 %27, i32 0, ptr %3)
  %29 = sext i32 %28 to i64
  %30 = load i64, ptr %7, align 8
  %31 = icmp sgt i64 %30, %29
  br i1 %31, label %32, label %33

32:
  store i64 %29, ptr %7, align 8
  store i64 %23, ptr %16, align 8
  br label %33

33:
  %34 = add nuw nsw i64 %23, 1
  %35 = icmp eq i64 %34, %2
  br i1 %35, label %17, label %22

36:
  %37 = trunc i64 %18 to i32
  %38 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 16
  %39 = load i64, ptr %38, align 8
  %40 = getelementptr inbounds i32, ptr %1, i64 %39
  %41 = load i32, ptr %40, align 4
  %42 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 12
  %43 = load i64, ptr %42, align 8
  %44 = trunc i64 %43 to i32
  %45 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 5
  br label %46

46:
  %47 = phi i32 [ %44, %36 ], [ %107, %111 ]
  %48 = phi i32 [ %41, %36 ], [ %106, %111 ]
  %49 = phi i64 [ 0, %36 ], [ %112, %111 ]
  %50 = phi i32 [ %37, %36 ], [ %104, %111 ]
  %51 = trunc i64 %49 to i32
  %52 = getelementptr inbounds i8, ptr %3, i64 %49
  %53 = add i32 %51, 1
  %54 = getelementptr inbounds i8, ptr %4, i64 %49
  br label %55

55:
  %56 = phi i64 [ %108, %103 ], [ 0, %46 ]
  %57 = phi i32 [ %107, %103 ], [ %47, %46 ]
  %58 = phi i32 [ %106, %103 ], [ %48, %46 ]
  %59 = phi i32 [ %104, %103 ], [ %50, %46 ]
  %60 = trunc i64 %56 to i32
  %61 = lshr i32 %60, 1
  %62 = load ptr, ptr %0, align 8
  %63 = zext i32 %57 to i64
  %64 = icmp ult i64 %56, 2
  %65 = getelementptr inbounds %struct.inner, ptr %62, i64 %63, i32 1
  %66 = load i32, ptr %65, align 4
  %67 = sub nsw i32 0, %66
  %68 = select i1 %64, i32 %67, i32 %66
  %69 = getelementptr inbounds %struct.inner, ptr %62, i64 %63
  %70 = tail call i32 @llvm.smax.i32(i32 %68, i32 0)
  %71 = zext i32 %61 to i64
  %72 = getelementptr inbounds [2 x i32], ptr %69, i64 0, i64 %71
  %73 = load i32, ptr %72, align 4
  %74 = load ptr, ptr %45, align 8
  %75 = zext i32 %58 to i64
  %76 = mul nuw nsw i64 %75, 5
  %77 = getelementptr inbounds i32, ptr %74, i64 %76
  %78 = load i32, ptr %77, align 4
  %79 = icmp eq i32 %78, %51
  br i1 %79, label %80, label %84

80:
  %81 = add nuw nsw i64 %56, 1
  %82 = getelementptr inbounds i32, ptr %77, i64 %81
  %83 = load i32, ptr %82, align 4
  br label %89

84:
  %85 = icmp eq i64 %56, 0
  %86 = icmp eq i64 %56, 3
  %87 = or i1 %85, %86
  %88 = select i1 %87, i32 %58, i32 0
  br label %89

89:
  %90 = phi i32 [ %83, %80 ], [ %88, %84 ]
  br i1 %8, label %91, label %97

91:
  %92 = load i8, ptr %52, align 1
  %93 = zext i8 %92 to i32
  %94 = trunc i64 %56 to i32
  %95 = and i32 %94, 1
  %96 = icmp eq i32 %95, %93
  br i1 %96, label %97, label %103

97:
  %98 = tail call fastcc i32 @nearness(ptr nonnull %0, i32 %73, i32 %90, i32 %53, ptr %3)
  %99 = sub nsw i32 %59, %70
  %100 = icmp eq i32 %98, %99
  br i1 %100, label %101, label %103

101:
  %102 = trunc i32 %61 to i8
  store i8 %102, ptr %54, align 1
  br label %103

103:
  %104 = phi i32 [ %99, %101 ], [ %59, %91 ], [ %59, %97 ]
  %105 = phi i1 [ false, %101 ], [ true, %91 ], [ true, %97 ]
  %106 = phi i32 [ %90, %101 ], [ %58, %91 ], [ %58, %97 ]
  %107 = phi i32 [ %73, %101 ], [ %57, %91 ], [ %57, %97 ]
  %108 = add nuw nsw i64 %56, 1
  %109 = icmp ult i64 %56, 3
  %110 = select i1 %105, i1 %109, i1 false
  br i1 %110, label %55, label %111

111:
  %112 = add nuw nsw i64 %49, 1
  %113 = icmp eq i64 %112, %5
  br i1 %113, label %114, label %46

114:
  ret void
}

define internal fastcc i32 @nearness(ptr %0, i32 %1, i32 %2, i32 %3, ptr %4) unnamed_addr {
  %6 = icmp ne i32 %1, 0
  %7 = icmp ne i32 %2, 0
  %8 = and i1 %6, %7
  br i1 %8, label %9, label %111

9:
  %10 = icmp eq i32 %1, 1
  br i1 %10, label %111, label %11

11:
  %12 = icmp ne i32 %2, 1
  %13 = icmp ne ptr %4, null
  %14 = or i1 %12, %13
  br i1 %14, label %15, label %111

15:
  br i1 %13, label %16, label %20

16:
  %17 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 15
  %18 = load i64, ptr %17, align 8
  %19 = trunc i64 %18 to i32
  br label %20

20:
  %21 = phi i32 [ %19, %16 ], [ 0, %15 ]
  %22 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 4
  %23 = load ptr, ptr %22, align 8
  %24 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 11
  %25 = load i64, ptr %24, align 8
  %26 = zext i32 %1 to i64
  %27 = zext i32 %21 to i64
  %28 = shl nuw i64 %27, 32
  %29 = or i64 %28, %26
  %30 = zext i32 %2 to i64
  %31 = mul i64 %29, -7046029254386353131
  %32 = mul i64 %30, -4417276706812531889
  %33 = xor i64 %31, %32
  %34 = lshr i64 %33, 29
  %35 = xor i64 %34, %33
  %36 = mul i64 %35, -4658895280553007687
  %37 = lshr i64 %36, 32
  %38 = xor i64 %37, %36
  %39 = and i64 %38, %25
  %40 = shl i64 %39, 2
  %41 = getelementptr inbounds i32, ptr %23, i64 %40
  %42 = load i32, ptr %41, align 4
  %43 = icmp eq i32 %42, %1
  br i1 %43, label %44, label %55

44:
  %45 = getelementptr inbounds i32, ptr %41, i64 1
  %46 = load i32, ptr %45, align 4
  %47 = icmp eq i32 %46, %2
  br i1 %47, label %48, label %55

48:
  %49 = getelementptr inbounds i32, ptr %41, i64 2
  %50 = load i32, ptr %49, align 4
  %51 = icmp eq i32 %50, %21
  br i1 %51, label %52, label %55

52:
  %53 = getelementptr inbounds i32, ptr %41, i64 3
  %54 = load i32, ptr %53, align 4
  br label %111

55:
  %56 = zext i32 %3 to i64
  %57 = getelementptr inbounds i8, ptr %4, i64 %56
  %58 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 5
  %59 = mul nuw nsw i64 %30, 5
  %60 = add i32 %3, 1
  br label %65

61:
  store i32 %1, ptr %41, align 4
  %62 = getelementptr inbounds i32, ptr %41, i64 1
  store i32 %2, ptr %62, align 4
  %63 = getelementptr inbounds i32, ptr %41, i64 2
  store i32 %21, ptr %63, align 4
  %64 = getelementptr inbounds i32, ptr %41, i64 3
  store i32 %108, ptr %64, align 4
  br label %111

65:
  %66 = phi i64 [ 0, %55 ], [ %109, %107 ]
  %67 = phi i32 [ 2147483647, %55 ], [ %108, %107 ]
  br i1 %13, label %68, label %74

68:
  %69 = load i8, ptr %57, align 1
  %70 = zext i8 %69 to i32
  %71 = trunc i64 %66 to i32
  %72 = and i32 %71, 1
  %73 = icmp eq i32 %72, %70
  br i1 %73, label %74, label %107

74:
  %75 = lshr i64 %66, 1
  %76 = load ptr, ptr %0, align 8
  %77 = icmp ult i64 %66, 2
  %78 = getelementptr inbounds %struct.inner, ptr %76, i64 %26, i32 1
  %79 = load i32, ptr %78, align 4
  %80 = sub nsw i32 0, %79
  %81 = select i1 %77, i32 %80, i32 %79
  %82 = getelementptr inbounds %struct.inner, ptr %76, i64 %26
  %83 = tail call i32 @llvm.smax.i32(i32 %81, i32 0)
  %84 = and i64 %75, 2147483647
  %85 = getelementptr inbounds [2 x i32], ptr %82, i64 0, i64 %84
  %86 = load i32, ptr %85, align 4
  %87 = load ptr, ptr %58, align 8
  %88 = getelementptr inbounds i32, ptr %87, i64 %59
  %89 = load i32, ptr %88, align 4
  %90 = icmp eq i32 %89, %3
  br i1 %90, label %91, label %95

91:
  %92 = add nuw nsw i64 %66, 1
  %93 = getelementptr inbounds i32, ptr %88, i64 %92
  %94 = load i32, ptr %93, align 4
  br label %100

95:
  %96 = icmp eq i64 %66, 0
  %97 = icmp eq i64 %66, 3
  %98 = or i1 %96, %97
  %99 = select i1 %98, i32 %2, i32 0
  br label %100

100:
  %101 = phi i32 [ %94, %91 ], [ %99, %95 ]
  %102 = tail call fastcc i32 @nearness(ptr nonnull %0, i32 %86, i32 %101, i32 %60, ptr %4)
  %103 = icmp eq i32 %102, 2147483647
  br i1 %103, label %107, label %104

104:
  %105 = add nsw i32 %102, %83
  %106 = tail call i32 @llvm.smin.i32(i32 %105, i32 %67)
  br label %107

107:
  %108 = phi i32 [ %67, %68 ], [ %67, %100 ], [ %106, %104 ]
  %109 = add nuw nsw i64 %66, 1
  %110 = icmp eq i64 %109, 4
  br i1 %110, label %61, label %65

111:
  %112 = phi i32 [ 2147483647, %5 ], [ 0, %11 ], [ 0, %9 ], [ %54, %52 ], [ %108, %61 ]
  ret i32 %112
}

define void @move(ptr %0, ptr %1, ptr %2, i64 %3) {
  %5 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 8
  %6 = load i64, ptr %5, align 8
  %7 = icmp sgt i64 %6, 2
  br i1 %7, label %8, label %11

8:
  %9 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 10
  %10 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 1
  br label %18

11:
  %12 = shl nsw i64 %3, 2
  %13 = getelementptr inbounds i32, ptr %1, i64 %12
  %14 = icmp sgt i64 %3, 0
  br i1 %14, label %15, label %55

15:
  %16 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 2
  %17 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 11
  br label %61

18:
  %19 = phi i64 [ 2, %8 ], [ %52, %49 ]
  %20 = load ptr, ptr %0, align 8
  %21 = getelementptr inbounds %struct.inner, ptr %20, i64 %19
  %22 = load i32, ptr %21, align 4
  %23 = getelementptr inbounds [2 x i32], ptr %21, i64 0, i64 1
  %24 = load i32, ptr %23, align 4
  %25 = getelementptr inbounds %struct.inner, ptr %20, i64 %19, i32 1
  %26 = load i32, ptr %25, align 4
  %27 = zext i32 %22 to i64
  %28 = zext i32 %26 to i64
  %29 = shl nuw i64 %28, 32
  %30 = or i64 %29, %27
  %31 = zext i32 %24 to i64
  %32 = mul i64 %30, -7046029254386353131
  %33 = mul i64 %31, -4417276706812531889
  %34 = xor i64 %32, %33
  %35 = lshr i64 %34, 29
  %36 = xor i64 %35, %34
  %37 = mul i64 %36, -4658895280553007687
  %38 = lshr i64 %37, 32
  %39 = xor i64 %38, %37
  %40 = load i64, ptr %9, align 8
  %41 = load ptr, ptr %10, align 8
  br label %42

42:
  %43 = phi i64 [ %39, %18 ], [ %48, %42 ]
  %44 = and i64 %43, %40
  %45 = getelementptr inbounds i32, ptr %41, i64 %44
  %46 = load i32, ptr %45, align 4
  %47 = icmp eq i32 %46, 0
  %48 = add i64 %44, 1
  br i1 %47, label %49, label %42

49:
  %50 = getelementptr inbounds i32, ptr %41, i64 %44
  %51 = trunc i64 %19 to i32
  store i32 %51, ptr %50, align 4
  %52 = add nuw nsw i64 %19, 1
  %53 = load i64, ptr %5, align 8
  %54 = icmp slt i64 %52, %53
  br i1 %54, label %18, label %11

55:
  %56 = getelementptr inbounds i32, ptr %2, i64 %12
  %57 = icmp sgt i64 %3, 0
  br i1 %57, label %58, label %96

58:
  %59 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 3
  %60 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 11
  br label %97

61:
  %62 = phi ptr [ %1, %15 ], [ %94, %93 ]
  %63 = load i32, ptr %62, align 4
  %64 = icmp eq i32 %63, 0
  br i1 %64, label %93, label %65

65:
  %66 = load ptr, ptr %16, align 8
  %67 = load i64, ptr %17, align 8
  %68 = getelementptr inbounds i32, ptr %62, i64 1
  %69 = load i32, ptr %68, align 4
  %70 = getelementptr inbounds i32, ptr %62, i64 2
  %71 = load i32, ptr %70, align 4
  %72 = zext i32 %63 to i64
  %73 = zext i32 %71 to i64
  %74 = shl nuw i64 %73, 32
  %75 = or i64 %74, %72
  %76 = zext i32 %69 to i64
  %77 = mul i64 %75, -7046029254386353131
  %78 = mul i64 %76, -4417276706812531889
  %79 = xor i64 %77, %78
  %80 = lshr i64 %79, 29
  %81 = xor i64 %80, %79
  %82 = mul i64 %81, -4658895280553007687
  %83 = lshr i64 %82, 32
  %84 = xor i64 %83, %82
  %85 = and i64 %84, %67
  %86 = shl i64 %85, 2
  %87 = getelementptr inbounds i32, ptr %66, i64 %86
  %88 = getelementptr inbounds i32, ptr %62, i64 3
  %89 = load i32, ptr %88, align 4
  store i32 %63, ptr %87, align 4
  %90 = getelementptr inbounds i32, ptr %87, i64 1
  store i32 %69, ptr %90, align 4
  %91 = getelementptr inbounds i32, ptr %87, i64 2
  store i32 %71, ptr %91, align 4
  %92 = getelementptr inbounds i32, ptr %87, i64 3
  store i32 %89, ptr %92, align 4
  br label %93

93:
  %94 = getelementptr inbounds i32, ptr %62, i64 4
  %95 = icmp ult ptr %94, %13
  br i1 %95, label %61, label %55

96:
  ret void

97:
  %98 = phi ptr [ %2, %58 ], [ %127, %126 ]
  %99 = load i32, ptr %98, align 4
  %100 = icmp eq i32 %99, 0
  br i1 %100, label %126, label %101

101:
  %102 = load ptr, ptr %59, align 8
  %103 = load i64, ptr %60, align 8
  %104 = getelementptr inbounds i32, ptr %98, i64 1
  %105 = load i32, ptr %104, align 4
  %106 = zext i32 %99 to i64
  %107 = zext i32 %105 to i64
  %108 = mul i64 %106, -7046029254386353131
  %109 = mul i64 %107, -4417276706812531889
  %110 = xor i64 %109, %108
  %111 = lshr i64 %110, 29
  %112 = xor i64 %111, %110
  %113 = mul i64 %112, -4658895280553007687
  %114 = lshr i64 %113, 32
  %115 = xor i64 %114, %113
  %116 = and i64 %115, %103
  %117 = shl i64 %116, 2
  %118 = getelementptr inbounds i32, ptr %102, i64 %117
  %119 = getelementptr inbounds i32, ptr %98, i64 2
  %120 = load i32, ptr %119, align 4
  %121 = getelementptr inbounds i32, ptr %98, i64 3
  %122 = load i32, ptr %121, align 4
  store i32 %99, ptr %118, align 4
  %123 = getelementptr inbounds i32, ptr %118, i64 1
  store i32 %105, ptr %123, align 4
  %124 = getelementptr inbounds i32, ptr %118, i64 2
  store i32 %120, ptr %124, align 4
  %125 = getelementptr inbounds i32, ptr %118, i64 3
  store i32 %122, ptr %125, align 4
  br label %126

126:
  %127 = getelementptr inbounds i32, ptr %98, i64 4
  %128 = icmp ult ptr %127, %56
  br i1 %128, label %97, label %96
}

define internal fastcc i64 @product(ptr %0, i32 %1, i32 %2, i32 %3) unnamed_addr {
  %5 = icmp ne i32 %1, 0
  %6 = icmp ne i32 %2, 0
  %7 = and i1 %5, %6
  br i1 %7, label %8, label %149

8:
  %9 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  %10 = load i64, ptr %9, align 8
  %11 = icmp eq i64 %10, 0
  br i1 %11, label %12, label %149

12:
  %13 = icmp eq i32 %1, 1
  %14 = icmp eq i32 %2, 1
  %15 = or i1 %13, %14
  br i1 %15, label %149, label %16

16:
  %17 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 3
  %18 = load ptr, ptr %17, align 8
  %19 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 11
  %20 = load i64, ptr %19, align 8
  %21 = zext i32 %1 to i64
  %22 = zext i32 %2 to i64
  %23 = mul i64 %21, -7046029254386353131
  %24 = mul i64 %22, -4417276706812531889
  %25 = xor i64 %24, %23
  %26 = lshr i64 %25, 29
  %27 = xor i64 %26, %25
  %28 = mul i64 %27, -4658895280553007687
  %29 = lshr i64 %28, 32
  %30 = xor i64 %29, %28
  %31 = and i64 %20, %30
  %32 = shl i64 %31, 2
  %33 = getelementptr inbounds i32, ptr %18, i64 %32
  %34 = load i32, ptr %33, align 4
  %35 = icmp eq i32 %34, %1
  br i1 %35, label %36, label %45

36:
  %37 = getelementptr inbounds i32, ptr %33, i64 1
  %38 = load i32, ptr %37, align 4
  %39 = icmp eq i32 %38, %2
  br i1 %39, label %40, label %45

40:
  %41 = getelementptr inbounds i32, ptr %33, i64 2
  %42 = load i32, ptr %41, align 4
  %43 = getelementptr inbounds i32, ptr %33, i64 3
  %44 = load i32, ptr %43, align 4
  br label %149

45:
  %46 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 18
  %47 = load volatile i64, ptr %46, align 8
  %48 = icmp eq i64 %47, 0
  br i1 %48, label %50, label %49

49:
  store i64 2, ptr %9, align 8
  br label %50

50:
  %51 = load ptr, ptr %0, align 8
  %52 = getelementptr inbounds %struct.inner, ptr %51, i64 %21, i32 1
  %53 = load i32, ptr %52, align 4
  %54 = sub nsw i32 0, %53
  %55 = getelementptr inbounds %struct.inner, ptr %51, i64 %21
  %56 = tail call i32 @llvm.smax.i32(i32 %54, i32 0)
  %57 = load i32, ptr %55, align 4
  %58 = tail call i32 @llvm.smax.i32(i32 %53, i32 0)
  %59 = getelementptr inbounds [2 x i32], ptr %55, i64 0, i64 1
  %60 = load i32, ptr %59, align 4
  %61 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 5
  %62 = load ptr, ptr %61, align 8
  %63 = mul nuw nsw i64 %22, 5
  %64 = getelementptr inbounds i32, ptr %62, i64 %63
  %65 = load i32, ptr %64, align 4
  %66 = icmp ugt i32 %65, %3
  br i1 %66, label %67, label %85

67:
  %68 = add i32 %3, 1
  %69 = tail call fastcc i64 @product(ptr nonnull %0, i32 %57, i32 %2, i32 %68)
  %70 = icmp ult i64 %69, 4294967296
  %71 = trunc i64 %69 to i32
  %72 = add nsw i32 %56, %71
  %73 = and i64 %69, -4294967296
  %74 = zext i32 %72 to i64
  %75 = or i64 %73, %74
  %76 = select i1 %70, i64 0, i64 %75
  %77 = tail call fastcc i64 @product(ptr nonnull %0, i32 %60, i32 %2, i32 %68)
  %78 = icmp ult i64 %77, 4294967296
  %79 = trunc i64 %77 to i32
  %80 = add nsw i32 %58, %79
  %81 = and i64 %77, -4294967296
  %82 = zext i32 %80 to i64
  %83 = or i64 %81, %82
  %84 = select i1 %78, i64 0, i64 %83
  br label %129

85:
  %86 = getelementptr inbounds i32, ptr %64, i64 1
  %87 = load i32, ptr %86, align 4
  %88 = add i32 %3, 1
  %89 = tail call fastcc i64 @product(ptr nonnull %0, i32 %57, i32 %87, i32 %88)
  %90 = icmp ult i64 %89, 4294967296
  %91 = trunc i64 %89 to i32
  %92 = add nsw i32 %56, %91
  %93 = and i64 %89, -4294967296
  %94 = zext i32 %92 to i64
  %95 = or i64 %93, %94
  %96 = select i1 %90, i64 0, i64 %95
  %97 = getelementptr inbounds i32, ptr %64, i64 3
  %98 = load i32, ptr %97, align 4
  %99 = tail call fastcc i64 @product(ptr nonnull %0, i32 %60, i32 %98, i32 %88)
  %100 = icmp ult i64 %99, 4294967296
  %101 = trunc i64 %99 to i32
  %102 = add nsw i32 %58, %101
  %103 = and i64 %99, -4294967296
  %104 = zext i32 %102 to i64
  %105 = or i64 %103, %104
  %106 = select i1 %100, i64 0, i64 %105
  %107 = tail call fastcc i64 @joined(ptr nonnull %0, i64 %96, i64 %106)
  %108 = getelementptr inbounds i32, ptr %64, i64 2
  %109 = load i32, ptr %108, align 4
  %110 = tail call fastcc i64 @product(ptr nonnull %0, i32 %57, i32 %109, i32 %88)
  %111 = icmp ult i64 %110, 4294967296
  %112 = trunc i64 %110 to i32
  %113 = add nsw i32 %56, %112
  %114 = and i64 %110, -4294967296
  %115 = zext i32 %113 to i64
  %116 = or i64 %114, %115
  %117 = select i1 %111, i64 0, i64 %116
  %118 = getelementptr inbounds i32, ptr %64, i64 4
  %119 = load i32, ptr %118, align 4
  %120 = tail call fastcc i64 @product(ptr nonnull %0, i32 %60, i32 %119, i32 %88)
  %121 = icmp ult i64 %120, 4294967296
  %122 = trunc i64 %120 to i32
  %123 = add nsw i32 %58, %122
  %124 = and i64 %120, -4294967296
  %125 = zext i32 %123 to i64
  %126 = or i64 %124, %125
  %127 = select i1 %121, i64 0, i64 %126
  %128 = tail call fastcc i64 @joined(ptr nonnull %0, i64 %117, i64 %127)
  br label %129

129:
  %130 = phi i64 [ %84, %67 ], [ %128, %85 ]
  %131 = phi i64 [ %76, %67 ], [ %107, %85 ]
  %132 = tail call fastcc i64 @node(ptr nonnull %0, i64 %131, i64 %130, i64 0)
  %133 = trunc i64 %132 to i32
  %134 = lshr i64 %132, 32
  %135 = trunc i64 %134 to i32
  %136 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 14
  %137 = load i64, ptr %136, align 8
  %138 = icmp eq i64 %137, 0
  br i1 %138, label %141, label %139

139:
  %140 = tail call fastcc i32 @closure(ptr nonnull %0, i32 %135, i32 %3)
  br label %141

141:
  %142 = phi i32 [ %140, %139 ], [ %135, %129 ]
  %143 = load i64, ptr %9, align 8
  %144 = icmp eq i64 %143, 0
  br i1 %144, label %145, label %149

145:
  store i32 %1, ptr %33, align 4
  %146 = getelementptr inbounds i32, ptr %33, i64 1
  store i32 %2, ptr %146, align 4
  %147 = getelementptr inbounds i32, ptr %33, i64 2
  store i32 %133, ptr %147, align 4
  %148 = getelementptr inbounds i32, ptr %33, i64 3
  store i32 %142, ptr %148, align 4
  br label %149

149:
  %150 = phi i32 [ 0, %8 ], [ 0, %4 ], [ 0, %12 ], [ %42, %40 ], [ %133, %145 ], [ %133, %141 ]
  %151 = phi i32 [ 0, %8 ], [ 0, %4 ], [ %1, %12 ], [ %44, %40 ], [ %142, %145 ], [ %142, %141 ]
  %152 = zext i32 %151 to i64
  %153 = shl nuw i64 %152, 32
  %154 = zext i32 %150 to i64
  %155 = or i64 %153, %154
  ret i64 %155
}

declare i32 @llvm.smin.i32(i32, i32)

declare i32 @llvm.smax.i32(i32, i32)

declare i32 @llvm.umin.i32(i32, i32)

declare i32 @llvm.umax.i32(i32, i32)

