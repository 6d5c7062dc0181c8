#include "core/compiler/passes/loops/permute_motion.h"

#include <algorithm>

#include "core/analysis/schedule/verify_order.h"
#include "core/analysis/while_loop.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/pass/replace_uses.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

constexpr size_t kMostMoved = 8;
using Constants = absl::flat_hash_set<const Instruction*>;

bool isInvariant(const Instruction& i, const Constants& known) {
  switch (i.opcode()) {
    case Opcode::Constant:
    case Opcode::Iota:
    case Opcode::ReplicaId:
    case Opcode::PartitionId:
      return true;
    case Opcode::Broadcast:
    case Opcode::Reduce:
    case Opcode::Reshape:
    case Opcode::DynamicSlice:
    case Opcode::Transpose:
      break;
    default:
      if (!isElementwise(i.opcode())) return false;
  }
  return !hasOwnSideEffect(i) && std::ranges::all_of(i.operands(), [&](const Instruction* operand) {
    return known.contains(operand);
  });
}

// What has the same value in every iteration.
Constants invariantsOf(const Computation& body) {
  Constants found;
  const Instruction &root = *body.root(), *carried = body.parameters()[0];
  for (size_t k = 0; k < root.operandCount(); ++k) {
    const Instruction* value = root.operand(k);
    while (value->opcode() == Opcode::Reshape || value->opcode() == Opcode::Copy) value = value->operand(0);
    if (value->opcode() == Opcode::GetTupleElement && value->operand(0) == carried &&
        value->tupleIndex() == static_cast<int64_t>(k))
      found.insert(value);
  }
  for (const Instruction* i : body.instructions()) {
    if (isInvariant(*i, found)) found.insert(i);
  }
  return found;
}

// A permute and what is done to its result before the end of the body; users before their operands.
struct Cluster {
  std::vector<Instruction*> members;
  Instruction* permute = nullptr;
};

std::optional<Cluster> clusterAt(Instruction* end, const Constants& invariants) {
  Cluster cluster;
  std::vector<Instruction*> pending = {end};
  for (size_t k = 0; k < pending.size(); ++k) {
    Instruction* i = pending[k];
    if (cluster.members.size() >= kMostMoved || i->users().size() > 1 || i->has(Attr::ControlPredecessors))
      return std::nullopt;
    cluster.members.push_back(i);
    if (i->opcode() == Opcode::CollectivePermute && i->operandCount() == 1) {
      if (cluster.permute != nullptr) return std::nullopt;
      cluster.permute = i;
      continue;
    }
    if (!isElementwise(i->opcode()) || hasOwnSideEffect(*i)) return std::nullopt;
    for (Instruction* operand : i->operands()) {
      if (!invariants.contains(operand)) pending.push_back(operand);
    }
  }
  return cluster.permute == nullptr ? std::nullopt : std::optional(cluster);
}

// The one read of element k at the start of the body; null where there is none, or more.
Instruction* readOf(const Computation& body, int64_t k) {
  Instruction* read = nullptr;
  for (Instruction* user : body.parameters()[0]->users()) {
    if (user->opcode() != Opcode::GetTupleElement || user->tupleIndex() != k) continue;
    if (read != nullptr) return nullptr;
    read = user;
  }
  return read;
}

bool isReadAfter(const Instruction& loop, int64_t k) {
  return loop.isRoot() || std::ranges::any_of(loop.users(), [&](const Instruction* user) {
           return user->opcode() != Opcode::GetTupleElement || user->tupleIndex() == k;
         });
}

struct Move {
  Cluster cluster;
  Instruction* input;
  size_t element;
};

std::optional<Move> moveAt(const Instruction& loop, size_t element, const Constants& invariants) {
  const Computation& body = *loop.get<Attr::Body>();
  Instruction* end = body.root()->operand(element);
  const auto index = static_cast<int64_t>(element);
  if (isReadAfter(loop, index) || std::ranges::count(body.root()->operands(), end) > 1) return std::nullopt;
  Instruction* input = readOf(body, index);
  const auto cluster = clusterAt(end, invariants);
  if (input == nullptr || !cluster || cluster->permute->operand(0) == input) return std::nullopt;
  return Move{*cluster, input, element};
}

// The permute and its work on `input`; the value it is given in the first iteration.
void apply(Instruction& loop, const Move& move, const InductionVariable& counter) {
  Computation& body = *loop.get<Attr::Body>();
  Instruction* input = move.input;
  const std::vector<Instruction*> readers(input->users().begin(), input->users().end());
  Instruction* value = move.cluster.permute->operand(0);
  absl::flat_hash_map<const Instruction*, Instruction*> made = {{value, input}};
  for (auto member = move.cluster.members.rbegin(); member != move.cluster.members.rend(); ++member) {
    std::vector<Instruction*> operands;
    for (Instruction* operand : (*member)->operands()) {
      const auto found = made.find(operand);
      operands.push_back(found == made.end() ? operand : found->second);
    }
    made[*member] = body.createLike(**member, operands);
  }
  Instruction* moved = made.at(move.cluster.members.front());
  Instruction* count = readOf(body, counter.tupleIndex);
  Instruction* first = algebra::makeSplat(*body.root(), count->shape(), static_cast<double>(counter.init));
  const Shape pred = arrayLike(input->shape(), ElementType::Pred, {});
  Instruction* isFirst = body.create(Opcode::Compare, pred, {count, first});
  isFirst->set<Attr::Direction>(ComparisonDirection::Eq);
  Instruction* everywhere =
      body.create(Opcode::Broadcast,
                  arrayLike(input->shape(), ElementType::Pred, input->shape().dimensions()), {isFirst});
  everywhere->set<Attr::Dimensions>(std::vector<int64_t>{});
  Instruction* chosen = body.create(Opcode::Select, input->shape(), {everywhere, input, moved});
  for (Instruction* reader : readers) replaceUsesBy(reader, input, chosen);
  body.root()->setOperand(move.element, value);
  body.removeAll(move.cluster.members);
  body.reorder(postOrder(body));
}

bool isPlainLoop(const Instruction& i) {
  if (i.opcode() != Opcode::While || i.operand(0)->opcode() != Opcode::Tuple) return false;
  const Computation& body = *i.get<Attr::Body>();
  return body.root()->opcode() == Opcode::Tuple &&
         std::ranges::all_of(body.parameters()[0]->users(), [](const Instruction* user) {
           return user->opcode() == Opcode::GetTupleElement;
         });
}

}  // namespace

Result<bool> moveCollectivePermutes(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* loop : computation->instructions()) {
      if (!isPlainLoop(*loop)) continue;
      const auto counter = inductionVariable(*loop);
      if (!counter || readOf(*loop->get<Attr::Body>(), counter->tupleIndex) == nullptr) continue;
      for (size_t k = 0; k < loop->get<Attr::Body>()->root()->operandCount(); ++k) {
        if (context.cancelled()) return changed;
        const auto move = moveAt(*loop, k, invariantsOf(*loop->get<Attr::Body>()));
        if (!move) continue;
        if (!context.mayChange(*move->cluster.permute)) return changed;
        context.remark(*move->cluster.permute, "moved", "to the start of the next iteration");
        apply(*loop, *move, *counter);
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace hilo
