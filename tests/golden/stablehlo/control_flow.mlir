// RUN: hilo convert %s --no-metadata
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
// ----- expected
HloModule main, entry_computation_layout={(pred[], f32[], s32[])->(f32[], s32[])}

%twice (x.1: f32[]) -> f32[] {
  %x.1 = f32[] parameter(0)
  ROOT %add.11 = f32[] add(%x.1, %x.1)
}

%if_branch (parameter.7: (f32[])) -> f32[] {
  %parameter.7 = (f32[]) parameter(0)
  %get-tuple-element.8 = f32[] get-tuple-element(%parameter.7), index=0
  ROOT %call.12 = f32[] call(%get-tuple-element.8), to_apply=%twice
}

%if_branch.1 (parameter.14: (f32[])) -> f32[] {
  %parameter.14 = (f32[]) parameter(0)
  %get-tuple-element.15 = f32[] get-tuple-element(%parameter.14), index=0
  ROOT %negate.16 = f32[] negate(%get-tuple-element.15)
}

%condition (parameter.21: (s32[], s32[])) -> pred[] {
  %parameter.21 = (s32[], s32[]) parameter(0)
  %get-tuple-element.22 = s32[] get-tuple-element(%parameter.21), index=0
  %get-tuple-element.23 = s32[] get-tuple-element(%parameter.21), index=1
  ROOT %compare.24 = pred[] compare(%get-tuple-element.22, %get-tuple-element.23), direction=LT
}

%body (parameter.26: (s32[], s32[])) -> (s32[], s32[]) {
  %parameter.26 = (s32[], s32[]) parameter(0)
  %get-tuple-element.27 = s32[] get-tuple-element(%parameter.26), index=0
  %get-tuple-element.28 = s32[] get-tuple-element(%parameter.26), index=1
  %constant.29 = s32[] constant(1)
  %add.30 = s32[] add(%get-tuple-element.27, %constant.29)
  ROOT %tuple.31 = (s32[], s32[]) tuple(%add.30, %get-tuple-element.28)
}

ENTRY %main (p: pred[], x: f32[], n: s32[]) -> (f32[], s32[]) {
  %p = pred[] parameter(0)
  %x = f32[] parameter(1)
  %n = s32[] parameter(2)
  %tuple.5 = (f32[]) tuple(%x)
  %conditional.17 = f32[] conditional(%p, %tuple.5, %tuple.5), true_computation=%if_branch, false_computation=%if_branch.1
  %constant.18 = s32[] constant(0)
  %constant.19 = s32[] constant(1)
  %tuple.32 = (s32[], s32[]) tuple(%constant.18, %n)
  %while.33 = (s32[], s32[]) while(%tuple.32), condition=%condition, body=%body
  %get-tuple-element.34 = s32[] get-tuple-element(%while.33), index=0
  ROOT %tuple.35 = (f32[], s32[]) tuple(%conditional.17, %get-tuple-element.34)
}

