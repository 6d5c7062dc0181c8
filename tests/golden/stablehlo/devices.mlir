// RUN: hilo convert %s --no-metadata
module @jit_step attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<4xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 1 : i32}) -> (tensor<4x8xf32> {jax.result_info = "out"}, tensor<4xf32>) {
    %0 = sdy.sharding_constraint %a <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%c: tensor<2x8xf32>) {
      %d = stablehlo.negate %c : tensor<2x8xf32>
      sdy.return %d : tensor<2x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.custom_call @scale(%b) {backend_config = {factor = 2.0 : f32}, api_version = 4 : i32, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
    return %2, %3 : tensor<4x8xf32>, tensor<4xf32>
  }
}
// ----- expected
HloModule jit_step, input_output_alias={ {1}: (1, {}, may-alias) }, entry_computation_layout={(f32[4,8]{1,0}, f32[4]{0})->(f32[4,8]{1,0}, f32[4]{0})}, num_partitions=2, frontend_attributes={jax.result_info="out;",xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}

%reducer (parameter.6: f32[], parameter.7: f32[]) -> f32[] {
  %parameter.6 = f32[] parameter(0)
  %parameter.7 = f32[] parameter(1)
  ROOT %add.8 = f32[] add(%parameter.6, %parameter.7)
}

%xla.sdy.manual_computation_body (parameter.11: f32[2,8]) -> f32[2,8] {
  %parameter.11 = f32[2,8]{1,0} parameter(0)
  ROOT %negate.12 = f32[2,8]{1,0} negate(%parameter.11)
}

ENTRY %main (a: f32[4,8], b: f32[4]) -> (f32[4,8], f32[4]) {
  %a = f32[4,8]{1,0} parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}, {}]>"}
  %b = f32[4]{0} parameter(1), sharding={replicated}
  %custom-call.4 = f32[4,8]{1,0} custom-call(%a), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {\"x\"}]>]>"}
  %all-reduce.9 = f32[4,8]{1,0} all-reduce(%custom-call.4), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%reducer
  %custom-call.13 = f32[2,8]{1,0} custom-call(%all-reduce.9), custom_call_target="xla.sdy.GlobalToLocalShape", frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>"}
  %call.14 = f32[2,8]{1,0} call(%custom-call.13), to_apply=%xla.sdy.manual_computation_body
  %custom-call.15 = f32[4,8]{1,0} custom-call(%call.14), custom_call_target="xla.sdy.LocalToGlobalShape", frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>"}
  %custom-call.16 = f32[4]{0} custom-call(%b), custom_call_target="scale", operand_layout_constraints={f32[4]{0}}, api_version=API_VERSION_TYPED_FFI, backend_config={factor = 2.000000e+00 : f32}
  ROOT %tuple.17 = (f32[4,8]{1,0}, f32[4]{0}) tuple(%custom-call.15, %custom-call.16)
}

