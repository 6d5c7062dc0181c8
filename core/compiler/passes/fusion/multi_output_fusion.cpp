#include "core/compiler/passes/fusion/multi_output_fusion.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <ranges>

#include "core/analysis/call_graph.h"
#include "core/compiler/passes/fusion/fusible.h"
#include "core/compiler/passes/fusion/kernel_matching.h"
#include "core/compiler/passes/fusion/kernel_order.h"
#include "core/compiler/passes/fusion/merge_fusions.h"

namespace hilo {
namespace {

constexpr int64_t kLargeArray = 1024;  // bytes; slices of less may lie apart

// The slice that alone reads `value` in a kernel; null: it is read in another way.
const Instruction* onlySlice(const Instruction& value, const Instruction& kernel) {
  if (kernel.opcode() == Opcode::Slice) return &kernel;
  if (kernel.opcode() != Opcode::Fusion) return nullptr;
  const Instruction* slice = nullptr;
  for (const Instruction* i : kernel.get<Attr::Calls>()->instructions()) {
    if (i->opcode() != Opcode::Parameter ||
        kernel.operand(static_cast<size_t>(i->parameterNumber())) != &value)
      continue;
    if (slice != nullptr || i->users().size() != 1 || i->users()[0]->opcode() != Opcode::Slice)
      return nullptr;
    slice = i->users()[0];
  }
  return slice;
}

// They read parts of a large array that lie apart: nothing is gained by reading both in one kernel.
bool readApart(const Instruction& value, const Instruction& one, const Instruction& other) {
  if (!value.shape().isArray() || value.shape().byteSize() < kLargeArray) return false;
  const Instruction *a = onlySlice(value, one), *b = onlySlice(value, other);
  if (a == nullptr || b == nullptr) return false;
  const auto &rangesA = a->get<Attr::Slice>(), &rangesB = b->get<Attr::Slice>();
  for (size_t d = 0; d < rangesA.size(); ++d) {
    if (rangesA[d].start >= rangesB[d].limit || rangesB[d].start >= rangesA[d].limit) return true;
  }
  return false;
}

bool givesSeveral(const Instruction& kernel) {
  return kernel.opcode() == Opcode::Fusion && kernel.shape().isTuple();
}

// Kernels of several results come first, then other fusions.
int rankOf(const Instruction& kernel) {
  return givesSeveral(kernel) ? 0 : kernel.opcode() == Opcode::Fusion ? 1 : 2;
}

// The users before what they use: siblings that read a value, then the value's kernel with one of them.
class Merger {
 public:
  Merger(Computation& computation, PassContext& context)
      : computation_(computation), context_(context), order_(computation) {}

  bool run() {
    std::vector<InstructionId> ids;
    for (const Instruction* i : computation_.instructions()) ids.push_back(i->id());
    bool changed = false;
    for (const InstructionId id : ids | std::views::reverse) {
      // A value that was merged is not in the module any more.
      Instruction* value = computation_.module().instruction(id);
      if (value == nullptr || value->opcode() == Opcode::Constant) continue;
      if (context_.cancelled() || context_.fuel().isSpent()) break;
      changed |= mergeSiblings(*value);
      changed |= mergeIntoUser(*value);
    }
    if (changed) orderByOperands(computation_);
    return changed;
  }

 private:
  const KernelFacts& factsOf(const Instruction& kernel) {
    const auto found = facts_.find(kernel.id());
    return found != facts_.end() ? found->second
                                 : facts_.emplace(kernel.id(), kernelFacts(kernel)).first->second;
  }

  std::vector<Instruction*> siblingsOf(Instruction& value) {
    std::vector<Instruction*> siblings;
    for (Instruction* user : value.users()) {
      if (isKernelCandidate(*user) && !user->users().empty() && mayBeResult(*user, factsOf(*user)))
        siblings.push_back(user);
    }
    std::ranges::sort(siblings, {},
                      [&](const Instruction* i) { return std::pair(rankOf(*i), order_.placeOf(*i)); });
    return siblings;
  }

