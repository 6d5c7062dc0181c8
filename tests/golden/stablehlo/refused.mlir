// RUN: hilo convert %s
// EXIT: 1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- expected
refused.mlir:4:26: mlir-syntax: use of undeclared SSA value name
