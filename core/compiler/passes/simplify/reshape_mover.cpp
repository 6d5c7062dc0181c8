#include "core/compiler/passes/simplify/reshape_mover.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/compiler/pass/kept_sharding.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isRearrangement(const Instruction& i) {
  return i.opcode() == Opcode::Reshape || i.opcode() == Opcode::Transpose;
}

bool isSameRearrangement(const Instruction& a, const Instruction& b) {
  return a.opcode() == b.opcode() && std::ranges::equal(a.dimensions(), b.dimensions()) &&
         std::ranges::equal(a.operand(0)->shape().dimensions(), b.operand(0)->shape().dimensions());
}

// The dimension before the rearrangement that is dimension `d` behind it; nullopt where there is none.
std::optional<int64_t> placeBefore(const Instruction& rearranged, int64_t d) {
  if (rearranged.opcode() == Opcode::Transpose) return rearranged.dimensions()[static_cast<size_t>(d)];
  const auto after = rearranged.shape().dimensions(), before = rearranged.operand(0)->shape().dimensions();
  int64_t wanted = 1, reached = 1;
  for (int64_t k = 0; k < d; ++k) wanted *= after[static_cast<size_t>(k)];
  for (size_t k = 0; k < before.size(); ++k) {
    if (reached == wanted && before[k] == after[static_cast<size_t>(d)]) return static_cast<int64_t>(k);
    reached *= before[k];
  }
  return std::nullopt;
}

// The dimensions of a broadcast before the rearrangement; nullopt where they do not stay what they are.
std::optional<std::vector<int64_t>> dimensionsBefore(const Instruction& broadcast,
                                                     const Instruction& rearranged) {
  std::vector<int64_t> places;
  for (const int64_t d : broadcast.dimensions()) {
    const auto place = placeBefore(rearranged, d);
    if (!place) return std::nullopt;
    places.push_back(*place);
  }
  return std::ranges::is_sorted(places) ? std::optional(places) : std::nullopt;
}

bool isOfOneDimension(const Instruction& broadcast) {
  return std::ranges::count_if(broadcast.operand(0)->shape().dimensions(),
                               [](int64_t size) { return size != 1; }) <= 1;
}

// Takes the form before the rearrangement for nothing.
bool isFree(const Instruction& i, const Instruction& rearranged, const ReshapeMoves& moves) {
  if (i.opcode() == Opcode::Constant) return true;
  if (i.opcode() != Opcode::Broadcast || !std::ranges::is_sorted(i.dimensions())) return false;
  if (i.operand(0)->shape().rank() == 0) return true;
  if (rearranged.opcode() == Opcode::Transpose) return dimensionsBefore(i, rearranged).has_value();
  return moves.broadcastsAreCheap && (isOfOneDimension(i) || dimensionsBefore(i, rearranged));
}

// The first operand that is rearranged for something, where all that are not free are so in the same way.
const Instruction* commonRearrangement(const Instruction& i, const ReshapeMoves& moves) {
  const auto isMoved = [&](const Instruction* o) {
    return isRearrangement(*o) && !o->has(Attr::ControlPredecessors) && liesRowMajor(o->shape()) &&
           liesRowMajor(o->operand(0)->shape()) && o->operand(0)->opcode() != Opcode::Rng;
  };
  const auto first = std::ranges::find_if(
      i.operands(), [&](const Instruction* o) { return isMoved(o) && !isFree(*o->operand(0), *o, moves); });
  if (first == i.operands().end()) return nullptr;
  const bool allFollow = std::ranges::all_of(i.operands(), [&](const Instruction* o) {
    return (isMoved(o) && isSameRearrangement(**first, *o)) || isFree(*o, **first, moves);
  });
  return allFollow ? *first : nullptr;
}

