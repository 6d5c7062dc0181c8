#include "core/workspace/memory/live_bytes.h"

#include <algorithm>

#include "core/analysis/backend.h"
#include "core/analysis/call_graph.h"
#include "core/analysis/saturating.h"
#include "core/analysis/schedule/memory_usage.h"
#include "core/compiler/passes/memory/flatten_call_graph.h"
#include "core/workspace/open/verify_file.h"

namespace hilo {
namespace {

// Copies of bodies that are called from many places may be many more instructions than there were.
constexpr int64_t kMostInstructions = 2'000'000;

// How many instructions there are once every caller has its own copy of what it calls.
int64_t instructionsWhenFlat(const Module& module, const CallGraph& calls) {
  size_t limit = 0;
  for (const Computation* computation : module.computations())
    limit = std::max<size_t>(limit, computation->id().value + 1);
  std::vector<int64_t> copies(limit);
  int64_t total = 0;
  const auto order = calls.postOrder();
  for (size_t n = order.size(); n-- > 0;) {
    const Computation& computation = *order[n];
    const auto& callers = calls.node(computation).callers;
    int64_t count = callers.empty() ? 1 : 0;
    for (const Instruction* caller : callers)
      count = saturatingAdd(count, copies[caller->parent().id().value]);
    copies[computation.id().value] = count;
    total =
        saturatingAdd(total, saturatingMultiply(count, static_cast<int64_t>(computation.instructionCount())));
  }
  return total;
}

// The module itself where it is flat, else a clone of it that is; ids of instructions stay.
Result<std::shared_ptr<const Module>> flatModule(std::shared_ptr<const Module> module) {
  TRY(const CallGraph calls, CallGraph::build(*module));
  if (calls.isFlat()) return module;
  if (instructionsWhenFlat(*module, calls) > kMostInstructions) TRY_STATUS(calls.requireFlat());
  return withFlatCalls(std::move(module), {});
}

}  // namespace

Result<std::vector<int64_t>> liveBytesOf(std::shared_ptr<const Module> module) {
  TRY_STATUS(requireVerified(*module));
  TRY(const auto flat, flatModule(module));
  TRY(const AliasAnalysis aliases, AliasAnalysis::run(*flat, backendOf(*flat)));
  TRY_STATUS(aliases.dataflow().callGraph().requireFlat());
  const ValueLiveRanges ranges(aliases);
  const MemoryUsage usage = memoryUsage(ranges);
  std::vector<int64_t> live(module->idLimit(), -1);
  for (const Instruction* instruction : ranges.sequence()) {
    const auto step = static_cast<size_t>(ranges.timeOf(*instruction));
    const size_t id = instruction->id().value;
    if (step < usage.liveBytes.size() && id < live.size()) live[id] = usage.liveBytes[step];
  }
  return live;
}

}  // namespace hilo
