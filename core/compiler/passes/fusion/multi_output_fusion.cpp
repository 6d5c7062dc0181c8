#include "core/compiler/passes/fusion/multi_output_fusion.h"

#include <absl/container/flat_hash_set.h>
#include <absl/container/node_hash_map.h>

#include <algorithm>
#include <ranges>

#include "core/analysis/call_graph.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/fusion/fusible.h"
#include "core/compiler/passes/fusion/kernel_matching.h"
#include "core/compiler/passes/fusion/kernel_order.h"
#include "core/compiler/passes/fusion/merge_fusions.h"
#include "core/compiler/passes/fusion/reader_ends.h"

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
           i.opcode() != Opcode::Bitcast && mayBeMerged(i);
  }

  // A kernel that reads a value with others.
  struct Sibling {
    Instruction* kernel;
    const KernelFacts* facts;
    size_t last,
        end;      // its place in their order, of what was merged the last; from `end` on all lie behind it
    bool isTold;  // why it stays apart
  };

  std::vector<Sibling> inTurn(const std::vector<Instruction*>& kernels) {
    std::vector<Instruction*> inOrder = kernels;
    std::ranges::sort(inOrder, {}, [&](const Instruction* i) { return order_.placeOf(*i); });
    const std::vector<size_t> ends =
        readerEnds(std::vector<const Instruction*>(inOrder.begin(), inOrder.end()), order_);
    absl::flat_hash_map<const Instruction*, size_t> places;
    for (const Instruction* i : inOrder) places.emplace(i, places.size());
    std::vector<Sibling> siblings;
    for (Instruction* kernel : kernels) {
      const size_t place = places.at(kernel);
      siblings.push_back({kernel, &factsOf(*kernel), place, ends[place], isTold(*kernel)});
    }
    return siblings;
  }

  static bool mayBeFree(const Sibling& one, const Sibling& other) {
    return one.last < other.last ? other.last < one.end : one.last < other.end;
  }

  bool mergeSiblings(Instruction& value) {
    if (!value.shape().isArray() || value.shape().elementCount() <= 1) return false;
    bool changed = false;
    std::vector<Sibling> siblings = inTurn(siblingsOf(value));
    for (size_t a = 0; a < siblings.size(); ++a) {
      if (siblings[a].kernel->opcode() == Opcode::Fusion) changed |= mergeLater(value, siblings, a);
    }
    return changed;
  }

  // Those behind place `at` into the sibling that stands there.
  bool mergeLater(const Instruction& value, std::vector<Sibling>& siblings, size_t at) {
    Sibling& one = siblings[at];
    size_t kept = at + 1;
    for (size_t b = at + 1; b < siblings.size(); ++b) {
      Sibling& other = siblings[b];
      const bool isLookedAt = !other.isTold || mayBeFree(one, other);
      Instruction* merged = isLookedAt ? mergeIfFree(value, one, other) : nullptr;
      if (merged == nullptr) {
        siblings[kept++] = other;
        continue;
      }
      one = {merged, &factsOf(*merged), std::max(one.last, other.last), std::min(one.end, other.end), false};
    }
    const bool changed = kept != siblings.size();
    siblings.resize(kept);
    return changed;
  }

  Instruction* mergeIfFree(const Instruction& value, Sibling& one, Sibling& other) {
    if (maySitTogether(value, one, other)) return merge(*one.kernel, *other.kernel);
    other.isTold = isTold(*other.kernel);
    return nullptr;
  }

  bool isTold(const Instruction& kernel) const { return told_.contains(kernel.id()); }

  bool maySitTogether(const Instruction& value, const Sibling& one, const Sibling& other) {
    const KernelFacts &a = *one.facts, &b = *other.facts;
    return !a.writesInPlace && !b.writesInPlace && goTogether(a, b) &&
           !readApart(value, *one.kernel, *other.kernel) && fitOneKernel(*one.kernel, a, *other.kernel, b) &&
           isFree(*one.kernel, *other.kernel, /*mayUse=*/false);
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
  absl::flat_hash_set<InstructionId> told_;                // why they stay apart, once each
  absl::node_hash_map<InstructionId, KernelFacts> facts_;  // they stay where they are
};

}  // namespace

Result<bool> fuseOutputs(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    if (context.cancelled() || context.fuel().isSpent()) return changed;
    if (graph.runsInstructions(*computation)) changed |= Merger(*computation, context).run();
  }
  return changed;
}

}  // namespace hilo
