#include "core/workspace/partition/sharding_history.h"

#include <absl/container/flat_hash_set.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "core/workspace/partition/move_causes.h"

namespace hilo {
namespace {

// The last that came in this round or before: each neighbour gave what it had at that time.
const ShardedRemark* giftBefore(std::span<const ShardedRemark> gifts, int round) {
  const ShardedRemark* last = nullptr;
  for (const ShardedRemark& gift : gifts) {
    if (gift.round <= round) last = &gift;
  }
  return last;
}

// A value on the way back: an instruction, or one element of the tuple it gives.
struct ValueAt {
  const Instruction* at = nullptr;
  std::optional<size_t> element;
};

// Of the element alone where there is one.
std::string elementText(const std::string& sharding, std::optional<size_t> element) {
  Arena arena;
  const auto parsed = parseSharding(sharding, arena);
  if (!element || !parsed || *element >= parsed->elements.size()) return sharding;
  std::string text;
  appendSharding(text, parsed->elements[*element], false);
  return text;
}

std::string shardingOf(const ValueAt& place) {
  std::string text;
  if (const Sharding* sharding = place.at->get<Attr::Sharding>()) appendSharding(text, *sharding, false);
  return elementText(text, place.element);
}

bool isFlat(Shape shape) {
  return shape.isTuple() && std::ranges::all_of(shape.tupleShapes(), [](Shape s) { return s.isArray(); });
}

const Instruction* loopOf(const Module& module, const Computation& body) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::While &&
          (i->get<Attr::Body>() == &body || i->get<Attr::Condition>() == &body))
        return i;
    }
  }
  return nullptr;
}

// Where the very same value stands one step before: through tuples, and from a loop's body to its start.
std::optional<ValueAt> sameValueBefore(const ValueAt& place) {
  const Instruction& i = *place.at;
  if (i.opcode() == Opcode::GetTupleElement && isFlat(i.operand(0)->shape()))
    return ValueAt{i.operand(0), static_cast<size_t>(i.tupleIndex())};
  if (!place.element) return std::nullopt;
  if (i.opcode() == Opcode::Tuple && *place.element < i.operandCount())
    return ValueAt{i.operand(*place.element), {}};
  if (i.opcode() == Opcode::While) return ValueAt{i.operand(0), place.element};
  if (i.opcode() == Opcode::Parameter && !i.parent().isEntry()) {
    if (const Instruction* loop = loopOf(i.module(), i.parent()))
      return ValueAt{loop->operand(0), place.element};
  }
  return std::nullopt;
}

std::string ruleOf(const ShardedRemark& gift) {
  return fmt::format("from {} %{} by {}", gift.way, gift.neighbour, gift.rule);
}

}  // namespace

Result<std::vector<ShardingStep>> shardingHistory(const Partitioning& partitioning, const std::string& name) {
  if (partitioning.spread == nullptr)
    return fail("not-sharded", "the module was partitioned before: how its shardings spread is not known");
  const MoveCauses& causes = *partitioning.causes;
  ValueAt place{causes.find(name), {}};
  if (place.at == nullptr) {
    return fail("no-such-instruction", fmt::format("no instruction '{}' where shardings spread", name), {},
                {"names are those of the module after the passes that inline calls: hilo partition --json"});
  }
  std::vector<ShardingStep> steps;
  absl::flat_hash_set<std::pair<const Instruction*, size_t>> seen;
  int round = std::numeric_limits<int>::max();
  while (place.at != nullptr && seen.emplace(place.at, place.element.value_or(0)).second) {
    ShardingStep step{.at = causes.endOf(std::string(place.at->name()))};
    const ShardedRemark* gift = giftBefore(causes.giftsOf(step.at.name), round);
    step.gave = elementText(gift == nullptr ? step.at.sharding : gift->sharding, place.element);
    if (step.gave.empty()) break;
    if (gift != nullptr) step.at.rule = ruleOf(*gift);
    const auto before = sameValueBefore(place);
    const bool goesOn = before && shardingOf(*before) == step.gave;
    if (goesOn) step.at.rule = fmt::format("the same value as in %{}", before->at->name());
    steps.push_back(std::move(step));
    if (goesOn) {
      place = *before;
      round = std::numeric_limits<int>::max();
    } else if (gift != nullptr) {
      round = gift->round;
      place = {causes.find(gift->neighbour), place.element};
    } else {
      break;
    }
  }
  return steps;
}

}  // namespace hilo
