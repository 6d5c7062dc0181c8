#a0 = [1, 2]
#a1 = [#a0, #a0]
!t0 = tuple<tensor<f32>, tensor<2xi64>>
#map = affine_map<(d0, d1) -> (d0 + d1 * 2 - 1, d1 mod 3)>
#loc1 = loc("f.py":3:4)
#loc2 = loc(callsite("g"(#loc1) at fused["h", #loc1]))
func.func @main(%a: !t0) -> tensor<f32> {
  %0 = stablehlo.get_tuple_element %a[0] {mhlo.frontend_attributes = {x = #a1}} : (!t0) -> tensor<f32> loc(#loc2)
  return %0 : tensor<f32>
}
