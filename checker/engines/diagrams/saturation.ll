%struct.diagram = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64 }

define void @saturate(ptr %0) {
  %2 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  store i64 0, ptr %2, align 8
  %3 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 12
  %4 = load i64, ptr %3, align 8
  %5 = trunc i64 %4 to i32
  %6 = tail call fastcc i32 @closure(ptr %0, i32 %5, i32 0)
  %7 = zext i32 %6 to i64
  store i64 %7, ptr %3, align 8
  ret void
}

define internal fastcc i32 @closure(ptr %0, i32 %1, i32 %2) unnamed_addr {
  %4 = alloca [2 x i32], align 4
  %5 = icmp ult i32 %1, 2
  br i1 %5, label %169, label %6

6:
  %7 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 1
  %8 = load ptr, ptr %7, align 8
  %9 = zext i32 %1 to i64
  %10 = getelementptr inbounds i32, ptr %8, i64 %9
  %11 = load i32, ptr %10, align 4
  %12 = icmp eq i32 %11, 0
  br i1 %12, label %13, label %169

13:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %14 = load ptr, ptr %0, align 8
  %15 = shl nuw nsw i64 %9, 1
  %16 = getelementptr inbounds i32, ptr %14, i64 %15
  %17 = load i32, ptr %16, align 4
  %18 = add i32 %2, 1
  %19 = tail call fastcc i32 @closure(ptr nonnull %0, i32 %17, i32 %18)
  store i32 %19, ptr %4, align 4
  %20 = getelementptr inbounds i32, ptr %4, i64 1
  %21 = load ptr, ptr %0, align 8
  %22 = or i64 %15, 1
  %23 = getelementptr inbounds i32, ptr %21, i64 %22
  %24 = load i32, ptr %23, align 4
  %25 = tail call fastcc i32 @closure(ptr nonnull %0, i32 %24, i32 %18)
  store i32 %25, ptr %20, align 4
  %26 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  %27 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 7
  %28 = zext i32 %2 to i64
  %29 = zext i32 %18 to i64
  %30 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 5
  %31 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 6
  br label %35

32:
  %33 = phi i64 [ 0, %38 ], [ %81, %50 ]
  %34 = icmp eq i64 %33, 0
  br i1 %34, label %84, label %35

35:
  %36 = load i64, ptr %26, align 8
  %37 = icmp eq i64 %36, 0
  br i1 %37, label %38, label %84

38:
  %39 = load ptr, ptr %27, align 8
  %40 = getelementptr inbounds i32, ptr %39, i64 %28
  %41 = load i32, ptr %40, align 4
  %42 = getelementptr inbounds i32, ptr %39, i64 %29
  %43 = load i32, ptr %42, align 4
  %44 = icmp ult i32 %41, %43
  br i1 %44, label %45, label %32

45:
  %46 = zext i32 %41 to i64
  br label %47

47:
  %48 = phi i64 [ %46, %45 ], [ %51, %50 ]
  %49 = phi i64 [ 0, %45 ], [ %81, %50 ]
  br label %57

50:
  %51 = add nuw nsw i64 %48, 1
  %52 = load ptr, ptr %27, align 8
  %53 = getelementptr inbounds i32, ptr %52, i64 %29
  %54 = load i32, ptr %53, align 4
  %55 = zext i32 %54 to i64
  %56 = icmp ult i64 %51, %55
  br i1 %56, label %47, label %32

57:
  %58 = phi i64 [ 0, %47 ], [ %82, %57 ]
  %59 = phi i64 [ %49, %47 ], [ %81, %57 ]
  %60 = load ptr, ptr %30, align 8
  %61 = load ptr, ptr %31, align 8
  %62 = getelementptr inbounds i32, ptr %61, i64 %48
  %63 = load i32, ptr %62, align 4
  %64 = zext i32 %63 to i64
  %65 = mul nuw nsw i64 %64, 5
  %66 = add nuw nsw i64 %58, 1
  %67 = add nuw nsw i64 %66, %65
  %68 = getelementptr inbounds i32, ptr %60, i64 %67
  %69 = load i32, ptr %68, align 4
  %70 = lshr i64 %58, 1
  %71 = and i64 %70, 2147483647
  %72 = getelementptr inbounds [2 x i32], ptr %4, i64 0, i64 %71
  %73 = load i32, ptr %72, align 4
  %74 = and i64 %58, 1
  %75 = getelementptr inbounds [2 x i32], ptr %4, i64 0, i64 %74
  %76 = load i32, ptr %75, align 4
  %77 = tail call fastcc i32 @product(ptr nonnull %0, i32 %73, i32 %69, i32 %18)
  %78 = tail call fastcc i32 @joined(ptr nonnull %0, i32 %76, i32 %77)
  store i32 %78, ptr %75, align 4
  %79 = icmp ne i32 %78, %76
  %80 = zext i1 %79 to i64
  %81 = or i64 %59, %80
  %82 = add nuw nsw i64 %58, 1
  %83 = icmp eq i64 %82, 4
  br i1 %83, label %50, label %57

84:
  %85 = load i32, ptr %4, align 4
  %86 = getelementptr inbounds [2 x i32], ptr %4, i64 0, i64 1
  %87 = load i32, ptr %86, align 4
  %88 = or i32 %87, %85
  %89 = icmp eq i32 %88, 0
  br i1 %89, label %157, label %90

90:
  %91 = zext i32 %85 to i64
  %92 = zext i32 %87 to i64
  %93 = mul i64 %91, -7046029254386353131
  %94 = mul i64 %92, -4417276706812531889
  %95 = xor i64 %94, %93
  %96 = lshr i64 %95, 29
  %97 = xor i64 %96, %95
  %98 = mul i64 %97, -4658895280553007687
  %99 = lshr i64 %98, 32
  %100 = xor i64 %99, %98
  %101 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 10
  %102 = load i64, ptr %101, align 8
  %103 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 2
  %104 = load ptr, ptr %103, align 8
  %105 = and i64 %102, %100
  %106 = getelementptr inbounds i32, ptr %104, i64 %105
  %107 = load i32, ptr %106, align 4
  %108 = icmp eq i32 %107, 0
  br i1 %108, label %130, label %109

109:
  %110 = load ptr, ptr %0, align 8
  br label %111

111:
  %112 = phi i32 [ %107, %109 ], [ %128, %124 ]
  %113 = phi i64 [ %105, %109 ], [ %126, %124 ]
  %114 = zext i32 %112 to i64
  %115 = shl nuw nsw i64 %114, 1
  %116 = getelementptr inbounds i32, ptr %110, i64 %115
  %117 = load i32, ptr %116, align 4
  %118 = icmp eq i32 %117, %85
  br i1 %118, label %119, label %124

119:
  %120 = or i64 %115, 1
  %121 = getelementptr inbounds i32, ptr %110, i64 %120
  %122 = load i32, ptr %121, align 4
  %123 = icmp eq i32 %122, %87
  br i1 %123, label %157, label %124

124:
  %125 = add i64 %113, 1
  %126 = and i64 %125, %102
  %127 = getelementptr inbounds i32, ptr %104, i64 %126
  %128 = load i32, ptr %127, align 4
  %129 = icmp eq i32 %128, 0
  br i1 %129, label %130, label %111

130:
  %131 = phi i64 [ %105, %90 ], [ %126, %124 ]
  %132 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 8
  %133 = load i64, ptr %132, align 8
  %134 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 9
  %135 = load i64, ptr %134, align 8
  %136 = sdiv i64 %135, -16
  %137 = add i64 %136, %135
  %138 = icmp slt i64 %133, %137
  br i1 %138, label %141, label %139

139:
  %140 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  store i64 1, ptr %140, align 8
  br label %141

141:
  %142 = icmp slt i64 %133, %135
  br i1 %142, label %143, label %157

143:
  %144 = add nsw i64 %133, 1
  store i64 %144, ptr %132, align 8
  %145 = trunc i64 %133 to i32
  %146 = load ptr, ptr %0, align 8
  %147 = and i64 %133, 4294967295
  %148 = shl nuw nsw i64 %147, 1
  %149 = getelementptr inbounds i32, ptr %146, i64 %148
  store i32 %85, ptr %149, align 4
  %150 = load ptr, ptr %0, align 8
  %151 = or i64 %148, 1
  %152 = getelementptr inbounds i32, ptr %150, i64 %151
  store i32 %87, ptr %152, align 4
  %153 = load ptr, ptr %7, align 8
  %154 = getelementptr inbounds i32, ptr %153, i64 %147
  store i32 0, ptr %154, align 4
  %155 = load ptr, ptr %103, align 8
  %156 = getelementptr inbounds i32, ptr %155, i64 %131
  store i32 %145, ptr %156, align 4
  br label %157

157:
  %158 = phi i32 [ 0, %84 ], [ %145, %143 ], [ %1, %141 ], [ %112, %119 ]
  %159 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  %160 = load i64, ptr %159, align 8
  %161 = icmp eq i64 %160, 0
  br i1 %161, label %162, label %168

162:
  %163 = load ptr, ptr %7, align 8
  %164 = zext i32 %158 to i64
  %165 = getelementptr inbounds i32, ptr %163, i64 %164
  store i32 %158, ptr %165, align 4
  %166 = load ptr, ptr %7, align 8
  %167 = getelementptr inbounds i32, ptr %166, i64 %9
  store i32 %158, ptr %167, align 4
  br label %168

168:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %169

169:
  %170 = phi i32 [ %158, %168 ], [ %1, %3 ], [ %11, %6 ]
  ret i32 %170
}

