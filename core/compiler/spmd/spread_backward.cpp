// What a user offers its operand.
#include "core/compiler/spmd/op_factors.h"
#include "core/compiler/spmd/spread_rules.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

struct Giver {
  const ShardingState& state;
  const Instruction& instruction;
  const Instruction& user;
  const Tilings& tilings;  // of the user
  int level;

  size_t place() const {
    return static_cast<size_t>(std::ranges::find(user.operands(), &instruction) - user.operands().begin());
  }
  bool mayMerge() const { return level > 0; }
  size_t rank() const { return instruction.shape().rank(); }
};

using MaybeTilings = std::optional<Tilings>;

Tiling backThroughFactors(const Giver& giver, const OpFactors& factors, size_t operand) {
  return renamed(renamed(giver.tilings[0], resultOfFactor(factors)),
                 factorOfDimension(factors, operand, giver.rank()));
}
// From a sibling operand's tiling, along factors that both have.
Tiling acrossFactors(const Giver& giver, const OpFactors& factors, size_t from, size_t to,
                     const Tiling& tiling) {
  return renamed(renamed(tiling, dimensionOfFactor(factors, from)),
                 factorOfDimension(factors, to, giver.rank()));
}

MaybeTilings sameDimensions(const Giver& giver) {
  const Shape mine = giver.instruction.shape();
  const auto leaves = leavesOf(giver.user.shape());
  if (mine.isTuple())
    return mine.withoutLayout() == giver.user.shape().withoutLayout() ? MaybeTilings(giver.tilings)
                                                                      : std::nullopt;
  const size_t leaf = std::min(giver.place(), giver.tilings.size() - 1);
  if (!mine.isArray() || !leaves[leaf].isArray() || leaves[leaf].rank() != mine.rank()) return std::nullopt;
  return Tilings{giver.tilings[leaf]};
}

bool hasSameSizes(const Giver& giver) {
  const Shape mine = giver.instruction.shape(), its = giver.user.shape();
  if (mine.isTuple() || its.isTuple()) return mine.withoutLayout() == its.withoutLayout();
  return mine.isArray() && its.isArray() && std::ranges::equal(mine.dimensions(), its.dimensions());
}

MaybeTilings fromDot(const Giver& giver) {
  const size_t mine = giver.place();
  if (mine > 1) return std::nullopt;
  const OpFactors factors = opFactors(giver.user);
  Tiling result = backThroughFactors(giver, factors, mine);
  const Tiling* other = giver.state.arrayOf(giver.user.operand(1 - mine));
  if (other != nullptr && !other->isOneDevice)
    result = mergedOrBetter(result, acrossFactors(giver, factors, 1 - mine, mine, *other), giver.mayMerge());
  return Tilings{result};
}

MaybeTilings fromReduce(const Giver& giver) {
  const size_t mine = giver.place(), inputs = giver.user.operandCount() / 2;
  if (mine >= inputs || giver.rank() == 0) return std::nullopt;
  Tiling result = backThroughFactors(giver, opFactors(giver.user), mine);
  for (size_t i = 0; i < inputs; ++i) {
    const Tiling* other = i == mine ? nullptr : giver.state.arrayOf(giver.user.operand(i));
    if (other == nullptr || other->isOneDevice || other->isReplicated()) continue;
    if (result.isReplicated()) result = *other;
    if (auto both = merged(result, *other)) result = *both;
  }
  return Tilings{result};
}

MaybeTilings fromSlices(const Giver& giver) {
  if (giver.level == 0) return std::nullopt;
  const size_t mine = giver.place();
  const bool isUpdate = giver.user.opcode() == Opcode::DynamicUpdateSlice;
  if (isUpdate && mine == 0) return giver.tilings;
  if (mine != (isUpdate ? 1 : 0))
    return giver.tilings[0].isReplicated() ? MaybeTilings({wholeTiling(giver.tilings[0], giver.rank())})
                                           : std::nullopt;
  return Tilings{backThroughFactors(giver, opFactors(giver.user), mine)};
}

