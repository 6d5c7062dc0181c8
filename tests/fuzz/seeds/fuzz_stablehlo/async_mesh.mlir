sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<4xf32>) -> tensor<16xf32> {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<4xf32>):
    %1 = "stablehlo.all_gather"(%b) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>, #stablehlo.axis_ref<name = "x">]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<4xf32>) -> tensor<16xf32>
    stablehlo.return %1 : tensor<16xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<16xf32>>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<16xf32>>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}