define void @add_state(ptr %0, ptr %1, i64 %2) {
  %4 = icmp sgt i64 %2, 0
  br i1 %4, label %5, label %17

5:
  %6 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 10
  %7 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 2
  %8 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 8
  %9 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 9
  %10 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  %11 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 10
  %12 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 2
  %13 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 8
  %14 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 9
  %15 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  %16 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 1
  br label %24

17:
  %18 = phi i32 [ 1, %3 ], [ %152, %151 ]
  %19 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 12
  %20 = load i64, ptr %19, align 8
  %21 = trunc i64 %20 to i32
  %22 = tail call fastcc i32 @joined(ptr %0, i32 %21, i32 %18)
  %23 = zext i32 %22 to i64
  store i64 %23, ptr %19, align 8
  ret void

24:
  %25 = phi i64 [ %2, %5 ], [ %27, %151 ]
  %26 = phi i32 [ 1, %5 ], [ %152, %151 ]
  %27 = add nsw i64 %25, -1
  %28 = getelementptr inbounds i8, ptr %1, i64 %27
  %29 = load i8, ptr %28, align 1
  %30 = icmp eq i8 %29, 0
  %31 = icmp eq i32 %26, 0
  br i1 %30, label %84, label %32

32:
  br i1 %31, label %151, label %33

33:
  %34 = zext i32 %26 to i64
  %35 = mul i64 %34, -4417276706812531889
  %36 = lshr i64 %35, 29
  %37 = xor i64 %36, %35
  %38 = mul i64 %37, -4658895280553007687
  %39 = lshr i64 %38, 32
  %40 = xor i64 %39, %38
  %41 = load i64, ptr %6, align 8
  %42 = load ptr, ptr %7, align 8
  %43 = and i64 %41, %40
  %44 = getelementptr inbounds i32, ptr %42, i64 %43
  %45 = load i32, ptr %44, align 4
  %46 = icmp eq i32 %45, 0
  br i1 %46, label %68, label %47

47:
  %48 = load ptr, ptr %0, align 8
  br label %49

49:
  %50 = phi i32 [ %45, %47 ], [ %66, %62 ]
  %51 = phi i64 [ %43, %47 ], [ %64, %62 ]
  %52 = zext i32 %50 to i64
  %53 = shl nuw nsw i64 %52, 1
  %54 = getelementptr inbounds i32, ptr %48, i64 %53
  %55 = load i32, ptr %54, align 4
  %56 = icmp eq i32 %55, 0
  br i1 %56, label %57, label %62

57:
  %58 = or i64 %53, 1
  %59 = getelementptr inbounds i32, ptr %48, i64 %58
  %60 = load i32, ptr %59, align 4
  %61 = icmp eq i32 %60, %26
  br i1 %61, label %151, label %62

62:
  %63 = add i64 %51, 1
  %64 = and i64 %63, %41
  %65 = getelementptr inbounds i32, ptr %42, i64 %64
  %66 = load i32, ptr %65, align 4
  %67 = icmp eq i32 %66, 0
  br i1 %67, label %68, label %49

68:
  %69 = phi i64 [ %43, %33 ], [ %64, %62 ]
  %70 = load i64, ptr %8, align 8
  %71 = load i64, ptr %9, align 8
  %72 = sdiv i64 %71, -16
  %73 = add i64 %72, %71
  %74 = icmp slt i64 %70, %73
  br i1 %74, label %76, label %75

75:
  store i64 1, ptr %10, align 8
  br label %76

76:
  %77 = icmp slt i64 %70, %71
  br i1 %77, label %78, label %151

78:
  %79 = add nsw i64 %70, 1
  store i64 %79, ptr %8, align 8
  %80 = load ptr, ptr %0, align 8
  %81 = and i64 %70, 4294967295
  %82 = shl nuw nsw i64 %81, 1
  %83 = getelementptr inbounds i32, ptr %80, i64 %82
  store i32 0, ptr %83, align 4
  br label %136

84:
  br i1 %31, label %151, label %85

85:
  %86 = zext i32 %26 to i64
  %87 = mul i64 %86, -7046029254386353131
  %88 = lshr i64 %87, 29
  %89 = xor i64 %88, %87
  %90 = mul i64 %89, -4658895280553007687
  %91 = lshr i64 %90, 32
  %92 = xor i64 %91, %90
  %93 = load i64, ptr %11, align 8
  %94 = load ptr, ptr %12, align 8
  %95 = and i64 %93, %92
  %96 = getelementptr inbounds i32, ptr %94, i64 %95
  %97 = load i32, ptr %96, align 4
  %98 = icmp eq i32 %97, 0
  br i1 %98, label %120, label %99

99:
  %100 = load ptr, ptr %0, align 8
  br label %101

101:
  %102 = phi i32 [ %97, %99 ], [ %118, %114 ]
  %103 = phi i64 [ %95, %99 ], [ %116, %114 ]
  %104 = zext i32 %102 to i64
  %105 = shl nuw nsw i64 %104, 1
  %106 = getelementptr inbounds i32, ptr %100, i64 %105
  %107 = load i32, ptr %106, align 4
  %108 = icmp eq i32 %107, %26
  br i1 %108, label %109, label %114

109:
  %110 = or i64 %105, 1
  %111 = getelementptr inbounds i32, ptr %100, i64 %110
  %112 = load i32, ptr %111, align 4
  %113 = icmp eq i32 %112, 0
  br i1 %113, label %151, label %114

114:
  %115 = add i64 %103, 1
  %116 = and i64 %115, %93
  %117 = getelementptr inbounds i32, ptr %94, i64 %116
  %118 = load i32, ptr %117, align 4
  %119 = icmp eq i32 %118, 0
  br i1 %119, label %120, label %101

120:
  %121 = phi i64 [ %95, %85 ], [ %116, %114 ]
  %122 = load i64, ptr %13, align 8
  %123 = load i64, ptr %14, align 8
  %124 = sdiv i64 %123, -16
  %125 = add i64 %124, %123
  %126 = icmp slt i64 %122, %125
  br i1 %126, label %128, label %127

127:
  store i64 1, ptr %15, align 8
  br label %128

128:
  %129 = icmp slt i64 %122, %123
  br i1 %129, label %130, label %151

130:
  %131 = add nsw i64 %122, 1
  store i64 %131, ptr %13, align 8
  %132 = load ptr, ptr %0, align 8
  %133 = and i64 %122, 4294967295
  %134 = shl nuw nsw i64 %133, 1
  %135 = getelementptr inbounds i32, ptr %132, i64 %134
  store i32 %26, ptr %135, align 4
  br label %136

136:
  %137 = phi i64 [ %134, %130 ], [ %82, %78 ]
  %138 = phi i32 [ 0, %130 ], [ %26, %78 ]
  %139 = phi i64 [ %133, %130 ], [ %81, %78 ]
  %140 = phi ptr [ %12, %130 ], [ %7, %78 ]
  %141 = phi i64 [ %121, %130 ], [ %69, %78 ]
  %142 = phi i64 [ %122, %130 ], [ %70, %78 ]
  %143 = trunc i64 %142 to i32
  %144 = load ptr, ptr %0, align 8
  %145 = or i64 %137, 1
  %146 = getelementptr inbounds i32, ptr %144, i64 %145
  store i32 %138, ptr %146, align 4
  %147 = load ptr, ptr %16, align 8
  %148 = getelementptr inbounds i32, ptr %147, i64 %139
  store i32 0, ptr %148, align 4
  %149 = load ptr, ptr %140, align 8
  %150 = getelementptr inbounds i32, ptr %149, i64 %141
  store i32 %143, ptr %150, align 4
  br label %151

151:
  %152 = phi i32 [ 0, %32 ], [ 0, %76 ], [ 0, %84 ], [ 0, %128 ], [ %143, %136 ], [ %102, %109 ], [ %50, %57 ]
  %153 = icmp sgt i64 %25, 1
  br i1 %153, label %24, label %17
}

