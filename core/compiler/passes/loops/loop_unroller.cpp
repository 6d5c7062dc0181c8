#include "core/compiler/passes/loops/loop_unroller.h"

#include "core/analysis/async_op.h"
#include "core/analysis/call_graph.h"
#include "core/analysis/saturating.h"
#include "core/analysis/schedule/verify_order.h"
#include "core/analysis/well_formed.h"
#include "core/analysis/while_loop.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/loops/loop_configuration.h"
#include "core/compiler/passes/simplify/dead_code_elimination.h"

namespace hilo {
namespace {

// One iteration or some, given what it starts with; gives what it ends with.
Result<std::vector<Instruction*>> copyIteration(const LoopParts& parts,
                                                std::span<Instruction* const> original,
                                                std::span<Instruction* const> state, Computation& target,
                                                const CopiedIterations& iterations, CopyNumbers& numbers) {
  BodyCopier copier(target, numbers);
  copier.setGroups(BodyCopier::Groups::Renumber);
  for (Instruction* i : original) {
    if (i == parts.parameter || i == parts.root) continue;
    if (i->opcode() == Opcode::GetTupleElement && i->operand(0) == parts.parameter) {
      copier.map(i, state[static_cast<size_t>(i->tupleIndex())]);
      continue;
    }
    TRY(Instruction * copy, copier.copy(*i));
    moveSliceOffsets(*copy, iterations);
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

// No loop is written out to more.
constexpr int64_t kMostInstructions = 1 << 20;
int64_t bodySize(const Instruction& loop) {
  return static_cast<int64_t>(loop.get<Attr::Body>()->instructionCount());
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
  TRY(const auto next, copyIteration(parts, instructionsOf(*parts.body), state, parts.outside(),
                                     {.isOutside = true}, numbers));
  for (size_t i = 0; i < next.size(); ++i) parts.init->setOperand(i, next[i]);
  return {};
}

Status unrollBody(LoopParts& parts, int64_t factor, CopyNumbers& numbers, const CopiedIterations& each) {
  const std::vector<Instruction*> original = instructionsOf(*parts.body);
  std::vector<Instruction*> state(parts.root->operands().begin(), parts.root->operands().end());
  for (int64_t n = 1; n < factor; ++n) {
    const CopiedIterations iterations{.first = each.first + n, .step = each.step};
    TRY(state, copyIteration(parts, original, state, *parts.body, iterations, numbers));
  }
  for (Instruction* i : original) moveSliceOffsets(*i, each);
  for (size_t i = 0; i < state.size(); ++i) parts.root->setOperand(i, state[i]);
  return {};
}

Status unrollFully(LoopParts& parts, int64_t trips, CopyNumbers& numbers) {
  Computation& outside = parts.outside();
  const std::vector<Instruction*> original = instructionsOf(*parts.body);
  std::vector<Instruction*> state(parts.init->operands().begin(), parts.init->operands().end());
  for (int64_t n = 0; n < trips; ++n) {
    TRY(state, copyIteration(parts, original, state, outside, {.first = n, .isOutside = true}, numbers));
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
        const int64_t size = bodySize(loop);
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

namespace {

// What a loop asks for by itself.
std::string_view askedStrategy(const Instruction& loop) {
  for (const FrontendAttribute& attribute : loop.get<Attr::FrontendAttributes>()) {
    if (attribute.name == "_xla_loop_unroll_strategy") return attribute.value;
  }
  return "";
}

enum class Form : uint8_t { AsItIs, TwoInOne, AllInOne };
Form wantedForm(const Instruction& loop, UnrollStrategy strategy) {
  switch (strategy) {
    case UnrollStrategy::Auto:
      return communicates(*loop.get<Attr::Body>()) ? Form::TwoInOne : Form::AsItIs;
    case UnrollStrategy::DoubleBuffer:
      return Form::TwoInOne;
    case UnrollStrategy::FullUnroll:
      return Form::AllInOne;
    case UnrollStrategy::Manual:
      break;
  }
  const std::string_view asked = askedStrategy(loop);
  return asked == "full" ? Form::AllInOne : asked == "double-buffer" ? Form::TwoInOne : Form::AsItIs;
}

Status writeTwoInOne(LoopParts& parts, int64_t trips, CopyNumbers& numbers) {
  const bool isOdd = trips % 2 == 1;
  if (isOdd) TRY_STATUS(peelFirstIteration(parts, numbers));
  TRY_STATUS(unrollBody(parts, 2, numbers, {.first = isOdd ? 1 : 0, .step = 2}));
  doubleSteps(*parts.loop, trips / 2, isOdd);
  return {};
}

}  // namespace

Result<bool> doubleBufferLoops(Module& module, PassContext& context, const LoopBuffering& buffering) {
  return forEachLoop(
      module, context,
      [&](Instruction& loop, const InductionVariable& counter, CopyNumbers& numbers) -> Result<bool> {
        const Form form = wantedForm(loop, buffering.strategy);
        if (counter.trips < 2 || form == Form::AsItIs) return false;
        if (form == Form::AllInOne && saturatingMultiply(counter.trips, bodySize(loop)) > kMostInstructions) {
          context.remark(loop, "missed", fmt::format("not unrolled: it runs {} times", counter.trips));
          return false;
        }
        if (!context.mayChange(loop)) return false;
        const std::string count = form == Form::AllInOne ? fmt::format("all {}", counter.trips) : "two";
        const bool isFirstInFront = form == Form::TwoInOne && counter.trips % 2 == 1;
        context.remark(
            loop, "unrolled",
            fmt::format("{} iterations in one{}", count, isFirstInFront ? ", the first in front" : ""));
        TRY(LoopParts parts, takeLoopApart(loop));
        if (form == Form::TwoInOne) {
          TRY_STATUS(writeTwoInOne(parts, counter.trips, numbers));
        } else {
          TRY_STATUS(unrollBody(parts, counter.trips, numbers));
          stateTrips(loop, 1);
        }
        restoreOrder(parts);
        return true;
      });
}

}  // namespace hilo
