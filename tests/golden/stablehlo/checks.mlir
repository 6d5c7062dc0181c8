// RUN: hilo check %s
// EXIT: 1
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
// ----- expected
pass        checks.mlir:3 passes
fail        checks.mlir:11 fails: line 13: expect_eq: not equal at [1]: 2, expected 3
unsupported checks.mlir:16 takes_arguments: it takes 1 arguments, and holds none
1 pass, 1 fail, 1 unsupported, 0 unreadable