MaybeTilings fromScatter(const Giver& giver) {
  const size_t mine = giver.place(), arrays = giver.user.operandCount() / 2;
  const OpFactors factors = opFactors(giver.user);
  if (mine < arrays) return Tilings{giver.tilings[std::min(mine, giver.tilings.size() - 1)]};
  std::optional<Tiling> result;
  const auto take = [&](const Tiling& offer) {
    if (offer.isReplicated()) return;
    const auto both = result ? merged(*result, offer) : std::optional(offer);
    if (both) result = both;
  };
  if (mine > arrays) {
    const Tiling& ofResult = giver.tilings[std::min(mine - arrays - 1, giver.tilings.size() - 1)];
    take(renamed(renamed(ofResult, resultOfFactor(factors)), factorOfDimension(factors, mine, giver.rank())));
  }
  for (size_t other = arrays; other < giver.user.operandCount(); ++other) {
    const bool isPair = (mine == arrays) != (other == arrays);  // the indices and their updates
    const Tiling* tiling = isPair ? giver.state.arrayOf(giver.user.operand(other)) : nullptr;
    if (tiling != nullptr && !tiling->isOneDevice && !tiling->isReplicated())
      take(acrossFactors(giver, factors, other, mine, *tiling));
  }
  const auto isKnown = [&](const Instruction* update) {
    const Tiling* tiling = giver.state.arrayOf(update);
    return tiling != nullptr && !tiling->isOneDevice;
  };
  if (!result && mine == arrays && std::ranges::any_of(giver.user.operands().subspan(arrays + 1), isKnown))
    result = wholeTiling(giver.tilings[0], giver.rank());
  return result ? MaybeTilings({*result}) : std::nullopt;
}

// The best of the places where it stands in the tuple.
MaybeTilings fromTuple(const Giver& giver) {
  MaybeTilings best;
  size_t leaf = 0;
  for (const Instruction* operand : giver.user.operands()) {
    const size_t count = leavesOf(operand->shape()).size();
    const auto begin = giver.tilings.begin() + static_cast<int64_t>(leaf);
    leaf += count;
    if (operand != &giver.instruction) continue;
    Tilings part(begin, begin + static_cast<int64_t>(count));
    if (!best || (count == 1 && saysMore(part[0], (*best)[0]))) best = std::move(part);
  }
  return best;
}

MaybeTilings fromElement(const Giver& giver) {
  Tilings result;
  if (const Tilings* known = giver.state.of(&giver.instruction)) {
    result = *known;
  } else {
    for (Shape leaf : leavesOf(giver.instruction.shape()))
      result.push_back(wholeTiling(giver.tilings[0], leaf.isArray() ? leaf.rank() : 0));
  }
  size_t leaf = 0;
  for (int64_t i = 0; i < giver.user.tupleIndex(); ++i)
    leaf += leavesOf(giver.instruction.shape().tupleShapes()[static_cast<size_t>(i)]).size();
  std::ranges::copy(giver.tilings, result.begin() + static_cast<int64_t>(leaf));
  return result;
}

}  // namespace

std::optional<Tilings> offerOfUser(const ShardingState& state, const Instruction& instruction,
                                   const Instruction& user, const Tilings& ofUser, int level) {
  if (!spreadsAt(user, level) || ofUser.empty() || ofUser[0].isOneDevice || ofUser[0].isPartial)
    return std::nullopt;
  const Giver giver{state, instruction, user, ofUser, level};
  // Nothing of what comes after such a barrier passes it.
  if (instruction.get<Attr::CustomCallTarget>() == "ShardBarrierTo")
    return Tilings{wholeTiling(ofUser[0], instruction.shape().rank())};
  switch (spreadOf(user)) {
    case Spread::Each:
      if (user.opcode() == Opcode::Concatenate && level == 0) return std::nullopt;
      if (user.opcode() == Opcode::Concatenate || user.opcode() == Opcode::Sort) return sameDimensions(giver);
      if (user.opcode() == Opcode::ReduceWindow && giver.place() >= user.operandCount() / 2)
        return std::nullopt;
      return user.opcode() == Opcode::ReduceWindow || hasSameSizes(giver) ? sameDimensions(giver)
                                                                          : std::nullopt;
    case Spread::First:
      if (user.opcode() == Opcode::Pad || user.opcode() == Opcode::Slice)
        return giver.place() == 0 ? sameDimensions(giver) : std::nullopt;
      return hasSameSizes(giver) ? sameDimensions(giver) : std::nullopt;
    case Spread::Reverse:
      return sameDimensions(giver);
    case Spread::Convolution:
      return isProduct(user) ? fromDot(giver) : std::nullopt;
    case Spread::Dot:
      return fromDot(giver);
    case Spread::Update:
      return fromSlices(giver);
    case Spread::Reshape:
      return Tilings{reshapedInPart(ofUser[0], user.shape().dimensions(), instruction.shape().dimensions())};
    case Spread::Scatter:
      return fromScatter(giver);
    case Spread::Tuple:
      return fromTuple(giver);
    case Spread::Element:
      return fromElement(giver);
    case Spread::State:
      return ofUser;
    case Spread::Factors:
      if (user.opcode() == Opcode::Reduce) return fromReduce(giver);
      if (user.opcode() == Opcode::DynamicSlice) return fromSlices(giver);
      return Tilings{backThroughFactors(giver, opFactors(user), giver.place())};
    default:
      return hasSameSizes(giver) && user.opcode() == Opcode::CustomCall ? MaybeTilings(ofUser) : std::nullopt;
  }
}

}  // namespace hilo
