func.func @passes() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  check.expect_eq_const %0, dense<[2.0, 4.0]> : tensor<2xf32>
  check.expect_almost_eq_const %0, dense<[2.00001, 4.0]> : tensor<2xf32>
  check.expect_close %0, %0, max_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>
  return
}
func.func @fails() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %a, dense<[1, 3]> : tensor<2xi32>
  return
}
func.func @takes_arguments(%a: tensor<i32>) {
  return
}
