#include <ranges>

#include "core/compiler/passes/collectives/pipeliner/rewrites.h"
#include "core/compiler/passes/control_edges.h"

namespace hilo {
namespace {

class BackwardMover {
 public:
  BackwardMover(LoopParts& parts, const LoopMoves& found, const PipelinerOptions& options,
                CopyNumbers& numbers)
      : parts_(parts),
        counter_(found.counter),
        moves_(found.moves),
        options_(options),
        numbers_(numbers),
        originalSize_(parts.size()) {
    for (Instruction* i : parts.body->instructions()) original_.push_back(i);
    for (size_t m = 0; m < moves_.size(); ++m)
      slotOf_[moves_[m].collectives[0]] = originalSize_ + static_cast<int64_t>(m);
    findDead();
  }

  Status run() {
    TRY_STATUS(startFirst());
    shorten();
    TRY_STATUS(finishLast());
    TRY_STATUS(rotate());
    return {};
  }

 private:
  bool isElement(const Instruction& i) const {
    return i.opcode() == Opcode::GetTupleElement && i.operand(0) == parts_.parameter;
  }

  // What is computed for the moved collectives alone. Receives must not stay behind: nobody would send.
  void findDead() {
    absl::flat_hash_set<const Instruction*> chain;
    for (const PipelinedMove& move : moves_) chain.insert(move.formatting.begin(), move.formatting.end());
    for (size_t n = original_.size(); n > 0; --n) {
      const Instruction* i = original_[n - 1];
      if (!chain.contains(i) || slotOf_.contains(i)) continue;
      const bool isDead = std::ranges::all_of(i->users(), [&](const Instruction* user) {
        return dead_.contains(user) || slotOf_.contains(user);
      });
      if (isDead) dead_.insert(i);
    }
  }

  // The first of each collective, in front of the loop.
  Status startFirst() {
    BodyCopier first(parts_.outside(), numbers_);
    first.setGroups(BodyCopier::Groups::Remove);
    const auto take = [&](const Instruction& i) -> Result<Instruction*> {
      if (Instruction* known = first.find(&i)) return known;
      if (isElement(i)) {
        first.map(&i, parts_.init->operand(static_cast<size_t>(i.tupleIndex())));
        return first.at(&i);
      }
      return first.copy(i);
    };
    std::vector<Instruction*> values;
    for (const PipelinedMove& move : moves_) {
      for (const Instruction* i : move.formatting) TRY_STATUS(take(*i));
      TRY(values.emplace_back(), take(*move.collectives[0]));
      if (options_.onPeeled) options_.onPeeled(*values.back());
    }
    for (const Instruction* i : parts_.root->get<Attr::ControlPredecessors>()) {
      if (Instruction* copy = first.find(i)) addControlPredecessor(*parts_.init, *copy);
    }
    for (size_t m = 0; m < moves_.size(); ++m) carry(parts_, values[m], moves_[m].collectives[0]);
    const auto index = static_cast<size_t>(counter_.tupleIndex);
    const Shape shape = parts_.root->operand(index)->shape();
    nextCounterAt_ = carry(parts_, makeInteger(parts_.outside(), shape, counter_.init + counter_.step),
                           parts_.root->operand(index));
    return {};
  }

  // One iteration less: the condition ends at the last value of the counter.
  void shorten() {
    Module& module = parts_.body->module();
    Computation* condition = module.createComputation(
        module.uniqueName(fmt::format("{}.shorter", parts_.condition->name())), &parts_.outside());
    Instruction* parameter = condition->createParameter(0, parts_.loop->shape(), module.uniqueName("state"));
    const Shape shape = parameter->shape().tupleShapes()[static_cast<size_t>(counter_.tupleIndex)];
    Instruction* at = condition->create(Opcode::GetTupleElement, shape, {parameter});
    at->set<Attr::Index>(counter_.tupleIndex);
    Instruction* last = makeInteger(*condition, shape, counter_.last());
    Instruction* goesOn = condition->create(Opcode::Compare, parts_.condition->root()->shape(), {at, last});
    goesOn->set<Attr::Direction>(counter_.step > 0 ? ComparisonDirection::Lt : ComparisonDirection::Gt);
    condition->setRoot(goesOn);
    parts_.loop->set<Attr::Condition>(condition);
    parts_.condition = condition;
  }

