// Dots of a matrix and a vector, which wait for the matrix: it is read once, as it lies in memory. Lines
// along the summed dimension are each summed up; lines across it are added to the result, several at a time.
// Memory is read best on and on, so that lines across are read in long stretches: threads share the summed
// dimension, each part is summed by itself, and the sums are added in the end.
#include "core/compiler/codegen/cpu/dot_tiles.h"
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/real_sizes.h"

namespace hilo::cpu {

using llvm::Value;

namespace {

constexpr auto kLhs = ProductArray::Lhs, kRhs = ProductArray::Rhs, kResult = ProductArray::Result;

// How a dot is shared: results of each matrix so many at a time, and of lines across the summed dimension
// in parts, whose sums lie one after the other.
struct Cuts {
  bool isAlong;
  int64_t atOnce, pieces, parts;
};

class MatrixByVector {
 public:
  // Of a dot of one column. `type` is that of the elements and of the sums.
  MatrixByVector(KernelBuilder& kernel, const MatrixProduct& product, ElementType type, int64_t lanes)
      : k_(kernel),
        b_(kernel.b()),
        product_(product),
        isFloat_(isFloat(type)),
        element_(kernel.scalars().valueType(type)),
        lanes_(lanes),
        vector_(llvm::FixedVectorType::get(element_, static_cast<unsigned>(lanes))) {}

  // What iteration `i` does. `made` is the result, or the array of the parts' sums.
  void write(Value* i, const Cuts& cuts, Shape left, Shape right, Shape made) {
    Value *part = b_.CreateURem(i, k_.int64(cuts.parts)), *piece = b_.CreateUDiv(i, k_.int64(cuts.parts)),
          *number = b_.CreateUDiv(piece, k_.int64(cuts.pieces)), *all = k_.int64(product_.rows.size);
    const auto starts = startsOf(k_, product_, number);
    Value* from = b_.CreateMul(b_.CreateURem(piece, k_.int64(cuts.pieces)), k_.int64(cuts.atOnce));
    Value* to = b_.CreateAdd(from, k_.int64(cuts.atOnce));
    if (product_.rows.size % cuts.atOnce != 0) to = b_.CreateSelect(b_.CreateICmpSLT(to, all), to, all);
    Value* matrix = k_.pointerTo(0, left, {{}, starts[0], left});
    Value* vector = k_.pointerTo(1, right, {{}, starts[1], right});
    Value* sums = b_.CreateMul(b_.CreateAdd(b_.CreateMul(number, k_.int64(cuts.parts)), part), all);
    Value* result = k_.pointerTo(2, made, {{}, cuts.parts == 1 ? starts[2] : sums, made});
    cuts.isAlong ? sumLines(from, to, matrix, vector, result)
                 : addLines(from, to, part, cuts.parts, matrix, vector, result);
  }

  // The result of matrix `number` from the sums of its parts, one after the other.
  void addParts(Value* number, int64_t parts, Shape sums, Shape result) {
    const int64_t rows = product_.rows.size;
    Value* first = b_.CreateMul(number, k_.int64(parts * rows));
    Value* from = k_.pointerTo(0, sums, {{}, first, sums});
    Value* to = k_.pointerTo(1, result, {{}, startsOf(k_, product_, number)[2], result});
    overVectors(k_.int64(rows), [&](Value* i, Value* mask) {
      Value* sum = load(at(from, i), mask);
      for (int64_t part = 1; part < parts; ++part)
        sum = add(sum, load(at(from, b_.CreateAdd(i, k_.int64(part * rows))), mask));
      store(sum, at(to, i), mask);
    });
  }

 private:
  static constexpr int64_t kLines = 4, kVectors = 2, kAddedAtOnce = 8;

  void sumLines(Value* from, Value* to, Value* matrix, Value* vector, Value* result) {
    const auto sum = [&](Value* row, int64_t lines) {
      Value* first = at(matrix, b_.CreateMul(row, k_.int64(product_.rows.in(kLhs))));
      const auto sums = sumsOf(first, vector, lines);
      for (int64_t line = 0; line < lines; ++line) {
        Value* place = b_.CreateMul(b_.CreateAdd(row, k_.int64(line)), k_.int64(product_.rows.in(kResult)));
        b_.CreateStore(sums[static_cast<size_t>(line)], at(result, place));
      }
    };
    Value* whole = b_.CreateUDiv(b_.CreateSub(to, from), k_.int64(kLines));
    k_.loop(k_.int64(0), whole,
            [&](Value* i) { sum(b_.CreateAdd(from, b_.CreateMul(i, k_.int64(kLines))), kLines); });
    k_.loop(b_.CreateAdd(from, b_.CreateMul(whole, k_.int64(kLines))), to, [&](Value* row) { sum(row, 1); });
  }

