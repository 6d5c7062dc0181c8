#include "core/compiler/schedule/value_again.h"

#include "core/compiler/pass/next_channel.h"

namespace hilo {
namespace {

using Action = RematerializedValue::Action;
using Kind = Replacement::Edit::Kind;

class Replacer {
 public:
  explicit Replacer(const WaitingValue& waiting)
      : waiting_(waiting),
        original_(*waiting.instruction),
        computation_(original_.parent()),
        firstUser_(waiting.uses[0].user) {
    made_.original = &original_;
    made_.carriers.assign(waiting.carriers.begin(), waiting.carriers.end());
  }

  Replacement run() {
    switch (waiting_.action) {
      case Action::Recomputed:
        recompute();
        break;
      case Action::Compressed:
        compress();
        break;
      case Action::Offloaded:
        offload();
        break;
      case Action::Left:
        CHECK(false);
    }
    for (const LaterUse& use : waiting_.uses)
      setOperand(*use.user, use.operand, again(use.user->operand(use.operand)));
    return std::move(made_);
  }

 private:
  Instruction* note(Instruction* made) {
    made_.edits.push_back({.kind = Kind::Made, .instruction = made});
    return made;
  }
  void setOperand(Instruction& user, size_t k, Instruction* to) {
    made_.edits.push_back(
        {.kind = Kind::OperandSet, .instruction = &user, .before = user.operand(k), .operand = k});
    user.setOperand(k, to);
  }

  void recompute() {
    made_.standIn = note(computation_.createLike(original_, original_.operands(), firstUser_));
    if (original_.has(Attr::ChannelId)) made_.standIn->set<Attr::ChannelId>(nextChannel(original_.module()));
  }

  void compress() {
    Instruction* packed =
        note(computation_.create(Opcode::Copy, waiting_.elsewhere, {&original_}, {}, original_.next()));
    made_.standIn = note(computation_.create(Opcode::Copy, original_.shape(), {packed}, {}, firstUser_));
  }

  void offload() {
    const Shape here = original_.shape(), there = waiting_.elsewhere;
    Instruction* away = copy(&original_, there, original_.next(), waiting_.awayBefore);
    made_.standIn = copy(away, here, waiting_.backBefore, firstUser_);
  }
  // A copy that begins in front of `start` and is over in front of `done`.
  Instruction* copy(Instruction* from, Shape to, Instruction* start, Instruction* done) {
    const Shape pair = Shape::tuple(std::vector<Shape>{to, from->shape(), Shape::scalar(ElementType::U32)});
    Instruction* started = note(computation_.create(Opcode::CopyStart, pair, {from}, {}, start));
    return note(computation_.create(Opcode::CopyDone, to, {started}, {}, done));
  }

  // What gives, in front of the first later user, what `place` gave.
  Instruction* again(Instruction* place) {
    if (place == &original_) return made_.standIn;
    if (!waiting_.carriers.contains(place)) return place;
    const auto known = again_.find(place);
    if (known != again_.end()) return known->second;
    if (place->opcode() == Opcode::GetTupleElement && place->operand(0)->opcode() == Opcode::Tuple)
      return again_[place] = again(place->operand(0)->operand(static_cast<size_t>(place->tupleIndex())));
    std::vector<Instruction*> operands;
    for (Instruction* operand : place->operands()) operands.push_back(again(operand));
    return again_[place] = note(computation_.createLike(*place, operands, firstUser_));
  }

  const WaitingValue& waiting_;
  Instruction& original_;
  Computation& computation_;
  Instruction* firstUser_;
  absl::flat_hash_map<const Instruction*, Instruction*> again_;
  Replacement made_;
};

}  // namespace

Replacement replaceLaterUses(const WaitingValue& waiting) { return Replacer(waiting).run(); }

void takeBack(const Replacement& replacement) {
  for (size_t n = replacement.edits.size(); n > 0; --n) {
    const Replacement::Edit& edit = replacement.edits[n - 1];
    switch (edit.kind) {
      case Kind::Made:
        edit.instruction->parent().remove(edit.instruction);
        break;
      case Kind::OperandSet:
        edit.instruction->setOperand(edit.operand, edit.before);
        break;
    }
  }
}

void removeUnused(Replacement& replacement) {
  std::vector<Instruction*>& left = replacement.carriers;
  const auto isUnused = [](const Instruction* i) { return i->users().empty() && !i->isRoot(); };
  for (auto found = std::ranges::find_if(left, isUnused); found != left.end();
       found = std::ranges::find_if(left, isUnused)) {
    (*found)->parent().remove(*found);
    left.erase(found);
  }
  if (isUnused(replacement.original)) replacement.original->parent().remove(replacement.original);
}

}  // namespace hilo
