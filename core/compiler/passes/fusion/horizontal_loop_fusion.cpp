#include "core/compiler/passes/fusion/horizontal_loop_fusion.h"

#include <algorithm>
#include <tuple>

#include "core/analysis/call_graph.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/fusion/merge_fusions.h"

namespace hilo {
namespace {

// Limits of XLA's: elements and instructions of a kernel that is worth it, results of one that is made, and
// the 4,000 bytes that parameters of a kernel may take.
constexpr int64_t kMostLoopElements = 8192 * 8192, kMostSliceElements = 128 * 2048;
constexpr size_t kMostLoopInstructions = 128, kMostSliceInstructions = 30;
constexpr size_t kMostFusedResults = 32, kMostLoneResults = 64;
constexpr size_t kMostPointers = 4000 / 8;

const Computation* bodyOf(const Instruction& kernel) {
  return kernel.opcode() == Opcode::Fusion ? kernel.get<Attr::Calls>() : nullptr;
}

std::vector<const Instruction*> resultsOf(const Instruction& kernel) {
  const Computation* body = bodyOf(kernel);
  if (body == nullptr) return {&kernel};
  if (body->root()->opcode() != Opcode::Tuple) return {body->root()};
  return {body->root()->operands().begin(), body->root()->operands().end()};
}

size_t instructionsOf(const Instruction& kernel) {
  const Computation* body = bodyOf(kernel);
  return body == nullptr ? 1 : body->instructionCount();
}

bool isConcatenation(const Instruction& kernel) {
  const Computation* body = bodyOf(kernel);
  return body != nullptr && kernel.get<Attr::FusionKindKind>() == FusionKind::Input &&
         body->root()->opcode() == Opcode::Concatenate;
}

// All results are arrays of one type, read one by one.
bool isCandidate(const Instruction& kernel) {
  if (kernel.has(Attr::ControlPredecessors)) return false;
  const bool isLoop = bodyOf(kernel) != nullptr && kernel.get<Attr::FusionKindKind>() == FusionKind::Loop;
  const bool isAlone =
      (isElementwise(kernel.opcode()) || kernel.opcode() == Opcode::Copy) && kernel.operandCount() > 0;
  if (!isLoop && !isAlone && !isConcatenation(kernel)) return false;
  const auto results = resultsOf(kernel);
  if (!std::ranges::all_of(results, [&](const Instruction* result) {
        return result->shape().isArray() && !result->shape().isDynamic() &&
               result->shape().elementType() == results[0]->shape().elementType();
      }))
    return false;
  return mayBeMerged(kernel);
}

bool isShort(const Instruction& kernel, bool asSlices) {
  const bool few = asSlices || isConcatenation(kernel);
  return resultsOf(kernel)[0]->shape().elementCount() <= (few ? kMostSliceElements : kMostLoopElements) &&
         instructionsOf(kernel) <= (asSlices ? kMostSliceInstructions : kMostLoopInstructions);
}

// Through elements of tuples and bitcasts; the root may read it too.
bool isReadByNoOther(const Instruction& value, const Instruction& consumer) {
  return std::ranges::all_of(value.users(), [&](const Instruction* user) {
    if (user->opcode() == Opcode::GetTupleElement || user->opcode() == Opcode::Bitcast)
      return isReadByNoOther(*user, consumer);
    return user == &consumer || user->isRoot();
  });
}

bool updatesInPlace(const Instruction& kernel) {
  return bodyOf(kernel) != nullptr && std::ranges::any_of(resultsOf(kernel), [](const Instruction* result) {
           return result->opcode() == Opcode::DynamicUpdateSlice;
         });
}

using Kernels = std::vector<Instruction*>;

// What the consumer reads, in XLA's order: alike ones beside each other.
Kernels candidatesOf(const Instruction& consumer, bool asSlices) {
  Kernels read;
  for (Instruction* operand : consumer.operands()) {
    while (operand->opcode() == Opcode::GetTupleElement || operand->opcode() == Opcode::Bitcast)
      operand = operand->operand(0);
    if (isCandidate(*operand) && std::ranges::find(read, operand) == read.end()) read.push_back(operand);
  }
  const auto sharesOperand = [&](const Instruction& kernel) {
    return std::ranges::any_of(kernel.operands(), [&](const Instruction* operand) {
      return std::ranges::any_of(operand->users(), [&](const Instruction* user) {
        return user != &kernel && std::ranges::find(read, user) != read.end();
      });
    });
  };
  Kernels candidates;
  for (Instruction* kernel : read) {
    if (isReadByNoOther(*kernel, consumer) && isShort(*kernel, asSlices) &&
        !(updatesInPlace(*kernel) && sharesOperand(*kernel)))
      candidates.push_back(kernel);
  }
  std::ranges::sort(candidates, {}, [](const Instruction* kernel) {
    const auto results = resultsOf(*kernel);
    return std::tuple(results[0]->shape().elementType(), results.size(), instructionsOf(*kernel),
                      results[0]->shape().elementCount(), kernel->id().value);
  });
  return candidates;
}

// How many from `first` on become one.
size_t spanOf(const Kernels& kernels, size_t first, bool asSlices) {
  const auto results = resultsOf(*kernels[first]);
  const bool isLone = !asSlices && kernels[first]->opcode() != Opcode::Fusion;
  size_t made = 0, pointers = 0, end = first;
  for (; end < kernels.size(); ++end) {
    const auto others = resultsOf(*kernels[end]);
    if (others.size() != results.size() ||
        others[0]->shape().elementType() != results[0]->shape().elementType() ||
        (!asSlices && others[0]->shape() != results[0]->shape()))
      break;
    made += others.size();
    pointers += kernels[end]->operandCount() + others.size();
    if (made >= (isLone ? kMostLoneResults : kMostFusedResults) || pointers >= kMostPointers) break;
  }
  return std::max<size_t>(end - first, 1);
}

class Fuser {
 public:
  Fuser(Computation& computation, PassContext& context, std::string_view prefix)
      : computation_(computation), context_(context), prefix_(prefix) {}