  // Elements [from, to) of the result, which are dense, or of what part `part` of `parts` adds to them.
  void addLines(Value* from, Value* to, Value* part, int64_t parts, Value* matrix, Value* vector,
                Value* result) {
    const int64_t depth = product_.sum.size, groups = depth / kAddedAtOnce, rest = depth % kAddedAtOnce;
    Value* count = b_.CreateSub(to, from);
    matrix = at(matrix, from);
    result = at(result, from);
    overVectors(count, [&](Value* i, Value* mask) { store(zeros(), at(result, i), mask); });
    const auto add = [&](Value* first, int64_t lines) {
      llvm::SmallVector<Value*, 8> factors, starts;
      for (int64_t j = 0; j < lines; ++j) {
        Value* line = b_.CreateAdd(first, k_.int64(j), "", true, true);
        Value* factor =
            b_.CreateLoad(element_, at(vector, b_.CreateMul(line, k_.int64(product_.sum.in(kRhs)))));
        factors.push_back(b_.CreateVectorSplat(static_cast<unsigned>(lanes_), factor));
        starts.push_back(at(matrix, b_.CreateMul(line, k_.int64(product_.sum.in(kLhs)))));
      }
      overVectors(count, [&](Value* i, Value* mask) {
        Value* sum = load(at(result, i), mask);
        for (size_t j = 0; j < factors.size(); ++j)
          sum = multiplyAdd(load(at(starts[j], i), mask), factors[j], sum);
        store(sum, at(result, i), mask);
      });
    };
    const auto firstOf = [&](Value* number) {
      return b_.CreateUDiv(b_.CreateMul(number, k_.int64(groups)), k_.int64(parts));
    };
    k_.loop(firstOf(part), firstOf(b_.CreateAdd(part, k_.int64(1))),
            [&](Value* i) { add(b_.CreateMul(i, k_.int64(kAddedAtOnce)), kAddedAtOnce); });
    if (rest == 0) return;
    k_.branch(b_.CreateICmpEQ(part, k_.int64(parts - 1)),
              [&] { add(k_.int64(groups * kAddedAtOnce), rest); });
  }

  Value* zeros() { return llvm::Constant::getNullValue(vector_); }
  Value* at(Value* start, Value* place) { return b_.CreateInBoundsGEP(element_, start, {place}); }
  llvm::Align alignment() const { return llvm::Align(element_->getScalarSizeInBits() / 8); }
  Value* load(Value* place, Value* mask) {
    return mask == nullptr ? static_cast<Value*>(b_.CreateAlignedLoad(vector_, place, alignment()))
                           : b_.CreateMaskedLoad(vector_, place, alignment(), mask, zeros());
  }
  void store(Value* value, Value* place, Value* mask) {
    mask == nullptr ? static_cast<Value*>(b_.CreateAlignedStore(value, place, alignment()))
                    : b_.CreateMaskedStore(value, place, alignment(), mask);
  }
  Value* multiplyAdd(Value* a, Value* b, Value* sum) {
    if (isFloat_) return b_.CreateIntrinsic(llvm::Intrinsic::fma, {vector_}, {a, b, sum});
    return b_.CreateAdd(b_.CreateMul(a, b), sum);
  }
  Value* add(Value* a, Value* b) { return isFloat_ ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b); }

  // A mask of the first `count` lanes.
  Value* firstLanes(Value* count) {
    llvm::SmallVector<llvm::Constant*, 16> lanes;
    for (int64_t lane = 0; lane < lanes_; ++lane) lanes.push_back(b_.getInt64(static_cast<uint64_t>(lane)));
    return b_.CreateICmpSLT(llvm::ConstantVector::get(lanes),
                            b_.CreateVectorSplat(static_cast<unsigned>(lanes_), count));
  }

  // body(first element, null or which lanes are there)
  void overVectors(Value* count, const std::function<void(Value*, Value*)>& body) {
    Value* whole = b_.CreateUDiv(count, k_.int64(lanes_));
    k_.loop(k_.int64(0), whole,
            [&](Value* i) { body(b_.CreateMul(i, k_.int64(lanes_), "", true, true), nullptr); });
    if (product_.rows.size % lanes_ == 0) return;
    Value* rest = b_.CreateMul(whole, k_.int64(lanes_));
    k_.branch(b_.CreateICmpSLT(rest, count), [&] { body(rest, firstLanes(b_.CreateSub(count, rest))); });
  }

