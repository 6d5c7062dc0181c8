// RUN: hilo convert %s --no-metadata
func.func @main(%a: tensor<4x6xf32>, %k: tensor<4x6xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<2x3xf32>, tensor<4x6xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %1:2 = stablehlo.reduce(%a init: %zero), (%k init: %first) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %g = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %g, %x, %y : tensor<i1>, tensor<f32>
    %w = stablehlo.select %g, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  %2 = "stablehlo.reduce_window"(%a, %zero) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x3xf32>
  %3 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %l = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1#0, %1#1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<2x3xf32>, tensor<4x6xf32>
}
// ----- expected
HloModule main, entry_computation_layout={(f32[4,6]{1,0}, s32[4,6]{1,0})->(f32[4]{0}, f32[4]{0}, s32[4]{0}, f32[2,3]{1,0}, f32[4,6]{1,0})}

%reducer (parameter.7: f32[], parameter.8: f32[]) -> f32[] {
  %parameter.7 = f32[] parameter(0)
  %parameter.8 = f32[] parameter(1)
  ROOT %add.9 = f32[] add(%parameter.7, %parameter.8)
}

%reducer.1 (parameter.12: f32[], parameter.13: s32[], parameter.14: f32[], parameter.15: s32[]) -> (f32[], s32[]) {
  %parameter.12 = f32[] parameter(0)
  %parameter.13 = s32[] parameter(1)
  %parameter.14 = f32[] parameter(2)
  %parameter.15 = s32[] parameter(3)
  %compare.16 = pred[] compare(%parameter.12, %parameter.14), direction=GT
  %select.17 = f32[] select(%compare.16, %parameter.12, %parameter.14)
  %select.18 = s32[] select(%compare.16, %parameter.13, %parameter.15)
  ROOT %tuple.19 = (f32[], s32[]) tuple(%select.17, %select.18)
}

%window_reducer (parameter.24: f32[], parameter.25: f32[]) -> f32[] {
  %parameter.24 = f32[] parameter(0)
  %parameter.25 = f32[] parameter(1)
  ROOT %maximum.26 = f32[] maximum(%parameter.24, %parameter.25)
}

%comparator (parameter.29: f32[], parameter.30: f32[]) -> pred[] {
  %parameter.29 = f32[] parameter(0)
  %parameter.30 = f32[] parameter(1)
  ROOT %compare.31 = pred[] compare(%parameter.29, %parameter.30), direction=LT, type=TOTALORDER
}

ENTRY %main (a: f32[4,6], k: s32[4,6]) -> (f32[4], f32[4], s32[4], f32[2,3], f32[4,6]) {
  %a = f32[4,6]{1,0} parameter(0)
  %k = s32[4,6]{1,0} parameter(1)
  %constant.4 = f32[] constant(0)
  %constant.5 = s32[] constant(0)
  %reduce.10 = f32[4]{0} reduce(%a, %constant.4), dimensions={1}, to_apply=%reducer
  %reduce.20 = (f32[4]{0}, s32[4]{0}) reduce(%a, %k, %constant.4, %constant.5), dimensions={1}, to_apply=%reducer.1
  %get-tuple-element.21 = f32[4]{0} get-tuple-element(%reduce.20), index=0
  %get-tuple-element.22 = s32[4]{0} get-tuple-element(%reduce.20), index=1
  %reduce-window.27 = f32[2,3]{1,0} reduce-window(%a, %constant.4), window={size=2x2 stride=2x2}, to_apply=%window_reducer
  %sort.32 = f32[4,6]{1,0} sort(%a), dimensions={1}, is_stable=true, to_apply=%comparator
  ROOT %tuple.33 = (f32[4]{0}, f32[4]{0}, s32[4]{0}, f32[2,3]{1,0}, f32[4,6]{1,0}) tuple(%reduce.10, %get-tuple-element.21, %get-tuple-element.22, %reduce-window.27, %sort.32)
}