  // The last iteration behind the loop, with the collectives the loop has started already.
  Status finishLast() {
    std::vector<std::pair<Instruction*, int64_t>> readers;
    for (int64_t i = 0; i < originalSize_; ++i) {
      for (Instruction* reader : elementsAfterLoop(parts_, i)) readers.emplace_back(reader, i);
    }
    BodyCopier last(parts_.outside(), numbers_);
    last.setGroups(BodyCopier::Groups::Renumber);
    for (Instruction* i : original_) {
      if (i == parts_.parameter || i == parts_.root || dead_.contains(i)) continue;
      if (const auto slot = slotOf_.find(i); slot != slotOf_.end()) {
        last.map(i, elementAfterLoop(parts_, slot->second));
      } else if (isElement(*i)) {
        last.map(i, elementAfterLoop(parts_, i->tupleIndex()));
      } else {
        TRY(Instruction * copy, last.copy(*i));
        if (options_.onTrailing) options_.onTrailing(*copy);
      }
    }
    for (const auto& [reader, index] : readers) {
      parts_.outside().replaceAllUses(reader, last.at(parts_.root->operand(static_cast<size_t>(index))));
      parts_.outside().remove(reader);
    }
    return {};
  }

  // In the loop: this iteration takes what the last one started, and starts the next one's.
  Status rotate() {
    Instruction* nextCounter = elementInBody(parts_, nextCounterAt_);
    BodyCopier next(*parts_.body, numbers_);
    const auto take = [&](const Instruction& i) -> Result<Instruction*> {
      if (Instruction* known = next.find(&i)) return known;
      if (!isElement(i)) return next.copy(i);
      Instruction* value = nextCounter;
      if (i.tupleIndex() != counter_.tupleIndex)
        value = withoutInnerLoop(parts_.root->operand(static_cast<size_t>(i.tupleIndex())));
      next.map(&i, value);
      return value;
    };
    std::vector<Instruction*> started, gone;
    for (const PipelinedMove& move : moves_) {
      for (const Instruction* i : move.formatting) TRY_STATUS(take(*i));
      TRY(started.emplace_back(), take(*move.collectives[0]));
      if (options_.onRotated) options_.onRotated(*started.back());
    }
    for (const PipelinedMove& move : moves_) {
      Instruction* collective = move.collectives[0];
      parts_.body->replaceAllUses(collective, elementInBody(parts_, slotOf_.at(collective)));
    }
    for (size_t m = 0; m < moves_.size(); ++m)
      parts_.root->setOperand(static_cast<size_t>(originalSize_) + m, started[m]);
    Instruction* counter = parts_.root->operand(static_cast<size_t>(counter_.tupleIndex));
    Instruction* step = makeInteger(*parts_.body, counter->shape(), counter_.step);
    parts_.root->setOperand(static_cast<size_t>(nextCounterAt_),
                            parts_.body->create(Opcode::Add, counter->shape(), {counter, step}));
    absl::flat_hash_map<const Instruction*, Instruction*> replacedBy;
    for (Instruction* i : original_ | std::views::reverse) {
      if (!dead_.contains(i) && !slotOf_.contains(i)) continue;
      gone.push_back(i);
      if (dead_.contains(i)) replacedBy[i] = next.at(i);
    }
    redirectControlPredecessors(*parts_.body, replacedBy);
    parts_.body->removeAll(gone);
    return {};
  }

  LoopParts& parts_;
  const InductionVariable counter_;
  const std::vector<PipelinedMove>& moves_;
  const PipelinerOptions& options_;
  CopyNumbers& numbers_;
  const int64_t originalSize_;
  std::vector<Instruction*> original_;
  absl::flat_hash_map<const Instruction*, int64_t> slotOf_;  // of each collective
  absl::flat_hash_set<const Instruction*> dead_;
  int64_t nextCounterAt_ = -1;
};

}  // namespace

Status moveBackward(LoopParts& parts, const LoopMoves& found, const PipelinerOptions& options,
                    CopyNumbers& numbers) {
  return BackwardMover(parts, found, options, numbers).run();
}

}  // namespace hilo
