#include "core/compiler/spmd/propagation.h"

#include "core/compiler/spmd/tiling_steps.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

using Direction = ShardingDecision::Direction;

bool isManual(const Tilings* tilings) {
  return tilings != nullptr && !tilings->empty() && std::ranges::all_of(*tilings, &Tiling::isManual);
}

}  // namespace

// Whether an instruction can be cut at all: the root of a computation that is no part of the program's flow
// cannot, nor an entry parameter or root that the header holds.
bool Propagation::canHold(const Instruction* instruction, Direction direction) const {
  const Module& module = state_.module();
  const Computation& parent = instruction->parent();
  const bool isLinked = linked_.callerOf(&parent) != nullptr;
  const bool isEntryRoot = parent.isEntry() && instruction->isRoot();
  const bool outputIsOpen =
      settings_.toOutput && direction == Direction::FromOperand &&
      std::ranges::count(module.get<Attr::AllowSpmdShardingPropagationToOutput>(), true) > 0;
  if (instruction->isRoot() && !isLinked && !(isEntryRoot && outputIsOpen)) return false;
  if (instruction->opcode() == Opcode::Parameter) {
    const bool isOpen =
        settings_.toParameters && direction == Direction::FromUser &&
        std::ranges::count(module.get<Attr::AllowSpmdShardingPropagationToParameters>(), true) > 0;
    return isLinked || isOpen;
  }
  if (instruction->shape().isDynamic()) return false;
  const Spread spread = spreadOf(*instruction);
  return spread != Spread::None && instruction->opcode() != Opcode::Call;
}

void Propagation::lookAgainAround(const Instruction* instruction) {
  for (const Instruction* operand : instruction->operands()) backwardDone_[operand->id().value] = false;
  for (const Instruction* user : instruction->users()) {
    forwardDone_[user->id().value] = false;
    for (const Computation* callee : user->calledComputations()) {
      for (const Instruction* parameter : callee->parameters()) forwardDone_[parameter->id().value] = false;
    }
  }
}

void Propagation::assign(const Instruction* instruction, Tilings tilings, const Instruction* from,
                         Direction direction, std::string_view rule) {
  Arena arena;
  std::string text;
  appendSharding(text, toSharding(tilings, instruction->shape(), arena));
  decisions_.push_back({.instruction = instruction->id(),
                        .name = std::string(instruction->name()),
                        .sharding = text,
                        .neighbour = from != nullptr ? std::string(from->name()) : "",
                        .rule = std::string(rule),
                        .direction = direction,
                        .level = level_,
                        .round = round_});
  state_.set(instruction, tilings);
  lookAgainAround(instruction);
  for (const Instruction* other : linked_.linkedTo(instruction)) {
    const Tilings* has = state_.of(other);
    if (state_.isFixed(other) || (has != nullptr && *has == tilings)) continue;
    const Instruction* caller = linked_.callerOf(&instruction->parent());
    assign(other, tilings, instruction, Direction::Linked,
           caller != nullptr ? caller->opcodeText() : instruction->opcodeText());
  }
}

bool Propagation::accept(const Instruction* instruction, const Offer& offer, Direction direction,
                         std::string_view rule) {
  const auto leaves = leavesOf(instruction->shape());
  const Tilings* current = state_.of(instruction);
  if (offer.tilings.size() != leaves.size()) return false;
  Tilings result = current != nullptr ? *current : offer.tilings;
  bool isBetter = current == nullptr && !offer.tilings.empty() && !offer.tilings[0].isOneDevice;
  for (size_t i = 0; current != nullptr && i < leaves.size(); ++i) {
    auto better = improved(offer.tilings[i], &(*current)[i], leaves[i], level_ > 0, offer.mayReplace);
    if (!better || *better == (*current)[i]) continue;
    result[i] = std::move(*better);
    isBetter = true;
  }
  if (!isBetter) return false;
  const Instruction* through = direction == Direction::FromUser ? offer.from : instruction;
  assign(instruction, std::move(result), offer.from, direction, rule.empty() ? through->opcodeText() : rule);
  return true;
}

