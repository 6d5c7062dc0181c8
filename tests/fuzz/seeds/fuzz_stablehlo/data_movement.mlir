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