declare void @llvm.lifetime.start.p0(i64, ptr)

declare void @llvm.lifetime.end.p0(i64, ptr)

define internal fastcc i32 @joined(ptr %0, i32 %1, i32 %2) unnamed_addr {
  %4 = icmp ne i32 %1, %2
  %5 = icmp ne i32 %2, 0
  %6 = and i1 %4, %5
  br i1 %6, label %7, label %137

7:
  %8 = icmp eq i32 %1, 0
  br i1 %8, label %137, label %9

9:
  %10 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  %11 = load i64, ptr %10, align 8
  %12 = icmp eq i64 %11, 0
  br i1 %12, label %13, label %137

13:
  %14 = tail call i32 @llvm.umin.i32(i32 %1, i32 %2)
  %15 = tail call i32 @llvm.umax.i32(i32 %1, i32 %2)
  %16 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 3
  %17 = load ptr, ptr %16, align 8
  %18 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 11
  %19 = load i64, ptr %18, align 8
  %20 = zext i32 %14 to i64
  %21 = zext i32 %15 to i64
  %22 = mul i64 %20, -7046029254386353131
  %23 = mul i64 %21, -4417276706812531889
  %24 = xor i64 %23, %22
  %25 = lshr i64 %24, 29
  %26 = xor i64 %25, %24
  %27 = mul i64 %26, -4658895280553007687
  %28 = lshr i64 %27, 32
  %29 = xor i64 %28, %27
  %30 = and i64 %19, %29
  %31 = shl i64 %30, 2
  %32 = getelementptr inbounds i32, ptr %17, i64 %31
  %33 = load i32, ptr %32, align 4
  %34 = icmp eq i32 %33, %14
  br i1 %34, label %35, label %42

35:
  %36 = getelementptr inbounds i32, ptr %32, i64 1
  %37 = load i32, ptr %36, align 4
  %38 = icmp eq i32 %37, %15
  br i1 %38, label %39, label %42

39:
  %40 = getelementptr inbounds i32, ptr %32, i64 2
  %41 = load i32, ptr %40, align 4
  br label %137

42:
  %43 = load ptr, ptr %0, align 8
  %44 = zext i32 %1 to i64
  %45 = shl nuw nsw i64 %44, 1
  %46 = getelementptr inbounds i32, ptr %43, i64 %45
  %47 = load i32, ptr %46, align 4
  %48 = zext i32 %2 to i64
  %49 = shl nuw nsw i64 %48, 1
  %50 = getelementptr inbounds i32, ptr %43, i64 %49
  %51 = load i32, ptr %50, align 4
  %52 = tail call fastcc i32 @joined(ptr nonnull %0, i32 %47, i32 %51)
  %53 = load ptr, ptr %0, align 8
  %54 = or i64 %45, 1
  %55 = getelementptr inbounds i32, ptr %53, i64 %54
  %56 = load i32, ptr %55, align 4
  %57 = or i64 %49, 1
  %58 = getelementptr inbounds i32, ptr %53, i64 %57
  %59 = load i32, ptr %58, align 4
  %60 = tail call fastcc i32 @joined(ptr nonnull %0, i32 %56, i32 %59)
  %61 = or i32 %60, %52
  %62 = icmp eq i32 %61, 0
  br i1 %62, label %130, label %63

63:
  %64 = zext i32 %52 to i64
  %65 = zext i32 %60 to i64
  %66 = mul i64 %64, -7046029254386353131
  %67 = mul i64 %65, -4417276706812531889
  %68 = xor i64 %67, %66
  %69 = lshr i64 %68, 29
  %70 = xor i64 %69, %68
  %71 = mul i64 %70, -4658895280553007687
  %72 = lshr i64 %71, 32
  %73 = xor i64 %72, %71
  %74 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 10
  %75 = load i64, ptr %74, align 8
  %76 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 2
  %77 = load ptr, ptr %76, align 8
  %78 = and i64 %75, %73
  %79 = getelementptr inbounds i32, ptr %77, i64 %78
  %80 = load i32, ptr %79, align 4
  %81 = icmp eq i32 %80, 0
  br i1 %81, label %103, label %82

82:
  %83 = load ptr, ptr %0, align 8
  br label %84

84:
  %85 = phi i32 [ %80, %82 ], [ %101, %97 ]
  %86 = phi i64 [ %78, %82 ], [ %99, %97 ]
  %87 = zext i32 %85 to i64
  %88 = shl nuw nsw i64 %87, 1
  %89 = getelementptr inbounds i32, ptr %83, i64 %88
  %90 = load i32, ptr %89, align 4
  %91 = icmp eq i32 %90, %52
  br i1 %91, label %92, label %97

92:
  %93 = or i64 %88, 1
  %94 = getelementptr inbounds i32, ptr %83, i64 %93
  %95 = load i32, ptr %94, align 4
  %96 = icmp eq i32 %95, %60
  br i1 %96, label %130, label %97

97:
  %98 = add i64 %86, 1
  %99 = and i64 %98, %75
  %100 = getelementptr inbounds i32, ptr %77, i64 %99
  %101 = load i32, ptr %100, align 4
  %102 = icmp eq i32 %101, 0
  br i1 %102, label %103, label %84

103:
  %104 = phi i64 [ %78, %63 ], [ %99, %97 ]
  %105 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 8
  %106 = load i64, ptr %105, align 8
  %107 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 9
  %108 = load i64, ptr %107, align 8
  %109 = sdiv i64 %108, -16
  %110 = add i64 %109, %108
  %111 = icmp slt i64 %106, %110
  br i1 %111, label %113, label %112

112:
  store i64 1, ptr %10, align 8
  br label %113

113:
  %114 = icmp slt i64 %106, %108
  br i1 %114, label %115, label %130

115:
  %116 = add nsw i64 %106, 1
  store i64 %116, ptr %105, align 8
  %117 = trunc i64 %106 to i32
  %118 = load ptr, ptr %0, align 8
  %119 = and i64 %106, 4294967295
  %120 = shl nuw nsw i64 %119, 1
  %121 = getelementptr inbounds i32, ptr %118, i64 %120
  store i32 %52, ptr %121, align 4
  %122 = load ptr, ptr %0, align 8
  %123 = or i64 %120, 1
  %124 = getelementptr inbounds i32, ptr %122, i64 %123
  store i32 %60, ptr %124, align 4
  %125 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 1
  %126 = load ptr, ptr %125, align 8
  %127 = getelementptr inbounds i32, ptr %126, i64 %119
  store i32 0, ptr %127, align 4
  %128 = load ptr, ptr %76, align 8
  %129 = getelementptr inbounds i32, ptr %128, i64 %104
  store i32 %117, ptr %129, align 4
  br label %130

130:
  %131 = phi i32 [ 0, %42 ], [ %117, %115 ], [ %1, %113 ], [ %85, %92 ]
  %132 = load i64, ptr %10, align 8
  %133 = icmp eq i64 %132, 0
  br i1 %133, label %134, label %137

134:
  store i32 %14, ptr %32, align 4
  %135 = getelementptr inbounds i32, ptr %32, i64 1
  store i32 %15, ptr %135, align 4
  %136 = getelementptr inbounds i32, ptr %32, i64 2
  store i32 %131, ptr %136, align 4
  br label %137

137:
  %138 = phi i32 [ %1, %3 ], [ %2, %7 ], [ %1, %9 ], [ %41, %39 ], [ %131, %134 ], [ %131, %130 ]
  ret i32 %138
}