  static bool isKernelCandidate(const Instruction& i) {
    return (i.opcode() == Opcode::Fusion || (i.shape().isArray() && isFusible(i))) &&
           i.opcode() != Opcode::Bitcast;
  }

  bool mergeSiblings(Instruction& value) {
    if (!value.shape().isArray() || value.shape().elementCount() <= 1) return false;
    bool changed = false;
    std::vector<Instruction*> siblings = siblingsOf(value);
    for (size_t a = 0; a < siblings.size(); ++a) {
      if (siblings[a]->opcode() != Opcode::Fusion) continue;
      for (size_t b = a + 1; b < siblings.size();) {
        Instruction *one = siblings[a], *other = siblings[b];
        Instruction* merged = maySitTogether(value, *one, *other) ? merge(*one, *other) : nullptr;
        if (merged == nullptr) {
          ++b;
          continue;
        }
        siblings[a] = merged;
        siblings.erase(siblings.begin() + static_cast<std::ptrdiff_t>(b));
        changed = true;
      }
    }
    return changed;
  }

  bool maySitTogether(const Instruction& value, Instruction& one, Instruction& other) {
    const KernelFacts &a = factsOf(one), &b = factsOf(other);
    return !a.writesInPlace && !b.writesInPlace && goTogether(a, b) && !readApart(value, one, other) &&
           fitOneKernel(one, a, other, b) && isFree(one, other, /*mayUse=*/false);
  }

  bool mergeIntoUser(Instruction& producer) {
    if (!isKernelCandidate(producer) || producer.operandCount() == 0 ||
        !mayBeProducer(producer, factsOf(producer)))
      return false;
    // With one user priority fusion has decided.
    if (producer.users().size() == 1 && !producer.isRoot() && !givesSeveral(*producer.users()[0]))
      return false;
    std::vector<Instruction*> users = siblingsOf(producer);
    std::erase_if(users, [&](Instruction* user) {
      const KernelFacts &a = factsOf(producer), &b = factsOf(*user);
      return b.writesInPlace || !goTogether(b, a) || !fitOneKernel(producer, a, *user, b) ||
             !isFree(producer, *user, /*mayUse=*/true);
    });
    return !users.empty() && merge(producer, *users[0]) != nullptr;
  }

  // No other value has to be worked out between them.
  bool isFree(Instruction& first, Instruction& second, bool mayUse) {
    if (order_.hasControl(first) || order_.hasControl(second)) return false;
    const bool after =
        mayUse ? order_.reaches(first, second, /*directly=*/false) : order_.leadsTo(first, second);
    if (!after && !order_.leadsTo(second, first)) return true;
    if (told_.insert(second.id()).second)
      context_.remark(second, "missed", fmt::format("%{} is needed in between", first.name()));
    return false;
  }

  Instruction* merge(Instruction& first, Instruction& second) {
    if (!context_.mayChange(second)) return nullptr;
    context_.remark(second, "fused",
                    fmt::format("with %{} into one kernel of several results", first.name()));
    const int64_t one = order_.placeOf(first), other = order_.placeOf(second);
    order_.forget(first);
    order_.forget(second);
    Instruction* merged = mergeFusions(std::vector<Instruction*>{&first, &second});
    order_.merge(one, other, *merged);
    return merged;
  }

  Computation& computation_;
  PassContext& context_;
  KernelOrder order_;
  absl::flat_hash_set<InstructionId> told_;  // why they stay apart, once each
  absl::flat_hash_map<InstructionId, KernelFacts> facts_;
};

}  // namespace

Result<bool> fuseOutputs(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  const std::vector<Computation*> computations(module.computations().begin(), module.computations().end());
  bool changed = false;
  for (Computation* computation : computations) {
    if (context.cancelled() || context.fuel().isSpent()) return changed;
    if (graph.runsInstructions(*computation)) changed |= Merger(*computation, context).run();
  }
  return changed;
}

}  // namespace hilo
