#include "core/compiler/passes/loops/loop_unroller.h"

#include "core/analysis/call_graph.h"
#include "core/analysis/schedule/async_op.h"
#include "core/analysis/schedule/verify_order.h"
#include "core/analysis/well_formed.h"
#include "core/analysis/while_loop.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/memory/deep_copy.h"
#include "core/compiler/passes/simplify/dead_code_elimination.h"

namespace hilo {
namespace {

// Offsets of slices as functions of the iteration: of another loop than the one that will be.
void dropSliceConfigs(Instruction& instruction) {
  if (instruction.get<Attr::BackendConfig>().find("dynamic_slice_config") != std::string_view::npos)
    instruction.erase(Attr::BackendConfig);
  if (instruction.opcode() != Opcode::Fusion) return;
  for (Computation* fused : instruction.calledComputations()) {
    for (Instruction* i : fused->instructions()) dropSliceConfigs(*i);
  }
}

// One iteration, given what it starts with; gives what it ends with.
Result<std::vector<Instruction*>> copyIteration(const LoopParts& parts,
                                                std::span<Instruction* const> original,
                                                std::span<Instruction* const> state, Computation& target,
                                                CopyNumbers& numbers) {
  BodyCopier copier(target, numbers);
  copier.setGroups(BodyCopier::Groups::Renumber);
  for (Instruction* i : original) {
    if (i == parts.parameter || i == parts.root) continue;
    if (i->opcode() == Opcode::GetTupleElement && i->operand(0) == parts.parameter) {
      copier.map(i, state[static_cast<size_t>(i->tupleIndex())]);
      continue;
    }
    TRY(Instruction * copy, copier.copy(*i));
    dropSliceConfigs(*copy);
  }
  std::vector<Instruction*> result;
  for (const Instruction* next : parts.root->operands()) result.push_back(copier.at(next));
  return result;
}

std::vector<Instruction*> instructionsOf(const Computation& computation) {
  std::vector<Instruction*> all;
  for (Instruction* i : computation.instructions()) all.push_back(i);
  return all;
}

bool communicates(const Computation& body) {
  return std::ranges::any_of(body.instructions(), [](const Instruction* i) {
    return isCollectiveCommunication(canonicalAsyncOp(*i, true).inner);
  });
}

bool hasLoops(const Computation& body) {
  return std::ranges::any_of(body.instructions(),
                             [](const Instruction* i) { return i->opcode() == Opcode::While; });
}

// Applies `rewrite` to every loop of the module, inner ones first.
template <typename Rewrite>
Result<bool> forEachLoop(Module& module, PassContext& context, const Rewrite& rewrite) {
  if (module.isScheduled()) {
    return fail("already-scheduled", "loops are unrolled before the module is scheduled", {},
                {"use the module from before scheduling"});
  }
  TRY_STATUS(requireWellFormed(module));
  TRY(const CallGraph graph, CallGraph::build(module));
  CopyNumbers numbers = copyNumbersOf(module);
  bool changed = false;
  const auto onMain = mainComputations(module);
  const absl::flat_hash_set<const Computation*> main(onMain.begin(), onMain.end());
  for (Computation* computation : graph.postOrder()) {
    if (!main.contains(computation)) continue;
    for (Instruction* loop : whileLoopsOf(*computation)) {
      if (context.cancelled()) return changed;
      const auto counter = inductionVariable(*loop);
      const std::string_view fixed = counter ? whyLoopIsFixed(*loop) : "its trips are not known";
      if (!fixed.empty()) {
        context.remark(*loop, "missed", fmt::format("not unrolled: {}", fixed));
        continue;
      }
      TRY(const bool rewritten, rewrite(*loop, *counter, numbers));
      changed |= rewritten;
    }
  }
  PassContext unheard;
  if (changed) TRY_STATUS(eliminateDeadCode(module, unheard));
  return changed;
}

}  // namespace

Status peelFirstIteration(LoopParts& parts, CopyNumbers& numbers) {
  const std::vector<Instruction*> state(parts.init->operands().begin(), parts.init->operands().end());
  TRY(const auto next, copyIteration(parts, instructionsOf(*parts.body), state, parts.outside(), numbers));
  for (size_t i = 0; i < next.size(); ++i) parts.init->setOperand(i, next[i]);
  return {};
}

Status unrollBody(LoopParts& parts, int64_t factor, CopyNumbers& numbers) {
  const std::vector<Instruction*> original = instructionsOf(*parts.body);
  std::vector<Instruction*> state(parts.root->operands().begin(), parts.root->operands().end());
  for (int64_t n = 1; n < factor; ++n) {
    TRY(state, copyIteration(parts, original, state, *parts.body, numbers));
  }
  for (Instruction* i : original) dropSliceConfigs(*i);
  for (size_t i = 0; i < state.size(); ++i) parts.root->setOperand(i, state[i]);
  parts.loop->erase(Attr::BackendConfig);
  return {};
}

Status unrollFully(LoopParts& parts, int64_t trips, CopyNumbers& numbers) {
  Computation& outside = parts.outside();
  const std::vector<Instruction*> original = instructionsOf(*parts.body);
  std::vector<Instruction*> state(parts.init->operands().begin(), parts.init->operands().end());
  for (int64_t n = 0; n < trips; ++n) {
    TRY(state, copyIteration(parts, original, state, outside, numbers));
  }
  for (int64_t i = 0; i < parts.size(); ++i) {
    for (Instruction* reader : elementsAfterLoop(parts, i)) {
      outside.replaceAllUses(reader, state[static_cast<size_t>(i)]);
      outside.remove(reader);
    }
  }
  outside.reorder(postOrder(outside));
  outside.remove(parts.loop);
  return {};
}

Result<bool> unrollLoops(Module& module, PassContext& context, const UnrollLimits& limits) {
  return forEachLoop(
      module, context,
      [&](Instruction& loop, const InductionVariable& counter, CopyNumbers& numbers) -> Result<bool> {
        const Computation& body = *loop.get<Attr::Body>();
        const auto size = static_cast<int64_t>(body.instructionCount());
        std::string reason;
        if (hasLoops(body)) reason = "there are loops in it";
        if (counter.trips > limits.trips) reason = fmt::format("it runs {} times", counter.trips);
        if (reason.empty() && size * counter.trips > limits.instructions)
          reason = fmt::format("it would make {} instructions", size * counter.trips);
        if (!reason.empty()) {
          context.remark(loop, "missed", fmt::format("not unrolled: {}", reason));
          return false;
        }
        if (!context.mayChange(loop)) return false;
        context.remark(loop, "unrolled", fmt::format("{} times", counter.trips));
        TRY(LoopParts parts, takeLoopApart(loop));
        TRY_STATUS(unrollFully(parts, counter.trips, numbers));
        return true;
      });
}

Result<bool> doubleBufferLoops(Module& module, PassContext& context) {
  return forEachLoop(
      module, context,
      [&](Instruction& loop, const InductionVariable& counter, CopyNumbers& numbers) -> Result<bool> {
        if (counter.trips < 2 || !communicates(*loop.get<Attr::Body>())) return false;
        if (!context.mayChange(loop)) return false;
        context.remark(
            loop, "unrolled",
            fmt::format("two iterations in one{}", counter.trips % 2 == 1 ? ", the first in front" : ""));
        TRY(LoopParts parts, takeLoopApart(loop));
        if (counter.trips % 2 == 1) TRY_STATUS(peelFirstIteration(parts, numbers));
        TRY_STATUS(unrollBody(parts, 2, numbers));
        restoreOrder(parts);
        return true;
      });
}

}  // namespace hilo
