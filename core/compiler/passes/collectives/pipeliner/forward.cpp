#include "core/compiler/passes/collectives/pipeliner/rewrites.h"
#include "core/compiler/passes/control_edges.h"

namespace hilo {
namespace {

// A move and what the loop carries for it.
struct Carried {
  const PipelinedMove* move;
  bool intoCarried = true;    // the stores go into what the loop carries
  bool operandApart = false;  // the collective's operand is carried; else it lies in the slice
  int64_t operandAt = -1, indexAt = -1;
  std::vector<std::pair<Instruction*, int64_t>> others;  // outside operands
};

class ForwardMover {
 public:
  ForwardMover(LoopParts& parts, const LoopMoves& found, const PipelinerOptions& options,
               CopyNumbers& numbers)
      : parts_(parts), options_(options), numbers_(numbers) {
    for (const PipelinedMove& move : found.moves) moves_.push_back(describe(move));
  }

  Status run() {
    BodyCopier peeled(parts_.outside(), numbers_);
    TRY_STATUS(peelFirst(peeled));
    carryMore(peeled);
    for (const Carried& carried : moves_) {
      TRY_STATUS(carried.move->sink != nullptr ? rotateSink(carried) : rotateStore(carried));
      parts_.body->removeAll(movedInstructions(*carried.move));
    }
    return {};
  }

 private:
  Carried describe(const PipelinedMove& move) const {
    const Instruction& collective = *move.collectives[0];
    const Shape stored = move.formatting.empty() ? collective.shape() : move.formatting.back()->shape();
    Carried carried{.move = &move};
    if (move.sink == nullptr) {
      const Instruction* into = move.stores[0]->operand(0);
      if (into->opcode() == Opcode::OptBarrier) into = into->operand(0);
      carried.intoCarried = options_.level > 0 || (into->opcode() == Opcode::GetTupleElement &&
                                                   into->operand(0) == parts_.parameter);
    }
    carried.operandApart = move.sink != nullptr || !carried.intoCarried ||
                           stored != collective.operand(0)->shape() ||
                           (options_.reuseBuffer && !options_.reuseBuffer(collective));
    return carried;
  }

  // The first iteration in front of the loop, but for what moves.
  Status peelFirst(BodyCopier& peeled) {
    peeled.setGroups(BodyCopier::Groups::Renumber, /*dropIterations=*/true);
    absl::flat_hash_map<const Instruction*, const Carried*> moved;
    for (const Carried& carried : moves_) {
      for (const Instruction* i : movedInstructions(*carried.move)) moved[i] = &carried;
    }
    std::vector<Instruction*> order;
    for (Instruction* i : parts_.body->instructions()) order.push_back(i);
    for (Instruction* i : order) {
      if (i == parts_.parameter || i == parts_.root) continue;
      if (i->opcode() == Opcode::GetTupleElement && i->operand(0) == parts_.parameter) {
        peeled.map(i, parts_.init->operand(static_cast<size_t>(i->tupleIndex())));
        continue;
      }
      const auto found = moved.find(i);
      if (found == moved.end()) {
        TRY_STATUS(peeled.copy(*i));
        continue;
      }
      TRY_STATUS(peelMoved(*i, *found->second, peeled));
    }
    std::vector<Instruction*> first, before;
    for (const Instruction* next : parts_.root->operands()) first.push_back(peeled.at(next));
    for (size_t i = 0; i < first.size(); ++i) parts_.init->setOperand(i, first[i]);
    for (const Instruction* i : parts_.root->get<Attr::ControlPredecessors>()) {
      if (Instruction* copy = peeled.find(i)) addControlPredecessor(*parts_.init, *copy);
    }
    return {};
  }

  // The store keeps the operand in the slice, or nothing at all.
  Status peelMoved(const Instruction& i, const Carried& carried, BodyCopier& peeled) {
    const PipelinedMove& move = *carried.move;
    if (&i == move.sink) {
      peeled.map(&i, parts_.init->operand(static_cast<size_t>(move.outputs[0])));
    } else if (std::ranges::find(move.stores, &i) != move.stores.end()) {
      if (carried.operandApart) {
        peeled.map(&i, peeled.at(i.operand(0)));
        return {};
      }
      peeled.map(i.operand(1), peeled.at(move.collectives[0]->operand(0)));
      TRY_STATUS(peeled.copy(i));
    }
    return {};
  }

  void carryMore(const BodyCopier& peeled) {
    absl::flat_hash_map<const Instruction*, int64_t> indices;
    for (Carried& carried : moves_) {
      if (carried.move->sink != nullptr) continue;
      Instruction* index = carried.move->storeIndex();
      const auto [known, isNew] = indices.try_emplace(index, 0);
      if (isNew) known->second = carry(parts_, peeled.at(index), index);
      carried.indexAt = known->second;
    }
    for (Carried& carried : moves_) {
      Instruction* operand = carried.move->collectives[0]->operand(0);
      if (carried.operandApart) carried.operandAt = carry(parts_, peeled.at(operand), operand);
    }
    for (Carried& carried : moves_) {
      for (Instruction* other : outsideOperands(*carried.move))
        carried.others.emplace_back(other, carry(parts_, peeled.at(other), other));
    }
  }