define void @weigh(ptr %0, ptr %1) {
  store double 0.000000e+00, ptr %1, align 8
  %3 = getelementptr inbounds double, ptr %1, i64 1
  store double 1.000000e+00, ptr %3, align 8
  %4 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 12
  %5 = load i64, ptr %4, align 8
  %6 = icmp slt i64 %5, 2
  br i1 %6, label %7, label %8

7:
  ret void

8:
  %9 = phi i64 [ %25, %8 ], [ 2, %2 ]
  %10 = load ptr, ptr %0, align 8
  %11 = shl nuw nsw i64 %9, 1
  %12 = getelementptr inbounds i32, ptr %10, i64 %11
  %13 = load i32, ptr %12, align 4
  %14 = zext i32 %13 to i64
  %15 = getelementptr inbounds double, ptr %1, i64 %14
  %16 = load double, ptr %15, align 8
  %17 = or i64 %11, 1
  %18 = getelementptr inbounds i32, ptr %10, i64 %17
  %19 = load i32, ptr %18, align 4
  %20 = zext i32 %19 to i64
  %21 = getelementptr inbounds double, ptr %1, i64 %20
  %22 = load double, ptr %21, align 8
  %23 = fadd double %16, %22
  %24 = getelementptr inbounds double, ptr %1, i64 %9
  store double %23, ptr %24, align 8
  %25 = add nuw nsw i64 %9, 1
  %26 = load i64, ptr %4, align 8
  %27 = icmp slt i64 %9, %26
  br i1 %27, label %8, label %7
}