  std::vector<Value*> sumsOf(Value* first, Value* vector, int64_t lines) {
    const int64_t depth = product_.sum.size, step = kVectors * lanes_, stride = product_.rows.in(kLhs);
    std::vector<KernelBuilder::Variable> sums;
    for (int64_t i = 0; i < lines * kVectors; ++i) sums.push_back(k_.variable({zeros()}));
    const auto fold = [&](Value* from, int64_t vectors, Value* mask) {
      for (int64_t v = 0; v < vectors; ++v) {
        Value* place = b_.CreateAdd(from, k_.int64(v * lanes_), "", true, true);
        Value* factor = load(at(vector, place), mask);
        for (int64_t line = 0; line < lines; ++line) {
          const auto& sum = sums[static_cast<size_t>(line * kVectors + v)];
          Value* x = load(at(first, b_.CreateAdd(place, k_.int64(line * stride), "", true, true)), mask);
          k_.set(sum, {multiplyAdd(x, factor, k_.get(sum).value)});
        }
      }
    };
    k_.lineLoop(k_.int64(0), k_.int64(depth / step),
                [&](Value* i) { fold(b_.CreateMul(i, k_.int64(step), "", true, true), kVectors, nullptr); });
    for (int64_t at = depth / step * step; at < depth; at += lanes_)
      fold(k_.int64(at), 1, at + lanes_ <= depth ? nullptr : firstLanes(k_.int64(depth - at)));
    std::vector<Value*> totals;
    for (int64_t line = 0; line < lines; ++line) {
      Value* all = k_.get(sums[static_cast<size_t>(line * kVectors)]).value;
      for (int64_t v = 1; v < kVectors; ++v)
        all = add(all, k_.get(sums[static_cast<size_t>(line * kVectors + v)]).value);
      totals.push_back(total(all));
    }
    return totals;
  }

  Value* total(Value* vector) {
    if (!isFloat_) return b_.CreateAddReduce(vector);
    auto* sum = llvm::cast<llvm::Instruction>(
        b_.CreateFAddReduce(llvm::ConstantFP::getNegativeZero(element_), vector));
    sum->setHasAllowReassoc(true);
    return sum;
  }

  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const MatrixProduct& product_;
  bool isFloat_;
  llvm::Type* element_;
  int64_t lanes_;
  llvm::FixedVectorType* vector_;
};

// Of lines across a piece has as many results as stay in the first cache while lines are added, and there are
// parts enough for several threads, of some microseconds each.
Cuts cutsOf(const MatrixProduct& product, int64_t elementBytes, bool isAlong) {
  constexpr int64_t kMost = 2048, kElementsAlong = 1 << 14, kNearBytes = 8 << 10, kPieces = 8;
  constexpr double kLeastWork = 1 << 16;
  Cuts cuts{isAlong, std::min(kNearBytes / elementBytes, product.rows.size), 1, 1};
  if (isAlong) cuts.atOnce = std::clamp<int64_t>(kElementsAlong / product.sum.size / 4 * 4, 4, kMost);
  cuts.pieces = (product.rows.size + cuts.atOnce - 1) / cuts.atOnce;
  if (isAlong) return cuts;
  const auto worthIt = static_cast<int64_t>(std::min(1e9, product.workOfOne() / kLeastWork));
  cuts.parts =
      std::clamp<int64_t>(kPieces / (product.matrices() * cuts.pieces), 1, std::max<int64_t>(1, worthIt));
  return cuts;
}

}  // namespace

bool lowerMatrixByVector(const Instruction& instruction, MatrixProduct product, ProductOperands operands,
                         LoweringContext& context) {
  if (product.columns.size != 1) {
    if (product.rows.size != 1) return false;
    product = transposed(product);
    std::swap(operands.lhs, operands.rhs);
  }
  const Shape left = operands.lhs->shape(), right = operands.rhs->shape(), shape = instruction.shape();
  const ElementType type = shape.elementType();
  const auto sum = sumTypeOf(left.elementType(), right.elementType(), type, product.workOfOne());
  if (sum != type || left.elementType() != type || right.elementType() != type || product.rows.size == 1)
    return false;
  const int64_t lanes = context.draft.registers.bytes / elementStorageBytes(type);
  const bool isAlong = product.sum.in(kLhs) == 1 && product.sum.in(kRhs) == 1 && product.sum.size >= lanes,
             isAcross = product.rows.in(kLhs) == 1 && product.rows.in(kResult) == 1;
  if (!isAlong && !isAcross) return false;
  const Cuts cuts = cutsOf(product, elementStorageBytes(type), isAlong);
  const int64_t matrices = product.matrices(), sumsCount = matrices * cuts.parts * product.rows.size;
  const LeafValue result = context.newLeaf(shape);
  const Shape made = cuts.parts == 1 ? shape : Shape::array(type, {sumsCount});
  const LeafValue sums = cuts.parts == 1 ? result : context.newLeaf(made);
  const auto costNs = static_cast<int64_t>(std::min(1e15, product.work() / 8));
  context.addKernelOn(instruction, {context.leafOf(*operands.lhs), context.leafOf(*operands.rhs)}, {sums},
                      matrices * cuts.pieces * cuts.parts, 100 + costNs, [&](KernelBuilder& k) {
                        MatrixByVector kernel(k, product, type, lanes);
                        k.loop(k.begin(), k.end(),
                               [&](Value* i) { kernel.write(i, cuts, left, right, made); });
                      });
  if (cuts.parts > 1) {
    context.addKernelOn(instruction, {sums}, {result}, matrices, 100 + sumsCount / 8, [&](KernelBuilder& k) {
      MatrixByVector kernel(k, product, type, lanes);
      k.loop(k.begin(), k.end(), [&](Value* number) { kernel.addParts(number, cuts.parts, made, shape); });
    });
  }
  context.values[&instruction] = {result};
  passSizesOn(instruction, context);
  return true;
}

}  // namespace hilo::cpu
