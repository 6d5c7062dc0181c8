#include "core/compiler/passes/collectives/pipeliner/body_facts.h"
#include "core/compiler/passes/collectives/pipeliner/rewrites.h"
#include "core/compiler/passes/collectives/pipeliner/stacked_formatting.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

// Which values do not depend on what the loop carries.
class Invariance {
 public:
  Invariance(const Computation& body, std::span<const PipelinedMove> moves) {
    for (const PipelinedMove& move : moves) varying_.insert(move.collectives.begin(), move.collectives.end());
    for (const Instruction* i : body.instructions()) {
      if (i->opcode() == Opcode::Parameter || hasSideEffect(*i) ||
          std::ranges::any_of(i->operands(), [&](const Instruction* o) { return varying_.contains(o); }))
        varying_.insert(i);
    }
  }
  bool holds(const Instruction* i) const { return !varying_.contains(i); }

 private:
  absl::flat_hash_set<const Instruction*> varying_;
};

class Sinker {
 public:
  Sinker(LoopParts& parts, const LoopMoves& found, const PipelinerOptions& options, CopyNumbers& numbers)
      : parts_(parts),
        trips_(found.counter.trips),
        moves_(found.moves),
        options_(options),
        numbers_(numbers),
        invariance_(*parts.body, moves_) {}

  Status run() {
    dropMarks();
    for (const PipelinedMove& move : moves_) stackOperands(move);
    for (const PipelinedMove& move : moves_) carryOthers(move);
    for (const PipelinedMove& move : moves_) TRY_STATUS(doBehind(move));
    return {};
  }

 private:
  // Marks of earlier rounds on what is stacked.
  void dropMarks() {
    for (Instruction* next : parts_.root->operands()) {
      if (next->opcode() != Opcode::DynamicUpdateSlice ||
          !isCustomCall(*next->operand(1), kSunkByPreviousStep))
        continue;
      Instruction* mark = next->operand(1);
      next->setOperand(1, mark->operand(0));
    }
  }

  // One slice an iteration of an array the loop carries.
  int64_t stack(Instruction* value, Instruction* index, bool isMarked) {
    const Shape shape = stackedShape(value->shape(), trips_);
    const int64_t at = carry(parts_, makeZero(parts_.outside(), shape), makeZero(*parts_.body, shape));
    Instruction* slice = parts_.body->create(Opcode::Reshape, stackedShape(value->shape(), 1), {value});
    if (isMarked) {
      slice = parts_.body->create(Opcode::CustomCall, slice->shape(), {slice});
      slice->set<Attr::CustomCallTarget>(kSunkByPreviousStep);
    }
    parts_.root->setOperand(static_cast<size_t>(at), storeSlice(elementInBody(parts_, at), slice, 0, index));
    return at;
  }

  void stackOperands(const PipelinedMove& move) {
    for (const Instruction* collective : move.collectives)
      stackedAt_[collective] = stack(collective->operand(0), move.storeIndex(), !options_.lastRun);
  }

  void carryOthers(const PipelinedMove& move) {
    for (Instruction* other : outsideOperands(move)) {
      if (other->opcode() == Opcode::Constant || otherAt_.contains(other)) continue;
      otherAt_[other] = invariance_.holds(other)
                            ? carry(parts_, makeZero(parts_.outside(), other->shape()), other)
                            : stack(other, move.storeIndex(), false);
    }
  }

  Status doBehind(const PipelinedMove& move) {
    StackedFormatting behind(parts_.outside(), trips_, numbers_);
    for (Instruction* other : outsideOperands(move)) {
      const auto at = otherAt_.find(other);
      if (at == otherAt_.end()) continue;
      Instruction* value = elementAfterLoop(parts_, at->second);
      invariance_.holds(other) ? behind.setShared(other, value) : behind.setStacked(other, value);
    }
    BodyCopier sunk(parts_.outside(), numbers_);
    for (Instruction* collective : move.collectives) {
      sunk.map(collective->operand(0), elementAfterLoop(parts_, stackedAt_.at(collective)));
      TRY(Instruction * copy, sunk.copy(*collective));
      copy->setShape(stackedShape(collective->shape(), trips_));
      behind.setStacked(collective, copy);
    }
    for (const Instruction* i : move.formatting) TRY_STATUS(behind.add(*i, invariance_.holds(i)));
    for (size_t s = 0; s < move.stores.size(); ++s) {
      TRY(Instruction * result, behind.stacked(move.stores[s]->operand(1)));
      TRY_STATUS(replaceStore(move, s, result));
    }
    parts_.body->removeAll(movedInstructions(move));
    return {};
  }

  Status replaceStore(const PipelinedMove& move, size_t s, Instruction* result) {
    Instruction* store = move.stores[s];
    Computation& outside = parts_.outside();
    if (result->shape() != store->shape()) result = outside.create(Opcode::Reshape, store->shape(), {result});
    for (Instruction* reader : elementsAfterLoop(parts_, move.outputs[s])) {
      outside.replaceAllUses(reader, result);
      outside.remove(reader);
    }
    // The loop hands on what it started with: nothing reads it.
    parts_.body->replaceAllUses(store, elementsInBody(parts_, move.outputs[s])[0]);
    return {};
  }

  LoopParts& parts_;
  const int64_t trips_;
  const std::vector<PipelinedMove>& moves_;
  const PipelinerOptions& options_;
  CopyNumbers& numbers_;
  const Invariance invariance_;
  absl::flat_hash_map<const Instruction*, int64_t> stackedAt_, otherAt_;
};

}  // namespace

Status sinkForward(LoopParts& parts, const LoopMoves& found, const PipelinerOptions& options,
                   CopyNumbers& numbers) {
  return Sinker(parts, found, options, numbers).run();
}

}  // namespace hilo
