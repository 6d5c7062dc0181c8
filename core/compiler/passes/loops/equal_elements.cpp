#include "core/compiler/passes/loops/equal_elements.h"

#include <algorithm>

#include "core/compiler/passes/loops/loop_parts.h"
#include "core/hlo/ir/attribute_equality.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

// Do two values of a body come out alike, where element `a` of what it is given is element `b`?
class Alike {
 public:
  Alike(const Instruction& parameter, int64_t a, int64_t b) : parameter_(parameter), a_(a), b_(b) {}
  bool operator()(const Instruction& x, const Instruction& y, int depth = 0) const {
    if (&x == &y) return true;
    if (depth > 30 || x.opcode() != y.opcode() || x.shape() != y.shape() || hasSideEffect(x)) return false;
    if (isElement(x) && isElement(y)) return standsFor(x.tupleIndex()) == standsFor(y.tupleIndex());
    if (x.operandCount() == 0 || x.operandCount() != y.operandCount() || !sameMeaning(x, y)) return false;
    for (size_t k = 0; k < x.operandCount(); ++k) {
      if (!(*this)(*x.operand(k), *y.operand(k), depth + 1)) return false;
    }
    return true;
  }

 private:
  bool isElement(const Instruction& i) const {
    return i.opcode() == Opcode::GetTupleElement && i.operand(0) == &parameter_;
  }
  int64_t standsFor(int64_t index) const { return index == b_ ? a_ : index; }

  const Instruction& parameter_;
  int64_t a_, b_;
};

bool isConstant(const Instruction& i) { return i.opcode() == Opcode::Constant && !i.literal().isElided(); }

// What starts as a constant and is made the same in each iteration.
const Instruction* constantElement(const Instruction& loop, size_t k) {
  const Instruction &first = *loop.operand(0)->operand(k),
                    &next = *loop.get<Attr::Body>()->root()->operand(k);
  const bool isOne = isConstant(first) && isConstant(next) && first.shape() == next.shape() &&
                     first.literal() == next.literal();
  return isOne ? &first : nullptr;
}

// The earlier element that `k` is equal to.
std::optional<size_t> equalElement(const Instruction& loop, size_t k) {
  const Instruction &init = *loop.operand(0), &root = *loop.get<Attr::Body>()->root(),
                    &parameter = *loop.get<Attr::Body>()->parameters()[0];
  for (size_t earlier = 0; earlier < k; ++earlier) {
    if (init.operand(earlier) != init.operand(k)) continue;
    const Alike alike(parameter, static_cast<int64_t>(earlier), static_cast<int64_t>(k));
    if (alike(*root.operand(earlier), *root.operand(k))) return earlier;
  }
  return std::nullopt;
}

std::vector<Instruction*> readersOf(const Instruction& tuple, size_t k) {
  std::vector<Instruction*> readers;
  for (Instruction* user : tuple.users()) {
    const bool reads =
        user->opcode() == Opcode::GetTupleElement && user->tupleIndex() == static_cast<int64_t>(k);
    if (reads && (!user->users().empty() || user->isRoot())) readers.push_back(user);
  }
  return readers;
}

// In the body, the condition and behind the loop; the element that the body makes of itself stays.
bool readInstead(const LoopParts& parts, size_t k, const Instruction* constant, std::optional<size_t> other) {
  bool changed = false;
  for (Instruction* tuple : {parts.parameter, parts.condition->parameters()[0], parts.loop}) {
    for (Instruction* reader : readersOf(*tuple, k)) {
      if (reader->users().size() == 1 && reader->users()[0] == parts.root &&
          parts.root->operand(k) == reader && tuple == parts.parameter &&
          std::ranges::count(parts.root->operands(), reader) == 1)
        continue;
      if (constant != nullptr) {
        Instruction* copy = tuple->parent().createConstant(constant->literal(), reader);
        tuple->parent().replaceAllUses(reader, copy);
        tuple->parent().remove(reader);
      } else {
        reader->set<Attr::Index>(static_cast<int64_t>(*other));
      }
      changed = true;
    }
  }
  return changed;
}

}  // namespace

Result<bool> readEqualElements(Instruction& loop, PassContext& context) {
  if (!whyLoopIsFixed(loop).empty() || loop.operand(0)->opcode() != Opcode::Tuple) return false;
  const size_t count = loop.get<Attr::Body>()->root()->operandCount();
  std::vector<size_t> found;
  for (size_t k = 0; k < count; ++k) {
    if (constantElement(loop, k) != nullptr || equalElement(loop, k)) found.push_back(k);
  }
  if (found.empty() || !context.mayChange(loop)) return false;
  TRY(const LoopParts parts, takeLoopApart(loop));
  bool changed = false;
  for (const size_t k : found) {
    const Instruction* constant = constantElement(loop, k);
    const auto other = constant == nullptr ? equalElement(loop, k) : std::nullopt;
    if (constant != nullptr || other) changed |= readInstead(parts, k, constant, other);
  }
  if (changed)
    context.remark(loop, "simplified", "elements that are constant, or equal to others, are read as those");
  return changed;
}

}  // namespace hilo
