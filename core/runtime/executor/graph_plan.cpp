#include "core/runtime/executor/graph_plan.h"

#include <fmt/format.h>

namespace hilo {
namespace {

std::string whyNotCalled(const CustomCallThunk& call, const CustomCalls* calls) {
  if (calls == nullptr) return "a custom call, which the host runs";
  const BoundCall& bound = calls->at(&call);
  const auto* handler = std::get_if<std::shared_ptr<FfiCall>>(&bound);
  if (handler == nullptr) return "a plug-in does it on the host";
  return (*handler)->canBeCaptured()
             ? "its handler may be captured, but runs on the host here"
             : "its handler does not say that it may be captured (COMMAND_BUFFER_COMPATIBLE)";
}

// "its body has sort.3: the host does it"
std::string whyNotNested(const Program& program, const Thunk& thunk, const GraphRules& rules) {
  if (!rules.whyNoLoops.empty()) return rules.whyNoLoops;
  for (const uint32_t nested : nestedSequences(thunk)) {
    for (const Thunk& inner : program.sequences[nested]) {
      const std::string why = whyNotInGraph(program, inner, rules);
      if (!why.empty()) return fmt::format("it runs {}: {}", inner.name, why);
    }
  }
  return "";
}

}  // namespace

std::string whyNotInGraph(const Program& program, const Thunk& thunk, const GraphRules& rules) {
  switch (thunk.kind()) {
    case ThunkKind::Kernel:
    case ThunkKind::Copy:
      return "";
    case ThunkKind::While:
    case ThunkKind::Conditional:
      return whyNotNested(program, thunk, rules);
    case ThunkKind::CustomCall:
      return whyNotCalled(std::get<CustomCallThunk>(thunk.body), rules.customCalls);
    case ThunkKind::Collective:
    case ThunkKind::Send:
    case ThunkKind::Receive:
      return "it meets other devices through the host";
    case ThunkKind::Infeed:
    case ThunkKind::Outfeed:
      return "the host feeds it";
    case ThunkKind::Dot:
    case ThunkKind::Sort:
    case ThunkKind::Convolution:
    case ThunkKind::RowBlocks:
    case ThunkKind::Hosted:
      return "the host does it";
  }
  return "";
}

GraphPlan planGraphs(const Program& program, uint32_t sequence, const GraphRules& rules) {
  const ThunkSequence& thunks = program.sequences[sequence];
  GraphPlan plan;
  for (const Thunk& thunk : thunks) plan.why.push_back(whyNotInGraph(program, thunk, rules));
  const auto count = static_cast<uint32_t>(thunks.size());
  for (uint32_t begin = 0; begin < count;) {
    uint32_t end = begin;
    while (end < count && plan.why[end].empty()) ++end;
    if (end - begin >= rules.leastThunks && end > begin) {
      plan.graphs.push_back({begin, end});
    } else {
      for (uint32_t t = begin; t < end; ++t)
        plan.why[t] = fmt::format("a run of {}, and a graph begins at {}", end - begin, rules.leastThunks);
    }
    begin = std::max(end, begin + 1);
  }
  return plan;
}

}  // namespace hilo
