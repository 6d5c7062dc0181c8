#include "core/compiler/passes/all_passes.h"

#include "core/compiler/codegen/cpu/choices/cpu_scheduler.h"
#include "core/compiler/codegen/cpu/choices/fuse_dot_chains.h"
#include "core/compiler/codegen/cpu/choices/library_dots.h"
#include "core/compiler/passes/canonicalize/barrier_expander.h"
#include "core/compiler/passes/canonicalize/comparison_expander.h"
#include "core/compiler/passes/canonicalize/dynamic_padder.h"
#include "core/compiler/passes/canonicalize/expand_dot_algorithms.h"
#include "core/compiler/passes/canonicalize/expand_library_calls.h"
#include "core/compiler/passes/canonicalize/float_normalization.h"
#include "core/compiler/passes/canonicalize/logistic_expander.h"
#include "core/compiler/passes/canonicalize/stable_sort_expander.h"
#include "core/compiler/passes/canonicalize/topk_decomposer.h"
#include "core/compiler/passes/collectives/async_collective_creator.h"
#include "core/compiler/passes/collectives/collective_combiner.h"
#include "core/compiler/passes/collectives/mark_sync_collectives.h"
#include "core/compiler/passes/collectives/pipeliner/collective_pipeliner.h"
#include "core/compiler/passes/collectives/sync_collectives.h"
#include "core/compiler/passes/cpu_passes.h"
#include "core/compiler/passes/dots/convolution_to_dot.h"
#include "core/compiler/passes/dots/dot_decomposer.h"
#include "core/compiler/passes/dots/dot_dimension_merger.h"
#include "core/compiler/passes/dots/dot_dimension_normalizer.h"
#include "core/compiler/passes/dots/dot_dimension_sorter.h"
#include "core/compiler/passes/dots/dot_merger.h"
#include "core/compiler/passes/dots/dot_normalizer.h"
#include "core/compiler/passes/dots/dot_strength_reduction.h"
#include "core/compiler/passes/dots/gemm_rewriter.h"
#include "core/compiler/passes/dots/gemv_rewriter.h"
#include "core/compiler/passes/dots/operand_upcaster.h"
#include "core/compiler/passes/dots/pad_for_gemms.h"
#include "core/compiler/passes/dots/split_k.h"
#include "core/compiler/passes/dots/transpose_folding.h"
#include "core/compiler/passes/dots/triangular_solve_rewriter.h"
#include "core/compiler/passes/fusion/argminmax_splitter.h"
#include "core/compiler/passes/fusion/dot_fusion.h"
#include "core/compiler/passes/fusion/fusion_wrapper.h"
#include "core/compiler/passes/fusion/multi_output_fusion.h"
#include "core/compiler/passes/fusion/partial_sort_fusion.h"
#include "core/compiler/passes/fusion/priority_fusion.h"
#include "core/compiler/passes/fusion/rename_fusions.h"
#include "core/compiler/passes/layout/broadcast_canonicalizer.h"
#include "core/compiler/passes/layout/default_layouts.h"
#include "core/compiler/passes/layout/layout_normalization.h"
#include "core/compiler/passes/layout/move_copy_to_users.h"
#include "core/compiler/passes/layout/reshape_decomposer.h"
#include "core/compiler/passes/layout/sub_byte_sizes.h"
#include "core/compiler/passes/loops/all_reduce_code_motion.h"
#include "core/compiler/passes/loops/loop_unroller.h"
#include "core/compiler/passes/loops/trip_count_annotator.h"
#include "core/compiler/passes/memory/copy_insertion.h"
#include "core/compiler/passes/memory/donated_parameters.h"
#include "core/compiler/passes/memory/flatten_call_graph.h"
#include "core/compiler/passes/names/call_metadata.h"
#include "core/compiler/passes/names/rename_instructions.h"
#include "core/compiler/passes/names/sanitize_constant_names.h"
#include "core/compiler/passes/reductions/degenerate_dim_remover.h"
#include "core/compiler/passes/reductions/dimension_grouper.h"
#include "core/compiler/passes/reductions/dimension_splitter.h"
#include "core/compiler/passes/reductions/layout_normalizer.h"
#include "core/compiler/passes/reductions/reduce_decomposer.h"
#include "core/compiler/passes/reductions/tree_reduction_rewriter.h"
#include "core/compiler/passes/schedule/latency_hiding_pass.h"
#include "core/compiler/passes/schedule/legalize_scheduling_annotations.h"
#include "core/compiler/passes/schedule/memory_scheduler_pass.h"
#include "core/compiler/passes/schedule/rematerialization_pass.h"
#include "core/compiler/passes/schedule/schedule_aware_combiner.h"
#include "core/compiler/passes/schedule/scheduling_names.h"
#include "core/compiler/passes/simplify/algebraic_simplifier.h"
#include "core/compiler/passes/simplify/call_inliner.h"
#include "core/compiler/passes/simplify/common_subexpression_elimination.h"
#include "core/compiler/passes/simplify/computation_deduplicator.h"
#include "core/compiler/passes/simplify/conditional_canonicalizer.h"
#include "core/compiler/passes/simplify/constant_folding.h"
#include "core/compiler/passes/simplify/constant_splitter.h"
#include "core/compiler/passes/simplify/convert_mover.h"
#include "core/compiler/passes/simplify/dead_code_elimination.h"
#include "core/compiler/passes/simplify/fp_conversions.h"
#include "core/compiler/passes/simplify/gather_expander.h"
#include "core/compiler/passes/simplify/gather_simplifier.h"
#include "core/compiler/passes/simplify/reshape_mover.h"
#include "core/compiler/passes/simplify/scatter_expander.h"
#include "core/compiler/passes/simplify/scatter_simplifier.h"
#include "core/compiler/passes/simplify/slice_sinker.h"
#include "core/compiler/passes/simplify/sort_simplifier.h"
#include "core/compiler/passes/simplify/tuple_simplifier.h"
#include "core/compiler/passes/simplify/variadic_op_splitter.h"
#include "core/compiler/passes/simplify/zero_sized_elimination.h"
#include "core/compiler/spmd/sharding_propagation.h"
#include "core/compiler/spmd/shardy/shardy_xla.h"
#include "core/compiler/spmd/spmd_partitioner.h"
#include "core/compiler/spmd/spmd_prepare.h"

namespace hilo {
namespace {

// Sorted by name, as the table is.
const std::vector<Pass>& passes() {
  static const auto* passes = new std::vector<Pass>{
#define PASS(name, function, ...) makePass<&function>(name, __VA_ARGS__),
#include "core/compiler/passes/passes.def"
  };
  return *passes;
}

}  // namespace

std::span<const Pass> allPasses() { return passes(); }

const Pass* findPass(std::string_view name) {
  const auto found = std::ranges::find(passes(), name, &Pass::name);
  return found == passes().end() ? nullptr : &*found;
}

}  // namespace hilo