  bool run() {
    for (const Instruction* i : computation_.instructions()) consumers_.push_back(i->id());
    while (!consumers_.empty() && !context_.cancelled() && !context_.fuel().isSpent()) {
      const InstructionId id = consumers_.back();
      consumers_.pop_back();
      for (const bool asSlices : {false, true}) {
        const Instruction* consumer = computation_.module().instruction(id);
        if (consumer != nullptr && consumer->operandCount() >= 2) fuseOperands(*consumer, asSlices);
      }
    }
    if (changed_) orderByOperands(computation_);
    return changed_;
  }

 private:
  void fuseOperands(const Instruction& consumer, bool asSlices) {
    const Kernels kernels = candidatesOf(consumer, asSlices);
    for (size_t first = 0; first < kernels.size();) {
      const size_t count = spanOf(kernels, first, asSlices);
      if (count > 1 && !fuse({kernels.data() + first, count}, asSlices)) return;
      first += count;
    }
  }

  bool fuse(std::span<Instruction* const> kernels, bool asSlices) {
    if (!context_.mayChange(*kernels[0])) return false;
    context_.remark(*kernels[0], "fused",
                    fmt::format("{} kernels are launched as one{}", kernels.size(),
                                asSlices ? ", their results slices of one array" : ""));
    Instruction* fusion = asSlices ? mergeAsSlices(kernels) : mergeFusions(kernels);
    if (!prefix_.empty()) {
      fusion->setName(computation_.module().uniqueName(fmt::format("{}fusion", prefix_)));
      fusion->get<Attr::Calls>()->setName(
          computation_.module().uniqueName(fmt::format("{}horizontally_fused_computation", prefix_)));
    }
    consumers_.push_back(fusion->id());
    return changed_ = true;
  }

  Computation& computation_;
  PassContext& context_;
  std::string_view prefix_;
  std::vector<InstructionId> consumers_;  // the next one last
  bool changed_ = false;
};

}  // namespace

Result<bool> fuseHorizontally(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    if (!graph.runsInstructions(*computation)) continue;
    if (context.cancelled() || context.fuel().isSpent()) break;
    changed |= Fuser(*computation, context, "").run();
  }
  return changed;
}

Result<bool> fuseCopiesHorizontally(Module& module, PassContext& context) {
  return Fuser(*module.entry(), context, "copy_").run();
}

}  // namespace hilo