define void @move(ptr %0, ptr %1, ptr %2, i64 %3) {
  %5 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 8
  %6 = load i64, ptr %5, align 8
  %7 = icmp sgt i64 %6, 2
  br i1 %7, label %8, label %11

8:
  %9 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 10
  %10 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 2
  br label %18

11:
  %12 = shl nsw i64 %3, 2
  %13 = getelementptr inbounds i32, ptr %1, i64 %12
  %14 = icmp sgt i64 %3, 0
  br i1 %14, label %15, label %52

15:
  %16 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 3
  %17 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 11
  br label %58

18:
  %19 = phi i64 [ 2, %8 ], [ %49, %46 ]
  %20 = load ptr, ptr %0, align 8
  %21 = shl nuw nsw i64 %19, 1
  %22 = getelementptr inbounds i32, ptr %20, i64 %21
  %23 = load i32, ptr %22, align 4
  %24 = zext i32 %23 to i64
  %25 = or i64 %21, 1
  %26 = getelementptr inbounds i32, ptr %20, i64 %25
  %27 = load i32, ptr %26, align 4
  %28 = zext i32 %27 to i64
  %29 = mul i64 %24, -7046029254386353131
  %30 = mul i64 %28, -4417276706812531889
  %31 = xor i64 %30, %29
  %32 = lshr i64 %31, 29
  %33 = xor i64 %32, %31
  %34 = mul i64 %33, -4658895280553007687
  %35 = lshr i64 %34, 32
  %36 = xor i64 %35, %34
  %37 = load i64, ptr %9, align 8
  %38 = load ptr, ptr %10, align 8
  br label %39

39:
  %40 = phi i64 [ %36, %18 ], [ %45, %39 ]
  %41 = and i64 %40, %37
  %42 = getelementptr inbounds i32, ptr %38, i64 %41
  %43 = load i32, ptr %42, align 4
  %44 = icmp eq i32 %43, 0
  %45 = add i64 %41, 1
  br i1 %44, label %46, label %39

46:
  %47 = getelementptr inbounds i32, ptr %38, i64 %41
  %48 = trunc i64 %19 to i32
  store i32 %48, ptr %47, align 4
  %49 = add nuw nsw i64 %19, 1
  %50 = load i64, ptr %5, align 8
  %51 = icmp slt i64 %49, %50
  br i1 %51, label %18, label %11

52:
  %53 = getelementptr inbounds i32, ptr %2, i64 %12
  %54 = icmp sgt i64 %3, 0
  br i1 %54, label %55, label %87

55:
  %56 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 4
  %57 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 11
  br label %88

58:
  %59 = phi ptr [ %1, %15 ], [ %85, %84 ]
  %60 = load i32, ptr %59, align 4
  %61 = icmp eq i32 %60, 0
  br i1 %61, label %84, label %62

62:
  %63 = load ptr, ptr %16, align 8
  %64 = load i64, ptr %17, align 8
  %65 = getelementptr inbounds i32, ptr %59, i64 1
  %66 = load i32, ptr %65, align 4
  %67 = zext i32 %60 to i64
  %68 = zext i32 %66 to i64
  %69 = mul i64 %67, -7046029254386353131
  %70 = mul i64 %68, -4417276706812531889
  %71 = xor i64 %70, %69
  %72 = lshr i64 %71, 29
  %73 = xor i64 %72, %71
  %74 = mul i64 %73, -4658895280553007687
  %75 = lshr i64 %74, 32
  %76 = xor i64 %75, %74
  %77 = and i64 %76, %64
  %78 = shl i64 %77, 2
  %79 = getelementptr inbounds i32, ptr %63, i64 %78
  %80 = getelementptr inbounds i32, ptr %59, i64 2
  %81 = load i32, ptr %80, align 4
  store i32 %60, ptr %79, align 4
  %82 = getelementptr inbounds i32, ptr %79, i64 1
  store i32 %66, ptr %82, align 4
  %83 = getelementptr inbounds i32, ptr %79, i64 2
  store i32 %81, ptr %83, align 4
  br label %84

84:
  %85 = getelementptr inbounds i32, ptr %59, i64 4
  %86 = icmp ult ptr %85, %13
  br i1 %86, label %58, label %52

87:
  ret void

88:
  %89 = phi ptr [ %2, %55 ], [ %115, %114 ]
  %90 = load i32, ptr %89, align 4
  %91 = icmp eq i32 %90, 0
  br i1 %91, label %114, label %92

92:
  %93 = load ptr, ptr %56, align 8
  %94 = load i64, ptr %57, align 8
  %95 = getelementptr inbounds i32, ptr %89, i64 1
  %96 = load i32, ptr %95, align 4
  %97 = zext i32 %90 to i64
  %98 = zext i32 %96 to i64
  %99 = mul i64 %97, -7046029254386353131
  %100 = mul i64 %98, -4417276706812531889
  %101 = xor i64 %100, %99
  %102 = lshr i64 %101, 29
  %103 = xor i64 %102, %101
  %104 = mul i64 %103, -4658895280553007687
  %105 = lshr i64 %104, 32
  %106 = xor i64 %105, %104
  %107 = and i64 %106, %94
  %108 = shl i64 %107, 2
  %109 = getelementptr inbounds i32, ptr %93, i64 %108
  %110 = getelementptr inbounds i32, ptr %89, i64 2
  %111 = load i32, ptr %110, align 4
  store i32 %90, ptr %109, align 4
  %112 = getelementptr inbounds i32, ptr %109, i64 1
  store i32 %96, ptr %112, align 4
  %113 = getelementptr inbounds i32, ptr %109, i64 2
  store i32 %111, ptr %113, align 4
  br label %114

114:
  %115 = getelementptr inbounds i32, ptr %89, i64 4
  %116 = icmp ult ptr %115, %53
  br i1 %116, label %88, label %87
}