  // The collective on the previous iteration's operand, and what formats its result. `take` gives an element
  // of what the loop carries at that place.
  Status process(const Carried& carried, Computation& where, Instruction* operand, BodyCopier& copier,
                 Instruction* (*take)(const LoopParts&, int64_t)) {
    const PipelinedMove& move = *carried.move;
    Instruction* collective = move.collectives[0];
    for (const auto& [original, index] : carried.others) copier.map(original, take(parts_, index));
    copier.map(collective->operand(0), operand);
    TRY(Instruction * done, copier.copy(*collective));
    if (!options_.lastRun) done = mark(where, done);
    copier.map(collective, done);
    if (options_.onPeeled) options_.onPeeled(*done);
    for (const Instruction* i : move.formatting) {
      TRY(Instruction * formatted, copier.copy(*i));
      if (options_.onPeeled) options_.onPeeled(*formatted);
    }
    return {};
  }

  Instruction* mark(Computation& where, Instruction* value) const {
    Instruction* level = makeInteger(where, Shape::scalar(ElementType::S32), options_.level + 1);
    Instruction* marked = where.create(Opcode::CustomCall, value->shape(), {value, level});
    marked->set<Attr::CustomCallTarget>(kInsertedByPreviousStep);
    return marked;
  }

  Result<Instruction*> storePrevious(const Carried& carried, Computation& where, Instruction* into,
                                     Instruction* index, BodyCopier& copier,
                                     Instruction* (*take)(const LoopParts&, int64_t)) {
    const PipelinedMove& move = *carried.move;
    const Shape wanted = move.collectives[0]->operand(0)->shape();
    Instruction* operand = into;
    if (carried.operandApart) {
      operand = take(parts_, carried.operandAt);
    } else if (wanted != into->shape()) {
      std::vector<Instruction*> operands = {into};
      for (size_t d = 0; d < into->shape().rank(); ++d) {
        operands.push_back(
            static_cast<int64_t>(d) == move.slicedDimension ? index : makeInteger(where, index->shape(), 0));
      }
      operand = where.create(Opcode::DynamicSlice, wanted, operands);
      operand->set<Attr::DynamicSliceSizes>(wanted.dimensions());
    }
    TRY_STATUS(process(carried, where, operand, copier, take));
    return storeSlice(into, copier.at(move.stores[0]->operand(1)), move.slicedDimension, index);
  }

  Status rotateStore(const Carried& carried) {
    const PipelinedMove& move = *carried.move;
    Instruction* store = move.stores[0];
    Instruction* into = store->operand(0);
    if (carried.intoCarried) {
      Instruction* index = elementInBody(parts_, carried.indexAt);
      if (!options_.lastRun) index = mark(*parts_.body, index);
      BodyCopier inside(*parts_.body, numbers_);
      TRY(Instruction * stored, storePrevious(carried, *parts_.body, into, index, inside, elementInBody));
      if (!carried.operandApart)
        stored = storeSlice(stored, move.collectives[0]->operand(0), move.slicedDimension, move.storeIndex());
      parts_.body->replaceAllUses(store, stored);
    } else {
      parts_.body->replaceAllUses(store, into);
    }
    const auto readers = elementsAfterLoop(parts_, move.outputs[0]);
    BodyCopier behind(parts_.outside(), numbers_);
    behind.setGroups(BodyCopier::Groups::Remove);
    TRY(Instruction * result,
        storePrevious(carried, parts_.outside(), elementAfterLoop(parts_, move.outputs[0]),
                      elementAfterLoop(parts_, carried.indexAt), behind, elementAfterLoop));
    replaceReaders(readers, result);
    return {};
  }

  Status rotateSink(const Carried& carried) {
    const PipelinedMove& move = *carried.move;
    const auto makeSink = [&](Computation& where, BodyCopier& copier, Instruction* token,
                              Instruction* (*take)(const LoopParts&, int64_t)) -> Result<Instruction*> {
      TRY_STATUS(process(carried, where, take(parts_, carried.operandAt), copier, take));
      for (const Instruction* operand : move.sink->operands()) {
        if (operand->shape().isToken()) copier.map(operand, token);
      }
      return copier.copy(*move.sink);
    };
    const auto readers = elementsAfterLoop(parts_, move.outputs[0]);
    BodyCopier inside(*parts_.body, numbers_), behind(parts_.outside(), numbers_);
    behind.setGroups(BodyCopier::Groups::Remove);
    Instruction* token = nullptr;
    for (Instruction* operand : move.sink->operands()) {
      if (operand->shape().isToken()) token = operand;
    }
    TRY(Instruction * insideSink, makeSink(*parts_.body, inside, token, elementInBody));
    TRY(Instruction * behindSink,
        makeSink(parts_.outside(), behind, elementAfterLoop(parts_, move.outputs[0]), elementAfterLoop));
    parts_.body->replaceAllUses(move.sink, insideSink);
    replaceReaders(readers, behindSink);
    return {};
  }

  void replaceReaders(std::span<Instruction* const> readers, Instruction* result) {
    for (Instruction* reader : readers) parts_.outside().replaceAllUses(reader, result);
    parts_.outside().removeAll(readers);
  }

  LoopParts& parts_;
  const PipelinerOptions& options_;
  CopyNumbers& numbers_;
  std::vector<Carried> moves_;
};

}  // namespace

Instruction* storeSlice(Instruction* into, Instruction* update, int64_t dimension, Instruction* index) {
  Computation& computation = into->parent();
  std::vector<Instruction*> operands = {into, update};
  for (size_t d = 0; d < into->shape().rank(); ++d) {
    operands.push_back(static_cast<int64_t>(d) == dimension ? index
                                                            : makeInteger(computation, index->shape(), 0));
  }
  return computation.create(Opcode::DynamicUpdateSlice, into->shape(), operands);
}

Status moveForward(LoopParts& parts, const LoopMoves& found, const PipelinerOptions& options,
                   CopyNumbers& numbers) {
  return ForwardMover(parts, found, options, numbers).run();
}

}  // namespace hilo
