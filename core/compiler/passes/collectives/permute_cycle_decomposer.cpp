#include "core/compiler/passes/collectives/permute_cycle_decomposer.h"

#include <set>

#include "core/analysis/call_graph.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/permute_pairs.h"

namespace hilo {
namespace {

struct Split {
  SourceTargetPairs back, onward;
};

// Most pairs go one way, up or down in the numbers of devices; one the other way leads back where the device
// at its lower end takes part in the rest.
Split splitAtCycles(const SourceTargetPairs& pairs) {
  const auto goesUp = [](const auto& pair) { return pair.first < pair.second; };
  const auto ups = std::ranges::count_if(pairs, goesUp);
  const bool isForward = 2 * ups > static_cast<int64_t>(pairs.size());
  const auto isAgainst = [&](const auto& pair) {
    return isForward ? pair.first >= pair.second : pair.first <= pair.second;
  };
  std::set<int64_t> lowerEnds;
  for (const auto& pair : pairs) {
    if (!isAgainst(pair)) lowerEnds.insert(std::min(pair.first, pair.second));
  }
  Split split;
  for (const auto& pair : pairs) {
    const bool leadsBack = isAgainst(pair) && lowerEnds.contains(std::min(pair.first, pair.second));
    (leadsBack ? split.back : split.onward).push_back(pair);
  }
  return split;
}

bool isLargeEnough(const Instruction& i, const PermuteCycles& limits) {
  return i.opcode() == Opcode::CollectivePermute && i.operandCount() == 1 && i.shape().isArray() &&
         i.shape().byteSize() >= limits.leastBytes && i.get<Attr::SourceTargetPairs>().size() > 1;
}

// What one permute became, and how what it became is named: "%permute-fwd".
class Decomposition {
 public:
  explicit Decomposition(Instruction& permute) : permute_(permute) {}

  Instruction* select(const Split& split) {
    Instruction* back = permuteBy(split.back, "-bwd");
    Instruction* onward = permuteBy(split.onward, "-fwd");
    giveOwnChannel(*onward);
    return create(Opcode::Select, permute_.shape(), {isTargetOf(split.back), back, onward}, "-sel");
  }

 private:
  Instruction* create(Opcode opcode, Shape shape, std::initializer_list<Instruction*> operands,
                      std::string_view suffix) {
    return permute_.parent().create(opcode, shape, operands, name(suffix), &permute_);
  }
  std::string_view name(std::string_view suffix) {
    return permute_.module().uniqueName(fmt::format("{}{}", permute_.name(), suffix));
  }

  Instruction* permuteBy(const SourceTargetPairs& pairs, std::string_view suffix) {
    Instruction* made = permute_.parent().createLike(permute_, permute_.operands(), &permute_);
    made->setName(name(suffix));
    setPairs(*made, pairs);
    return made;
  }

  // Pairs of a permute with a channel are partitions, of one without replicas.
  Instruction* isTargetOf(const SourceTargetPairs& pairs) {
    const bool byPartition = permute_.has(Attr::ChannelId);
    Instruction* self = create(byPartition ? Opcode::PartitionId : Opcode::ReplicaId,
                               Shape::scalar(ElementType::U32), {}, byPartition ? "-part-id" : "-rep-id");
    Instruction* any = nullptr;
    for (const auto& [source, target] : pairs) {
      Instruction* device = permute_.parent().createConstant(
          Literal::scalar(ElementType::U32, static_cast<uint32_t>(target)), &permute_, name("-bwd-recv-id"));
      Instruction* same = create(Opcode::Compare, Shape::scalar(ElementType::Pred), {self, device}, "-cmp");
      same->set<Attr::Direction>(ComparisonDirection::Eq);
      any = any == nullptr ? same : create(Opcode::Or, same->shape(), {any, same}, "-any");
    }
    return any;
  }

  Instruction& permute_;
};

}  // namespace

Result<bool> decomposePermuteCycles(Module& module, PassContext& context, const PermuteCycles& limits) {
  TRY(const CallGraph calls, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    if (!calls.runsInstructions(*computation)) continue;
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isLargeEnough(*i, limits)) continue;
      const Split split = splitAtCycles(writtenPairs(*i));
      if (split.back.empty()) continue;
      if (!context.mayChange(*i)) return changed;
      Instruction* instead = Decomposition(*i).select(split);
      context.remark(*i, "decomposed",
                     fmt::format("{} leads back, now %{}", pairsText(split.back), instead->name()));
      computation->replaceAllUses(i, instead);
      computation->remove(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