define internal fastcc i32 @product(ptr %0, i32 %1, i32 %2, i32 %3) unnamed_addr {
  %5 = icmp ne i32 %1, 0
  %6 = icmp ne i32 %2, 0
  %7 = and i1 %5, %6
  br i1 %7, label %8, label %165

8:
  %9 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 13
  %10 = load i64, ptr %9, align 8
  %11 = icmp eq i64 %10, 0
  br i1 %11, label %12, label %165

12:
  %13 = icmp eq i32 %1, 1
  %14 = icmp eq i32 %2, 1
  %15 = or i1 %13, %14
  br i1 %15, label %165, label %16

16:
  %17 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 4
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
  br i1 %35, label %36, label %43

36:
  %37 = getelementptr inbounds i32, ptr %33, i64 1
  %38 = load i32, ptr %37, align 4
  %39 = icmp eq i32 %38, %2
  br i1 %39, label %40, label %43

40:
  %41 = getelementptr inbounds i32, ptr %33, i64 2
  %42 = load i32, ptr %41, align 4
  br label %165

43:
  %44 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 14
  %45 = load volatile i64, ptr %44, align 8
  %46 = icmp eq i64 %45, 0
  br i1 %46, label %48, label %47

47:
  store i64 2, ptr %9, align 8
  br label %48

48:
  %49 = load ptr, ptr %0, align 8
  %50 = shl nuw nsw i64 %21, 1
  %51 = getelementptr inbounds i32, ptr %49, i64 %50
  %52 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 5
  %53 = load ptr, ptr %52, align 8
  %54 = mul nuw nsw i64 %22, 5
  %55 = getelementptr inbounds i32, ptr %53, i64 %54
  %56 = load i32, ptr %55, align 4
  %57 = icmp ugt i32 %56, %3
  %58 = load i32, ptr %51, align 4
  br i1 %57, label %59, label %65

59:
  %60 = add i32 %3, 1
  %61 = tail call fastcc i32 @product(ptr nonnull %0, i32 %58, i32 %2, i32 %60)
  %62 = getelementptr inbounds i32, ptr %51, i64 1
  %63 = load i32, ptr %62, align 4
  %64 = tail call fastcc i32 @product(ptr nonnull %0, i32 %63, i32 %2, i32 %60)
  br label %85

65:
  %66 = getelementptr inbounds i32, ptr %55, i64 1
  %67 = load i32, ptr %66, align 4
  %68 = add i32 %3, 1
  %69 = tail call fastcc i32 @product(ptr nonnull %0, i32 %58, i32 %67, i32 %68)
  %70 = getelementptr inbounds i32, ptr %51, i64 1
  %71 = load i32, ptr %70, align 4
  %72 = getelementptr inbounds i32, ptr %55, i64 3
  %73 = load i32, ptr %72, align 4
  %74 = tail call fastcc i32 @product(ptr nonnull %0, i32 %71, i32 %73, i32 %68)
  %75 = tail call fastcc i32 @joined(ptr nonnull %0, i32 %69, i32 %74)
  %76 = load i32, ptr %51, align 4
  %77 = getelementptr inbounds i32, ptr %55, i64 2
  %78 = load i32, ptr %77, align 4
  %79 = tail call fastcc i32 @product(ptr nonnull %0, i32 %76, i32 %78, i32 %68)
  %80 = load i32, ptr %70, align 4
  %81 = getelementptr inbounds i32, ptr %55, i64 4
  %82 = load i32, ptr %81, align 4
  %83 = tail call fastcc i32 @product(ptr nonnull %0, i32 %80, i32 %82, i32 %68)
  %84 = tail call fastcc i32 @joined(ptr nonnull %0, i32 %79, i32 %83)
  br label %85

85:
  %86 = phi i32 [ %61, %59 ], [ %75, %65 ]
  %87 = phi i32 [ %64, %59 ], [ %84, %65 ]
  %88 = or i32 %87, %86
  %89 = icmp eq i32 %88, 0
  br i1 %89, label %157, label %90

90:
  %91 = zext i32 %86 to i64
  %92 = zext i32 %87 to i64
  %93 = mul i64 %91, -7046029254386353131
  %94 = mul i64 %92, -4417276706812531889
  %95 = xor i64 %94, %93
  %96 = lshr i64 %95, 29
  %97 = xor i64 %96, %95
  %98 = mul i64 %97, -4658895280553007687
  %99 = lshr i64 %98, 32
  %100 = xor i64 %99, %98
  %101 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 10
  %102 = load i64, ptr %101, align 8
  %103 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 2
  %104 = load ptr, ptr %103, align 8
  %105 = and i64 %102, %100
  %106 = getelementptr inbounds i32, ptr %104, i64 %105
  %107 = load i32, ptr %106, align 4
  %108 = icmp eq i32 %107, 0
  br i1 %108, label %130, label %109

109:
  %110 = load ptr, ptr %0, align 8
  br label %111

111:
  %112 = phi i32 [ %107, %109 ], [ %128, %124 ]
  %113 = phi i64 [ %105, %109 ], [ %126, %124 ]
  %114 = zext i32 %112 to i64
  %115 = shl nuw nsw i64 %114, 1
  %116 = getelementptr inbounds i32, ptr %110, i64 %115
  %117 = load i32, ptr %116, align 4
  %118 = icmp eq i32 %117, %86
  br i1 %118, label %119, label %124

119:
  %120 = or i64 %115, 1
  %121 = getelementptr inbounds i32, ptr %110, i64 %120
  %122 = load i32, ptr %121, align 4
  %123 = icmp eq i32 %122, %87
  br i1 %123, label %157, label %124

124:
  %125 = add i64 %113, 1
  %126 = and i64 %125, %102
  %127 = getelementptr inbounds i32, ptr %104, i64 %126
  %128 = load i32, ptr %127, align 4
  %129 = icmp eq i32 %128, 0
  br i1 %129, label %130, label %111

130:
  %131 = phi i64 [ %105, %90 ], [ %126, %124 ]
  %132 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 8
  %133 = load i64, ptr %132, align 8
  %134 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 9
  %135 = load i64, ptr %134, align 8
  %136 = sdiv i64 %135, -16
  %137 = add i64 %136, %135
  %138 = icmp slt i64 %133, %137
  br i1 %138, label %140, label %139

139:
  store i64 1, ptr %9, align 8
  br label %140

140:
  %141 = icmp slt i64 %133, %135
  br i1 %141, label %142, label %157

142:
  %143 = add nsw i64 %133, 1
  store i64 %143, ptr %132, align 8
  %144 = trunc i64 %133 to i32
  %145 = load ptr, ptr %0, align 8
  %146 = and i64 %133, 4294967295
  %147 = shl nuw nsw i64 %146, 1
  %148 = getelementptr inbounds i32, ptr %145, i64 %147
  store i32 %86, ptr %148, align 4
  %149 = load ptr, ptr %0, align 8
  %150 = or i64 %147, 1
  %151 = getelementptr inbounds i32, ptr %149, i64 %150
  store i32 %87, ptr %151, align 4
  %152 = getelementptr inbounds %struct.diagram, ptr %0, i64 0, i32 1
  %153 = load ptr, ptr %152, align 8
  %154 = getelementptr inbounds i32, ptr %153, i64 %146
  store i32 0, ptr %154, align 4
  %155 = load ptr, ptr %103, align 8
  %156 = getelementptr inbounds i32, ptr %155, i64 %131
  store i32 %144, ptr %156, align 4
  br label %157

157:
  %158 = phi i32 [ 0, %85 ], [ %144, %142 ], [ 0, %140 ], [ %112, %119 ]
  %159 = tail call fastcc i32 @closure(ptr nonnull %0, i32 %158, i32 %3)
  %160 = load i64, ptr %9, align 8
  %161 = icmp eq i64 %160, 0
  br i1 %161, label %162, label %165

162:
  store i32 %1, ptr %33, align 4
  %163 = getelementptr inbounds i32, ptr %33, i64 1
  store i32 %2, ptr %163, align 4
  %164 = getelementptr inbounds i32, ptr %33, i64 2
  store i32 %159, ptr %164, align 4
  br label %165

165:
  %166 = phi i32 [ 0, %8 ], [ 0, %4 ], [ %1, %12 ], [ %42, %40 ], [ %159, %162 ], [ %159, %157 ]
  ret i32 %166
}

declare i32 @llvm.umin.i32(i32, i32)

declare i32 @llvm.umax.i32(i32, i32)

