// Reductions in lanes: several partial results side by side, so that a vector of elements is folded in at
// once.
#include "core/base/check.h"
#include "core/compiler/codegen/element_emitter.h"

namespace hilo {

using llvm::Value;

namespace {

// The computation may be of wider floats than the arrays.
bool appliesToOwnType(const Instruction& reduction) {
  return reduction.get<Attr::ToApply>()->parameters()[0]->shape().elementType() ==
         reduction.operand(0)->shape().elementType();
}

// The value that changes nothing when it is folded in; the start itself where folding it in twice does not
// matter. Null: it does, or the order of folding does.
std::optional<Scalar> neutralOf(ScalarEmitter& s, const Instruction& reduction, Scalar start) {
  const auto opcode = singleBinaryOpcode(*reduction.get<Attr::ToApply>());
  if (!opcode || !appliesToOwnType(reduction)) return std::nullopt;
  const ElementType type = reduction.shape().elementType();
  switch (*opcode) {
    case Opcode::And:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::Or:
      return isComplex(type) ? std::nullopt : std::optional(start);
    case Opcode::Add:
    case Opcode::Xor:
      return isIntegral(type) ? std::optional(s.zero(type)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

Lanes ElementEmitter::makeLanes(Scalar start, int64_t count) {
  Lanes lanes{nullptr, start.value->getType(), count};
  lanes.array = k_.variable(llvm::ArrayType::get(lanes.type, static_cast<uint64_t>(count)));
  k_.loop(k_.int64(0), k_.int64(count), [&](Value* lane) { setLane(lanes, lane, start.value); });
  return lanes;
}

Value* ElementEmitter::lane(const Lanes& lanes, Value* at) {
  return b_.CreateLoad(lanes.type, b_.CreateInBoundsGEP(lanes.type, lanes.array, {at}));
}

void ElementEmitter::setLane(const Lanes& lanes, Value* at, Value* value) {
  b_.CreateStore(value, b_.CreateInBoundsGEP(lanes.type, lanes.array, {at}));
}

std::optional<Scalar> ElementEmitter::reduceInLanes(const Instruction& reduction, int64_t length,
                                                    const std::function<Scalar(Value*)>& element) {
  const Scalar start = at(*reduction.operand(1), {});
  const auto neutral = neutralOf(s_, reduction, start);
  const unsigned bits = start.value->getType()->getScalarSizeInBits();
  if (!neutral || bits < 8) return std::nullopt;
  const int64_t count = 1024 / bits;  // of two vectors
  if (length < 2 * count) return std::nullopt;
  const Lanes lanes = makeLanes(*neutral, count);
  const auto fold = [&](Value* place, Scalar x) {
    setLane(lanes, place, apply(*reduction.get<Attr::ToApply>(), {Scalar{lane(lanes, place)}, x})[0].value);
  };
  k_.loop(k_.int64(0), k_.int64(length / count), [&](Value* chunk) {
    Value* first = b_.CreateMul(chunk, k_.int64(count), "", true, true);
    k_.loop(k_.int64(0), k_.int64(count),
            [&](Value* i) { inFrame([&] { fold(i, element(b_.CreateAdd(first, i, "", true, true))); }); });
  });
  k_.loop(k_.int64(0), k_.int64(length % count), [&](Value* i) {
    inFrame([&] { fold(i, element(b_.CreateAdd(k_.int64(length / count * count), i, "", true, true))); });
  });
  for (int64_t half = count / 2; half > 0; half /= 2) {
    k_.loop(k_.int64(0), k_.int64(half),
            [&](Value* i) { inFrame([&] { fold(i, {lane(lanes, b_.CreateAdd(i, k_.int64(half)))}); }); });
  }
  return apply(*reduction.get<Attr::ToApply>(), {start, Scalar{lane(lanes, k_.int64(0))}})[0];
}

bool ElementEmitter::canAccumulateColumns(const Instruction& reduction) {
  const ElementType type = reduction.shape().isArray() ? reduction.shape().elementType() : ElementType::Tuple;
  return reduction.shape().isArray() && !isComplex(type) && elementBits(type) >= 8 &&
         type != ElementType::Pred && appliesToOwnType(reduction);
}

void ElementEmitter::accumulateColumns(
    const Instruction& reduction, int64_t most, Value* count, llvm::ArrayRef<int64_t> sizes,
    const std::function<ElementIndex(llvm::ArrayRef<Value*>, Value*)>& placeOf, ColumnPlace column) {
  const ElementType type = reduction.operand(0)->shape().elementType();
  const bool isSum = isFloatSum(reduction);
  const Scalar start = at(*reduction.operand(1), {});
  const Lanes lanes = makeLanes(isSum ? Scalar{s_.toDouble(type, start)} : Scalar{start.value}, most);
  k_.nest(sizes, [&](llvm::ArrayRef<Value*> folded) {
    const llvm::SmallVector<Value*, 6> outer(folded.begin(), folded.end());
    k_.loop(k_.int64(0), count, [&](Value* i) {
      inFrame([&] {
        const Scalar x =
            at(*reduction.operand(0), placeOf(outer, b_.CreateAdd(column.first, i, "", true, true)));
        Value* before = lane(lanes, i);
        setLane(lanes, i,
                isSum ? b_.CreateFAdd(before, s_.toDouble(type, x))
                      : apply(*reduction.get<Attr::ToApply>(), {Scalar{before}, x})[0].value);
      });
    });
  });
  columns_[&reduction] = {lanes, column, isSum};
}

Scalar ElementEmitter::column(const Instruction& reduction, const Columns& columns, ElementIndex& index) {
  Value* value =
      lane(columns.lanes, b_.CreateSub(k_.dimsOf(index)[columns.place.dense], columns.place.first));
  return columns.isSum ? s_.fromDouble(reduction.shape().elementType(), value) : Scalar{value};
}

}  // namespace hilo