// Manual shardings pass to every array around, but through the conversions.
bool Propagation::takeManual(const Instruction* instruction, std::span<Instruction* const> neighbours,
                             Direction direction) {
  const Tilings* current = state_.of(instruction);
  const bool isOpen = current == nullptr || std::ranges::all_of(*current, &Tiling::isReplicated);
  const Opcode opcode = instruction->opcode();
  const bool isForward = direction == Direction::FromOperand;
  constexpr Opcode kTuples[] = {Opcode::Reduce,      Opcode::ReduceWindow, Opcode::Scan,
                                Opcode::Sort,        Opcode::CustomCall,   Opcode::AsyncStart,
                                Opcode::AsyncUpdate, Opcode::AsyncDone};
  const bool mayBeTuple = std::ranges::find(kTuples, opcode) != std::end(kTuples);
  if (!isOpen || (!instruction->shape().isArray() && !(isForward && mayBeTuple))) return false;
  for (const Instruction* neighbour : neighbours) {
    if (!isManual(state_.of(neighbour))) continue;
    const Instruction* conversion = isForward ? instruction : neighbour;
    const std::string_view stop = isForward ? "SPMDShardToFullShape" : "SPMDFullToShardShape";
    if (conversion->get<Attr::CustomCallTarget>() == stop) {
      if (isForward) return false;
      continue;
    }
    if (isForward && level_ == 0 && (opcode == Opcode::Concatenate || opcode == Opcode::DynamicSlice))
      return false;
    Tilings manual;
    for (Shape leaf : leavesOf(instruction->shape()))
      manual.push_back(manualTiling(leaf.isArray() ? leaf.rank() : 0, state_.partitions()));
    assign(instruction, std::move(manual), neighbour, direction, "manual");
    return true;
  }
  return false;
}

bool Propagation::refineOpen(const Instruction* instruction, const Tiling& offer, const Instruction* from,
                             Direction direction) {
  const auto open = stated_.openDimensions.find(instruction);
  const Tiling* current = state_.arrayOf(instruction);
  if (open == stated_.openDimensions.end() || current == nullptr || level_ == 0 || offer.isOneDevice)
    return false;
  std::vector<int64_t> closed;
  for (int64_t d = 0; d < static_cast<int64_t>(current->rank()); ++d) {
    if (std::ranges::find(open->second, d) == open->second.end()) closed.push_back(d);
  }
  const Tiling part = wholeIn(offer, closed);
  if (part.isWhole()) return false;
  const auto both = current->isReplicated() ? std::optional(part) : merged(*current, part);
  if (!both || both->tileCount() <= current->tileCount()) return false;
  assign(instruction, {*both}, from, direction, "open dimensions");
  return true;
}

namespace {

// The state of random bits is the same everywhere, whatever its operands say.
bool isRandomState(const Instruction* instruction) {
  const auto isBits = [](const Instruction* user) { return user->opcode() == Opcode::RngBitGenerator; };
  return instruction->shape().isArray() && std::ranges::any_of(instruction->users(), isBits);
}

}  // namespace

bool Propagation::takeFromOperands(const Instruction* instruction) {
  if (isRandomState(instruction) && state_.of(instruction) != nullptr) return false;
  if (state_.isFixed(instruction)) {
    const Tiling* operand =
        instruction->operandCount() == 1 ? state_.arrayOf(instruction->operand(0)) : nullptr;
    return operand != nullptr &&
           refineOpen(instruction, *operand, instruction->operand(0), Direction::FromOperand);
  }
  if (!spreadsAt(*instruction, level_) || isManual(state_.of(instruction))) return false;
  if (takeManual(instruction, instruction->operands(), Direction::FromOperand)) return true;
  if (const Instruction* operand = linked_.operandOf(instruction)) {
    const Tilings* known = state_.of(operand);
    return known != nullptr && accept(instruction, {operand, *known, false}, Direction::FromOperand, "call");
  }
  if (!canHold(instruction, Direction::FromOperand)) {
    if (!instruction->shape().isArray() || instruction->isRoot() || instruction->operandCount() == 0)
      return false;
    for (const Instruction* operand : instruction->operands()) {
      const Tiling* tiling = state_.arrayOf(operand);
      if (tiling != nullptr && tiling->isReplicated() && !tiling->isOneDevice)
        return accept(instruction, {operand, {wholeTiling(*tiling, instruction->shape().rank())}, false},
                      Direction::FromOperand, "replicated");
    }
    return false;
  }
  bool changed = false;
  for (const Offer& offer : offersOfOperands(state_, *instruction, level_))
    changed |= accept(instruction, offer, Direction::FromOperand);
  return changed;
}

