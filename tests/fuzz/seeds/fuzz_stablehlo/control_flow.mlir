func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func @main(%p: tensor<i1>, %x: tensor<f32>, %n: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %0 = "stablehlo.if"(%p) ({
    %a = func.call @twice(%x) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %a : tensor<f32>
  }, {
    %b = stablehlo.negate %x : tensor<f32>
    stablehlo.return %b : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %1 = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %d = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %d : tensor<i32>
  }
  return %0, %1 : tensor<f32>, tensor<i32>
}
