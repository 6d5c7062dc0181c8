func.func @main(%n: tensor<i64>, %a: tensor<?x2xf32>) -> tensor<?x3x2xf32> {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
  %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  %4 = stablehlo.dynamic_broadcast_in_dim %a, %3, dims = [0, 2] : (tensor<?x2xf32>, tensor<3xi32>) -> tensor<?x3x2xf32>
  return %4 : tensor<?x3x2xf32>
}