bool Propagation::takeFromUsers(const Instruction* instruction) {
  const bool isOpen = stated_.openDimensions.contains(instruction);
  if (level_ < 2 && instruction->opcode() == Opcode::Broadcast) return false;
  if ((state_.isFixed(instruction) && !isOpen) || isManual(state_.of(instruction))) return false;
  if (!isOpen && takeManual(instruction, instruction->users(), Direction::FromUser)) return true;
  if (!isOpen && !canHold(instruction, Direction::FromUser)) return false;
  bool changed = false;
  for (const Instruction* user : instruction->users()) {
    if (user->opcode() == Opcode::RngBitGenerator && instruction->shape().isArray()) {
      const Tiling* has = state_.arrayOf(instruction);
      if (has != nullptr) return changed;
      assign(instruction, {replicatedTiling(instruction->shape().rank(), state_.partitions())}, user,
             Direction::FromUser, "rng-bit-generator");
      return true;
    }
    const auto outfeed = stated_.outfeeds.find(user);
    if (outfeed != stated_.outfeeds.end() && user->operand(0) == instruction) {
      changed |= !isOpen && accept(instruction, {user, outfeed->second, false}, Direction::FromUser);
      continue;
    }
    const Tilings* known = state_.of(user);
    if (known == nullptr) continue;
    const auto offer = offerOfUser(state_, *instruction, *user, *known, level_);
    if (!offer) continue;
    changed |= isOpen ? offer->size() == 1 && refineOpen(instruction, (*offer)[0], user, Direction::FromUser)
                      : accept(instruction, {user, *offer, false}, Direction::FromUser);
  }
  return changed;
}

bool Propagation::takeFromGroup(const Instruction* instruction) {
  const auto found = stated_.groupOf.find(instruction);
  if (found == stated_.groupOf.end() || state_.isFixed(instruction)) return false;
  const ShardGroupMembers& group = stated_.groups.at(found->second);
  bool changed = false;
  for (const Instruction* member : group.members) {
    const Tilings* known = member == instruction ? nullptr : state_.of(member);
    if (known != nullptr)
      changed |= accept(instruction, {member, *known, false}, Direction::Linked,
                        group.isAs ? "shard-as" : "shard-like");
  }
  return changed;
}

bool Propagation::spreadOnce() {
  bool changed = false;
  ++round_;
  for (Computation* computation : state_.module().computations()) {
    for (const Instruction* i : computation->instructions()) changed |= takeFromGroup(i);
    for (const Instruction* i : computation->instructions()) {
      if (forwardDone_[i->id().value]) continue;
      forwardDone_[i->id().value] = true;
      changed |= takeFromOperands(i);
    }
    for (const Instruction* i = computation->last(); i != nullptr; i = i->previous()) {
      if (backwardDone_[i->id().value]) continue;
      backwardDone_[i->id().value] = true;
      changed |= takeFromUsers(i);
    }
  }
  return changed;
}

// The members of a shard_as group get one sharding: of all where they go together, else the first.
void Propagation::alignGroups() {
  for (const auto& [id, group] : stated_.groups) {
    if (!group.isAs) continue;
    std::optional<Tiling> common;
    for (const Instruction* member : group.members) {
      const Tiling* tiling = state_.arrayOf(member);
      if (tiling == nullptr) continue;
      common = common ? mergedOrBetter(*common, *tiling, true) : *tiling;
    }
    for (const Instruction* member : group.members) {
      const Tiling* has = state_.arrayOf(member);
      if (common && (has == nullptr || !(*has == *common)))
        assign(member, {*common}, nullptr, Direction::Linked, "shard-as");
    }
  }
}

void Propagation::run(const CancelToken& cancel) {
  for (int pass = 0; pass < 5; ++pass) {
    if (pass == 4) {
      if (stated_.groups.empty()) break;
      alignGroups();
    }
    level_ = std::min(pass, 3);
    forwardDone_.assign(state_.module().idLimit(), false);
    backwardDone_.assign(state_.module().idLimit(), false);
    while (!cancel.cancelled() && spreadOnce()) {
    }
  }
}

}  // namespace hilo
