#include "core/compiler/passes/collectives/windowed/gathered_operand.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/analysis/while_loop.h"
#include "core/compiler/passes/collectives/windowed/scaled_operand.h"
#include "core/compiler/passes/loops/loop_parts.h"

namespace hilo {
namespace {

struct Gather {
  Instruction* allGather = nullptr;
  std::optional<ScaledOperand> scaled;  // where it gathers the scaled value
};

std::vector<Gather> gathersOf(const Instruction& loop, const Instruction& part) {
  std::vector<Gather> found;
  for (Instruction* i : loop.parent().instructions()) {
    if (i->opcode() != Opcode::AllGather || i->operandCount() != 1 || !i->shape().isArray()) continue;
    const bool isRead = std::ranges::any_of(
        i->users(), [](const Instruction* user) { return user->opcode() == Opcode::Dot; });
    if (!isRead || i->isRoot()) continue;
    Gather gather{.allGather = i};
    if (i->operand(0) != &part) gather.scaled = scaledOperand(*i->operand(0));
    if (i->operand(0) == &part || (gather.scaled && gather.scaled->stored == &part)) found.push_back(gather);
  }
  return found;
}

// Everyone gets the value of the next of n.
bool passesOn(const Instruction& permute, int64_t n) {
  const auto pairs = permute.get<Attr::SourceTargetPairs>();
  if (!permute.has(Attr::ChannelId) || std::ssize(pairs) != n) return false;
  absl::flat_hash_set<int64_t> targets;
  for (const auto pair : pairs) {
    if (pair[0] != (pair[1] + 1) % n) return false;
    targets.insert(pair[1]);
  }
  return std::ssize(targets) == n;
}

// The parts that one iteration holds, in order; empty where the body hands on something else.
std::vector<Instruction*> partsHeld(const Computation& body, int64_t n) {
  std::vector<Instruction*> held;
  for (Instruction* value = body.root()->operand(0); value->opcode() == Opcode::CollectivePermute;) {
    if (value->operandCount() != 1 || !passesOn(*value, n)) return {};
    value = value->operand(0);
    held.push_back(value);
  }
  std::ranges::reverse(held);
  const bool starts = !held.empty() && held[0]->opcode() == Opcode::GetTupleElement &&
                      held[0]->operand(0) == body.parameters()[0] && held[0]->tupleIndex() == 0;
  return starts ? held : std::vector<Instruction*>();
}

bool gathersAll(const Instruction& allGather, int64_t n) {
  const auto groups = expandReplicaGroups(*allGather.get<Attr::ReplicaGroups>());
  if (!allGather.has(Attr::ChannelId) || groups.size() != 1 || std::ssize(groups[0]) != n) return false;
  return std::ranges::is_sorted(groups[0]);
}

bool needs(const Instruction& loop, std::span<Instruction* const> values) {
  std::vector<const Instruction*> pending = {&loop};
  absl::flat_hash_set<const Instruction*> seen = {&loop};
  while (!pending.empty()) {
    const Instruction* i = pending.back();
    pending.pop_back();
    if (std::ranges::find(values, i) != values.end()) return true;
    const auto visit = [&](std::span<Instruction* const> before) {
      for (const Instruction* other : before) {
        if (seen.insert(other).second) pending.push_back(other);
      }
    };
    visit(i->operands());
    visit(i->get<Attr::ControlPredecessors>());
  }
  return false;
}

// Why the loop does not hold every part; empty where it does.
std::string_view whyNotAll(const Instruction& loop, std::span<Instruction* const> held, int64_t n) {
  if (loop.module().replicaCount() != 1) return "the module has replicas";
  if (held.empty()) return "the loop does not pass it on to the next partition";
  const auto counter = inductionVariable(loop);
  if (!counter || counter->init != 0 || counter->step != std::ssize(held))
    return "the loop does not count its permutes";
  if (counter->last() + counter->step < n) return "the loop does not see every part";
  return {};
}

// The array of all parts with those of one iteration written to it.
Instruction* partsWritten(const LoopParts& parts, std::span<Instruction* const> held, Instruction* all,
                          int64_t along, int64_t n) {
  Computation& body = *parts.body;
  const InductionVariable counter = *inductionVariable(*parts.loop);
  Instruction* round = elementInBody(parts, counter.tupleIndex);
  const Shape number = round->shape();
  const auto apply = [&](Opcode opcode, Instruction* a, Instruction* b) {
    return body.create(opcode, number, {a, b});
  };
  Instruction* own =
      body.create(Opcode::PartitionId, number.withElementType(ElementType::U32), std::span<Instruction*>());
  if (number.elementType() != ElementType::U32) own = body.create(Opcode::Convert, number, {own});
  const int64_t size = held[0]->shape().dimension(static_cast<size_t>(along));
  for (size_t k = 0; k < held.size(); ++k) {
    Instruction* whose = apply(Opcode::Add, apply(Opcode::Add, round, own),
                               makeInteger(body, number, std::ssize(held.first(k))));
    Instruction* tile = apply(Opcode::Remainder, whose, makeInteger(body, number, n));
    Instruction* start = apply(Opcode::Multiply, tile, makeInteger(body, number, size));
    Instruction* update = body.create(Opcode::DynamicUpdateSlice, all->shape(), {all, held[k]});
    for (size_t d = 0; d < all->shape().rank(); ++d)
      update->appendOperand(static_cast<int64_t>(d) == along ? start : makeInteger(body, number, 0));
    all = update;
  }
  return all;
}

// Carries the whole array through the loop; gives its index.
int64_t carryWhole(LoopParts& parts, const Instruction& allGather, int64_t n) {
  const std::vector<Instruction*> held = partsHeld(*parts.body, n);
  const Shape whole = allGather.shape().withElementType(held[0]->shape().elementType());
  Instruction* element = parts.body->create(Opcode::GetTupleElement, whole, {parts.parameter});
  element->set<Attr::Index>(parts.size());
  Instruction* next = partsWritten(parts, held, element, allGather.dimensions()[0], n);
  return carry(parts, makeZero(parts.outside(), whole), next);
}

}  // namespace

Result<bool> gatherInLoop(Instruction& loop, PassContext& context) {
  const Instruction& init = *loop.operand(0);
  if (init.opcode() != Opcode::Tuple || init.operandCount() == 0) return false;
  const int64_t n = loop.module().partitionCount();
  std::optional<LoopParts> parts;
  std::vector<std::pair<int64_t, int64_t>> carried;  // gathered dimension, index
  for (const Gather& gather : gathersOf(loop, *init.operand(0))) {
    const std::vector<Instruction*> held = partsHeld(*loop.get<Attr::Body>(), n);
    std::string_view reason = parts ? "" : whyNotAll(loop, held, n);
    if (reason.empty() && !gathersAll(*gather.allGather, n)) reason = "it does not gather all partitions";
    if (gather.scaled && !isSameOnPartitions(*gather.scaled->scale)) reason = "its scale may differ";
    if (reason.empty() && needs(loop, gather.allGather->users())) reason = "the loop needs what reads it";
    if (!reason.empty()) {
      context.remark(*gather.allGather, "missed", fmt::format("not gathered in the loop: {}", reason));
      continue;
    }
    if (!context.mayChange(*gather.allGather)) continue;
    context.remark(*gather.allGather, "gathered", fmt::format("in the loop {}", loop.name()));
    if (!parts) {
      TRY(parts, takeLoopApart(loop));
    }
    const int64_t along = gather.allGather->dimensions()[0];
    auto known = std::ranges::find(carried, along, &std::pair<int64_t, int64_t>::first);
    if (known == carried.end())
      known = carried.insert(known, {along, carryWhole(*parts, *gather.allGather, n)});
    Instruction* whole = elementAfterLoop(*parts, known->second);
    if (gather.scaled) whole = scaleAs(*gather.scaled, whole, gather.scaled->scale, parts->outside());
    parts->outside().replaceAllUses(gather.allGather, whole);
    restoreOrder(*parts);
  }
  return parts.has_value();
}

}  // namespace hilo
