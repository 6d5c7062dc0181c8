// RUN: hilo convert %s --no-metadata
func.func @main(%a: tensor<2x3xf32>, %i: tensor<i32>) -> (tensor<2x2xf32>, tensor<7xf32>, tensor<4x3x2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.slice %0 [1:3, 0:2] : (tensor<3x2xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 3] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
  %3 = stablehlo.reshape %2 : (tensor<1x3xf32>) -> tensor<3xf32>
  %4 = stablehlo.pad %3, %zero, low = [1], high = [1], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
  %5 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<3x2xf32>) -> tensor<4x3x2xf32>
  return %1, %4, %5 : tensor<2x2xf32>, tensor<7xf32>, tensor<4x3x2xf32>
}
// ----- expected
HloModule main, entry_computation_layout={(f32[2,3]{1,0}, s32[])->(f32[2,2]{1,0}, f32[7]{0}, f32[4,3,2]{2,1,0})}

ENTRY %main (a: f32[2,3], i: s32[]) -> (f32[2,2], f32[7], f32[4,3,2]) {
  %a = f32[2,3]{1,0} parameter(0)
  %i = s32[] parameter(1)
  %constant.4 = f32[] constant(0)
  %transpose.5 = f32[3,2]{1,0} transpose(%a), dimensions={1,0}
  %slice.6 = f32[2,2]{1,0} slice(%transpose.5), slice={[1:3], [0:2]}
  %dynamic-slice.7 = f32[1,3]{1,0} dynamic-slice(%a, %i, %i), dynamic_slice_sizes={1,3}
  %reshape.8 = f32[3]{0} reshape(%dynamic-slice.7)
  %pad.9 = f32[7]{0} pad(%reshape.8, %constant.4), padding=1_1_1
  %broadcast.10 = f32[4,3,2]{2,1,0} broadcast(%transpose.5), dimensions={1,2}
  ROOT %tuple.11 = (f32[2,2]{1,0}, f32[7]{0}, f32[4,3,2]{2,1,0}) tuple(%slice.6, %pad.9, %broadcast.10)
}

