#include "core/compiler/passes/all_passes.h"

#include "core/compiler/passes/canonicalize/dynamic_padder.h"
#include "core/compiler/passes/canonicalize/expand_dot_algorithms.h"
#include "core/compiler/passes/canonicalize/expand_library_calls.h"
#include "core/compiler/passes/collectives/async_collective_creator.h"
#include "core/compiler/passes/collectives/collective_combiner.h"
#include "core/compiler/passes/collectives/pipeliner/collective_pipeliner.h"
#include "core/compiler/passes/collectives/sync_collectives.h"
#include "core/compiler/passes/fusion/extremum_place_splitter.h"
#include "core/compiler/passes/fusion/loop_fusion.h"
#include "core/compiler/passes/fusion/partial_sort_fusion.h"
#include "core/compiler/passes/fusion/reduction_splitter.h"
#include "core/compiler/passes/layout/layout_assignment.h"
#include "core/compiler/passes/loops/all_reduce_code_motion.h"
#include "core/compiler/passes/loops/loop_unroller.h"
#include "core/compiler/passes/memory/copy_insertion.h"
#include "core/compiler/passes/memory/flatten_call_graph.h"
#include "core/compiler/passes/products/fuse_product_chains.h"
#include "core/compiler/passes/products/library_products.h"
#include "core/compiler/passes/schedule/cpu_scheduler.h"
#include "core/compiler/passes/schedule/latency_hiding_pass.h"
#include "core/compiler/passes/schedule/legalize_scheduling_annotations.h"
#include "core/compiler/passes/schedule/memory_scheduler_pass.h"
#include "core/compiler/passes/schedule/rematerialization_pass.h"
#include "core/compiler/passes/schedule/schedule_aware_combiner.h"
#include "core/compiler/passes/simplify/algebraic_simplifier.h"
#include "core/compiler/passes/simplify/call_inliner.h"
#include "core/compiler/passes/simplify/common_subexpression_elimination.h"
#include "core/compiler/passes/simplify/constant_folding.h"
#include "core/compiler/passes/simplify/dead_code_elimination.h"
#include "core/compiler/passes/simplify/tuple_simplifier.h"

namespace hilo {
namespace {

constexpr Pass kPasses[] = {
#define PASS(name, function, summary) {name, function, summary},
#include "core/compiler/passes/passes.def"
};

// How many letters two names differ by, counting each insertion, deletion and change.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::span<const Pass> allPasses() { return kPasses; }

const Pass* findPass(std::string_view name) {
  const auto found = std::ranges::find(kPasses, name, &Pass::name);
  return found == std::end(kPasses) ? nullptr : &*found;
}

Result<std::vector<const Pass*>> parsePassList(std::string_view list) {
  std::vector<const Pass*> passes;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string_view name = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    const Pass* pass = findPass(name);
    if (pass == nullptr) {
      const auto nearest = std::ranges::min_element(
          kPasses, {}, [&](const Pass& known) { return editDistance(known.name, name); });
      return fail("unknown-pass", fmt::format("no pass is called '{}'", name), {},
                  {fmt::format("did you mean '{}'?", nearest->name)});
    }
    passes.push_back(pass);
  }
  return passes;
}

}  // namespace hilo
