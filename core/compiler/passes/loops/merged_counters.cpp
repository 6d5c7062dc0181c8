#include "core/compiler/passes/loops/merged_counters.h"

#include "core/analysis/scalar_integer.h"
#include "core/analysis/while_loop.h"
#include "core/compiler/passes/loops/loop_parts.h"

namespace hilo {
namespace {

struct Counter {
  int64_t index = 0;
  Instruction* moved = nullptr;  // in the body: by the step
  Instruction* step = nullptr;   // a constant there
  bool isFromZeroByOnes = false;
};

bool isInteger(const Instruction& i, int64_t value) {
  return i.opcode() == Opcode::Constant && scalarInteger(i.literal()) == value;
}

std::optional<Counter> counterAt(const Instruction& loop, size_t index) {
  const Computation& body = *loop.get<Attr::Body>();
  Instruction* moved = body.root()->operand(index);
  if (moved->opcode() != Opcode::Add) return std::nullopt;
  for (const size_t k : {size_t{0}, size_t{1}}) {
    Instruction *from = moved->operand(k), *step = moved->operand(1 - k);
    if (from->opcode() != Opcode::GetTupleElement || from->operand(0) != body.parameters()[0] ||
        from->tupleIndex() != static_cast<int64_t>(index) || step->opcode() != Opcode::Constant)
      continue;
    const Instruction& init = *loop.operand(0);
    const bool isPlain =
        isInteger(*step, 1) && init.opcode() == Opcode::Tuple && isInteger(*init.operand(index), 0);
    return Counter{static_cast<int64_t>(index), moved, step, isPlain};
  }
  return std::nullopt;
}

std::vector<Counter> countersOf(const Instruction& loop, ElementType type) {
  std::vector<Counter> counters;
  const auto shapes = loop.shape().tupleShapes();
  for (size_t k = 0; k < shapes.size(); ++k) {
    if (!shapes[k].isScalar() || shapes[k].elementType() != type) continue;
    if (const auto counter = counterAt(loop, k)) counters.push_back(*counter);
  }
  return counters;
}

Instruction* elementBefore(Instruction* tuple, int64_t index, Instruction* before) {
  Instruction* element = tuple->parent().create(
      Opcode::GetTupleElement, tuple->shape().tupleShapes()[static_cast<size_t>(index)], {tuple}, {}, before);
  element->set<Attr::Index>(index);
  return element;
}

// Who read the counter out of `tuple` reads start + step * trips.
void readDerived(Instruction& tuple, const Counter& counter, int64_t trips) {
  const bool isAfterLoop = tuple.opcode() == Opcode::While;
  Computation& computation = tuple.parent();
  std::vector<Instruction*> readers;
  for (Instruction* user : tuple.users()) {
    if (user->opcode() == Opcode::GetTupleElement && user->tupleIndex() == counter.index)
      readers.push_back(user);
  }
  if (readers.empty()) return;
  Instruction* before = tuple.next();
  Instruction* start = elementBefore(&tuple, counter.index, before);
  Instruction* count = elementBefore(&tuple, trips, before);
  Instruction* step = computation.createLike(*counter.step, {}, before);
  Instruction* way = computation.create(Opcode::Multiply, start->shape(), {count, step}, {}, before);
  Instruction* value = computation.create(Opcode::Add, start->shape(), {start, way}, {}, before);
  const OriginalValue* origin = counter.moved->get<Attr::Origin>();
  if (isAfterLoop && origin != nullptr) value->set<Attr::Origin>(origin);
  for (Instruction* reader : readers) {
    computation.replaceAllUses(reader, value);
    computation.remove(reader);
  }
}

// A counter from zero by ones, one element more.
int64_t makeCounter(LoopParts& parts, Shape scalar) {
  Instruction* zero = makeInteger(parts.outside(), scalar, 0);
  parts.outside().moveBefore(zero, parts.init);
  Instruction* one = makeInteger(*parts.body, scalar, 1);
  parts.body->moveBefore(one, parts.root);
  const int64_t index = carry(parts, zero, one);
  Instruction* count = elementBefore(parts.parameter, index, parts.root);
  parts.root->setOperand(static_cast<size_t>(index),
                         parts.body->create(Opcode::Add, scalar, {count, one}, {}, parts.root));
  return index;
}

Result<bool> mergeOf(Instruction& loop, PassContext& context, ElementType type) {
  std::vector<Counter> counters = countersOf(loop, type);
  if (counters.size() < 2) return false;
  const auto plain = std::ranges::find_if(counters, &Counter::isFromZeroByOnes);
  const auto known = inductionVariable(loop);
  if (known && (plain == counters.end() || plain->index != known->tupleIndex)) return false;
  if (!context.mayChange(loop)) return false;
  context.remark(loop, "simplified", fmt::format("{} counters told from one", counters.size()));
  int64_t trips = plain == counters.end() ? -1 : plain->index;
  // Told anew where the loop is taken apart: its body may be a copy then.
  TRY(LoopParts parts, takeLoopApart(loop));
  counters = countersOf(loop, type);
  if (trips < 0) trips = makeCounter(parts, counters[0].moved->shape());
  for (const Counter& counter : counters) {
    if (counter.index == trips) continue;
    readDerived(*parts.parameter, counter, trips);
    readDerived(*parts.condition->parameters()[0], counter, trips);
    readDerived(loop, counter, trips);
    parts.root->setOperand(static_cast<size_t>(counter.index),
                           elementBefore(parts.parameter, counter.index, parts.parameter->next()));
  }
  return true;
}

}  // namespace

Result<bool> mergeCounters(Instruction& loop, PassContext& context) {
  bool changed = false;
  // XLA's list of types; those of 16 bits are not among them.
  for (const ElementType type : {ElementType::S8, ElementType::U8, ElementType::S32, ElementType::U32,
                                 ElementType::S64, ElementType::U64}) {
    if (!whyLoopIsFixed(loop).empty()) return changed;
    TRY(const bool merged, mergeOf(loop, context, type));
    changed |= merged;
  }
  return changed;
}

}  // namespace hilo