bool isCandidate(const Instruction& i, const ReshapeMoves& moves) {
  return isElementwise(i.opcode()) && i.operandCount() > 0 && liesRowMajor(i.shape()) &&
         !i.has(Attr::ControlPredecessors) && (!i.users().empty() || i.isRoot()) &&
         std::ranges::all_of(i.operands(),
                             [&](const Instruction* o) { return o->shape().rank() == i.shape().rank(); }) &&
         commonRearrangement(i, moves) != nullptr;
}

using Candidates = absl::flat_hash_set<const Instruction*>;

// What it moves is read by others that do not move it.
bool leavesReaders(const Instruction& i, const Candidates& candidates) {
  return std::ranges::any_of(i.operands(), [&](const Instruction* o) {
    return isRearrangement(*o) &&
           (o->isRoot() || std::ranges::any_of(o->users(), [&](const Instruction* user) {
              return !candidates.contains(user);
            }));
  });
}

Candidates candidatesOf(const Computation& computation, const ReshapeMoves& moves) {
  Candidates candidates;
  for (const Instruction* i : computation.instructions()) {
    if (isCandidate(*i, moves)) candidates.insert(i);
  }
  const auto leaves = [&](const Instruction* i) { return leavesReaders(*i, candidates); };
  for (auto left = std::ranges::find_if(candidates, leaves); left != candidates.end();
       left = std::ranges::find_if(candidates, leaves))
    candidates.erase(left);
  return candidates;
}

// The operand as it is before the rearrangement.
Instruction* rearrangedBack(Instruction& operand, const Instruction& common, Instruction& before) {
  const auto sizes = common.operand(0)->shape().dimensions();
  if (isRearrangement(operand) && isSameRearrangement(common, operand)) return operand.operand(0);
  if (operand.opcode() == Opcode::Broadcast) {
    if (const auto places = dimensionsBefore(operand, common)) {
      Instruction* made = before.parent().createLike(operand, {{operand.operand(0)}}, &before);
      made->set<Attr::Dimensions>(*places);
      made->erase(Attr::Sharding);
      made->setShape(arrayLike(operand.shape(), operand.shape().elementType(), sizes));
      return made;
    }
  }
  if (common.opcode() == Opcode::Reshape) return reshapeTo(&operand, sizes, before);
  std::vector<int64_t> inverse(common.dimensions().size());
  for (size_t d = 0; d < inverse.size(); ++d)
    inverse[static_cast<size_t>(common.dimensions()[d])] = static_cast<int64_t>(d);
  return transposeBy(&operand, inverse, before);
}

// What takes the place of `i` has its sharding; what has other dimensions has none.
Instruction* moved(Instruction& i, const ReshapeMoves& moves) {
  const Instruction& common = *commonRearrangement(i, moves);
  std::vector<Instruction*> operands;
  for (Instruction* operand : i.operands()) operands.push_back(rearrangedBack(*operand, common, i));
  Instruction* made = i.parent().createLike(i, operands, &i);
  made->setShape(arrayLike(i.shape(), i.shape().elementType(), common.operand(0)->shape().dimensions()));
  Instruction* back = i.parent().createLike(common, {{made}}, &i);
  back->setShape(i.shape());
  made->erase(Attr::Sharding);
  back->erase(Attr::Sharding);
  takeSharding(i, *back);
  return back;
}

// Once each; what moved may let others move.
bool moveOnce(Computation& computation, PassContext& context, const ReshapeMoves& moves) {
  const Candidates candidates = candidatesOf(computation, moves);
  bool changed = false;
  for (Instruction* i : computation.instructions()) {
    if (!candidates.contains(i)) continue;
    if (context.cancelled() || !context.mayChange(*i)) return false;
    Instruction* instead = moved(*i, moves);
    context.remark(*i, "moved", fmt::format("now %{}", instead->name()));
    computation.replaceAllUses(i, instead);
    computation.remove(i);
    changed = true;
  }
  return changed;
}

}  // namespace

Result<bool> moveReshapes(Module& module, PassContext& context, const ReshapeMoves& moves) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    while (moveOnce(*computation, context, moves)) changed = true;
  }
  return changed;
}

}  // namespace hilo
