// Lines of elements: reductions that fold a line or several columns at once, and lines kept on the stack.
#include "core/base/check.h"
#include "core/compiler/codegen/emit/element_emitter.h"

namespace hilo {

using llvm::Value;

namespace {

// The computation may be of wider floats than the arrays.
bool appliesToOwnType(const Instruction& reduction) {
  return reduction.get<Attr::ToApply>()->parameters()[0]->shape().elementType() ==
         reduction.operand(0)->shape().elementType();
}

constexpr int64_t kShortestLineBytes = 128;

// Whether the result is the bytes of the operand over and over.
bool repeatsOperand(const Instruction& broadcast) {
  const auto to = majorToMinor(broadcast.shape()), from = majorToMinor(broadcast.operand(0)->shape());
  return !from.empty() && std::ranges::equal(from, std::span(to).last(from.size()), {}, [&](int64_t d) {
    return broadcast.dimensions()[static_cast<size_t>(d)];
  });
}

}  // namespace

std::vector<ElementEmitter::Leaf> ElementEmitter::leavesLike(Shape shape) const {
  const auto lies = [&](Shape array) {
    return array.rank() != 0 && sameMemoryOrder(array.withElementType(shape.elementType()), shape);
  };
  const auto isRepeated = [&](const Instruction& user) {
    return user.opcode() == Opcode::Broadcast && lies(user.shape()) && repeatsOperand(user);
  };
  std::map<int, Leaf> found;
  for (const auto& [instruction, leaf] : leaves_) {
    if (lies(leaf.shape) ||
        std::ranges::any_of(instruction->users(), [&](const Instruction* user) { return isRepeated(*user); }))
      found.emplace(leaf.buffer, leaf);
  }
  std::vector<Leaf> leaves;
  for (const auto& [buffer, leaf] : found) leaves.push_back(leaf);
  return leaves;
}

static Value* lane(llvm::IRBuilder<>& b, const Lanes& lanes, Value* at) {
  return b.CreateLoad(lanes.type, b.CreateInBoundsGEP(lanes.type, lanes.array, {at}));
}

static void setLane(llvm::IRBuilder<>& b, const Lanes& lanes, Value* at, Value* value) {
  b.CreateStore(value, b.CreateInBoundsGEP(lanes.type, lanes.array, {at}));
}

static Lanes makeLanes(KernelBuilder& k, Scalar start, int64_t count) {
  Lanes lanes{nullptr, start.value->getType(), count};
  lanes.array = k.room(lanes.type, count);
  k.lineLoop(k.int64(0), k.int64(count), [&](Value* i) { setLane(k.b(), lanes, i, start.value); });
  return lanes;
}

Value* ElementEmitter::columnSum(const Instruction& reduction, Value* i) {
  return lane(b_, kept_.at(&reduction).lanes, i);
}

size_t ElementEmitter::dimensionsInMemory(const Instruction& unresolved,
                                          llvm::ArrayRef<int64_t> order) const {
  const Instruction& operand = resolve(unresolved);
  if (const auto kept = kept_.find(&operand); kept != kept_.end()) return kept->second.isSum ? 0 : 1;
  const auto leaf = leaves_.find(&operand);
  if (leaf == leaves_.end()) return 0;
  const Shape shape = leaf->second.shape;
  if (s_.storageType(shape.elementType()) != s_.valueType(shape.elementType())) return 0;
  const auto strides = layoutStrides(shape);
  int64_t next = 1;
  size_t count = 0;
  for (const int64_t dimension : llvm::reverse(order)) {
    const auto d = static_cast<size_t>(dimension);
    if (strides[d] != next) break;
    next *= shape.dimension(d);
    ++count;
  }
  return count;
}

Value* ElementEmitter::lineInMemory(const Instruction& unresolved, ElementIndex index) {
  const Instruction& operand = resolve(unresolved);
  const auto kept = kept_.find(&operand);
  if (kept == kept_.end()) {
    const Leaf& leaf = leaves_.at(&operand);
    return k_.pointerTo(leaf.buffer, leaf.shape, index);
  }
  const auto& [lanes, place, isSum] = kept->second;
  return b_.CreateInBoundsGEP(lanes.type, lanes.array,
                              {b_.CreateSub(k_.dimsOf(index)[place.dense], place.first)});
}

// Computes as much of the line at a time as is folded at once.
void ElementEmitter::foldLine(MinorFold& fold, const Instruction& operand, int64_t length,
                              const std::function<ElementIndex(Value*)>& placeOf, const Lanes* kept) {
  llvm::Type* type = s_.valueType(operand.shape().elementType());
  const int64_t most = std::min(fold.chunk(), length);
  const Lanes block{kept != nullptr ? nullptr : k_.room(type, most), type, most};
  const auto foldBlock = [&](Value* first, int64_t count) {
    Lanes room = block;
    if (kept != nullptr) room.array = b_.CreateInBoundsGEP(type, kept->array, {first});
    if (withLine_ != nullptr) (*withLine_)(first, count);
    k_.shortLineLoop(count, [&](Value* i) {
      inFrame(
          [&] { setLane(b_, room, i, at(operand, placeOf(b_.CreateAdd(first, i, "", true, true))).value); });
    });
    fold.add(room.array, count);
  };
  const int64_t blocks = length / block.count, rest = length % block.count;
  k_.loop(k_.int64(0), k_.int64(blocks),
          [&](Value* i) { foldBlock(b_.CreateMul(i, k_.int64(block.count), "", true, true), block.count); });
  if (rest != 0) foldBlock(k_.int64(length - rest), rest);
}

bool ElementEmitter::canFoldLine(const Instruction& reduction, int64_t length) {
  const ElementType type = reduction.operand(0)->shape().elementType();
  const auto opcode = singleBinaryOpcode(*reduction.get<Attr::ToApply>());
  return opcode && appliesToOwnType(reduction) && MinorFold::canFold(*opcode, type) &&
         length * s_.valueType(type)->getScalarSizeInBits() >= 8 * kShortestLineBytes;
}

std::optional<Scalar> ElementEmitter::reduceInLines(const Instruction& reduction,
                                                    llvm::ArrayRef<int64_t> order, const PlaceOf& placeOf) {
  const Instruction& operand = *reduction.operand(0);
  const Shape shape = operand.shape();
  const size_t inMemory = dimensionsInMemory(operand, order);
  const size_t outer = order.size() - std::max<size_t>(1, inMemory);
  llvm::SmallVector<int64_t, 6> sizes;
  int64_t length = 1;
  for (size_t i = 0; i < order.size(); ++i) {
    const int64_t size = shape.dimension(static_cast<size_t>(order[i]));
    if (i < outer) {
      sizes.push_back(size);
    } else {
      length *= size;
    }
  }
  if (!canFoldLine(reduction, length)) return std::nullopt;
  const Opcode opcode = *singleBinaryOpcode(*reduction.get<Attr::ToApply>());
  MinorFold fold(k_, opcode, shape.elementType(), at(*reduction.operand(1), {}));
  const auto kept = toKeep_.extract(&reduction);
  nestInFrame(sizes, [&](llvm::ArrayRef<Value*> places) {
    const auto along = [&](Value* i) {
      llvm::SmallVector<Value*, 6> inner(places.begin(), places.end());
      inner.resize(order.size(), k_.int64(0));
      inner.back() = i;
      return placeOf(inner);
    };
    if (inMemory > 0) {
      fold.add(lineInMemory(operand, along(k_.int64(0))), length);
    } else {
      foldLine(fold, operand, length, along, kept ? &kept.mapped().lanes : nullptr);
    }
  });
  if (kept) kept_[&operand] = kept.mapped();
  return fold.result();
}

bool ElementEmitter::canKeep(const Instruction& value) {
  const ElementType type = value.shape().elementType();
  return !isComplex(type) && elementBits(type) >= 8 && type != ElementType::Pred;
}

void ElementEmitter::keepLine(const Instruction& value, size_t dense, int64_t length,
                              const std::function<ElementIndex(Value*)>& placeOf) {
  llvm::Type* type = s_.valueType(value.shape().elementType());
  const Lanes lanes{k_.room(type, length), type, length};
  k_.lineLoop(k_.int64(0), k_.int64(length),
              [&](Value* i) { inFrame([&] { setLane(b_, lanes, i, at(value, placeOf(i)).value); }); });
  kept_[&value] = {lanes, {dense, k_.int64(0)}, false};
}

void ElementEmitter::keepFoldedLine(const Instruction& reduction, size_t dense, int64_t length) {
  llvm::Type* type = s_.valueType(reduction.operand(0)->shape().elementType());
  toKeep_[&reduction] = {{k_.room(type, length), type, length}, {dense, k_.int64(0)}, false};
}

bool ElementEmitter::canAccumulateColumns(const Instruction& reduction) {
  const ElementType type = reduction.shape().isArray() ? reduction.shape().elementType() : ElementType::Tuple;
  return reduction.shape().isArray() && !isComplex(type) && elementBits(type) >= 8 &&
         type != ElementType::Pred && appliesToOwnType(reduction);
}

// Several rows at once: of a sum the rows are added in pairs in their own type, which for f32 and eight rows
// is off by 3 * 2^-24 of the sum of magnitudes at most, and then in f64.
void ElementEmitter::accumulateColumns(
    const Instruction& reduction, int64_t most, Value* count, llvm::ArrayRef<int64_t> sizes,
    const std::function<ElementIndex(llvm::ArrayRef<Value*>, Value*)>& placeOf, ColumnPlace column,
    bool isPart) {
  const Instruction& operand = *reduction.operand(0);
  const ElementType type = operand.shape().elementType();
  const bool isSum = isFloatSum(reduction);
  CHECK(isSum || !isPart);
  const Scalar start = isPart ? s_.zero(type) : at(*reduction.operand(1), {});
  const Lanes lanes = makeLanes(k_, isSum ? Scalar{s_.toDouble(type, start)} : Scalar{start.value}, most);
  // Of the operand's elements, though the sums of floats are wider.
  const int64_t atOnce = 512 / s_.valueType(type)->getScalarSizeInBits();
  const auto foldRows = [&](llvm::ArrayRef<Value*> outer, Value* first, int64_t rows) {
    const auto foldColumn = [&](Value* i) {
      inFrame([&] {
        Value* at = b_.CreateAdd(column.first, i, "", true, true);
        llvm::SmallVector<Value*, 8> x;
        for (int64_t row = 0; row < rows; ++row) {
          llvm::SmallVector<Value*, 6> folded(outer.begin(), outer.end());
          folded.push_back(b_.CreateAdd(first, k_.int64(row), "", true, true));
          x.push_back(this->at(operand, placeOf(folded, at)).value);
        }
        Scalar result{lane(b_, lanes, i)};
        if (isSum) {
          result.value = b_.CreateFAdd(result.value, s_.toDouble(type, {k_.addInPairs(x)}));
        } else {
          for (Value* value : x) result = apply(*reduction.get<Attr::ToApply>(), {result, {value}})[0];
        }
        setLane(b_, lanes, i, result.value);
      });
    };
    k_.lineLoop(k_.int64(0), count, foldColumn, atOnce);
  };
  const int64_t rows = sizes.back(),
                group = std::min<int64_t>(leaves_.contains(&resolve(operand)) ? 8 : 4, rows);
  nestInFrame(sizes.drop_back(), [&](llvm::ArrayRef<Value*> folded) {
    const llvm::SmallVector<Value*, 6> outer(folded.begin(), folded.end());
    k_.loop(k_.int64(0), k_.int64(rows / group),
            [&](Value* i) { foldRows(outer, b_.CreateMul(i, k_.int64(group), "", true, true), group); });
    if (const int64_t rest = rows % group; rest != 0) foldRows(outer, k_.int64(rows - rest), rest);
  });
  kept_[&reduction] = {lanes, column, isSum};
}

void ElementEmitter::addColumnParts(const Instruction& reduction, int64_t most, Value* count, int64_t parts,
                                    const std::function<Value*(int64_t, Value*)>& partAt,
                                    ColumnPlace column) {
  Value* start = s_.toDouble(reduction.shape().elementType(), at(*reduction.operand(1), {}));
  const Lanes lanes{k_.room(start->getType(), most), start->getType(), most};
  k_.lineLoop(k_.int64(0), count, [&](Value* i) {
    Value* sum = start;
    for (int64_t part = 0; part < parts; ++part) sum = b_.CreateFAdd(sum, partAt(part, i));
    setLane(b_, lanes, i, sum);
  });
  kept_[&reduction] = {lanes, column, true};
}

Scalar ElementEmitter::keptElement(const Instruction& instruction, const Kept& kept, ElementIndex& index) {
  Value* value = lane(b_, kept.lanes, b_.CreateSub(k_.dimsOf(index)[kept.place.dense], kept.place.first));
  return kept.isSum ? s_.fromDouble(instruction.shape().elementType(), value) : Scalar{value};
}

}  // namespace hilo
