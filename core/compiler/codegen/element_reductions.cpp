// Elements that many others go into: reductions, windows, products, convolutions; and generated bits.
#include "core/base/check.h"
#include "core/compiler/codegen/element_emitter.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;

std::optional<Opcode> singleBinaryOpcode(const Computation& computation) {
  const Instruction* root = computation.root();
  if (computation.parameters().size() != 2 || root->operandCount() != 2 ||
      opcodeClass(root->opcode()) != OpcodeClass::ElementwiseBinary) {
    return std::nullopt;
  }
  const Instruction *a = computation.parameters()[0], *b = computation.parameters()[1];
  const bool inOrder = root->operand(0) == a && root->operand(1) == b;
  const bool swapped = root->operand(0) == b && root->operand(1) == a;
  return inOrder || swapped ? std::optional(root->opcode()) : std::nullopt;
}

bool isFloatSum(const Instruction& instruction) {
  return instruction.operandCount() == 2 && isFloat(instruction.operand(0)->shape().elementType()) &&
         singleBinaryOpcode(*instruction.get<Attr::ToApply>()) == Opcode::Add;
}

namespace {

// In an order that is the optimiser's to choose.
Value* addInAnyOrder(llvm::IRBuilder<>& b, Value* sum, Value* term) {
  llvm::FastMathFlags flags;
  flags.setAllowReassoc();
  auto* added = llvm::cast<llvm::Instruction>(b.CreateFAdd(sum, term));
  added->setFastMathFlags(flags);
  return added;
}

}  // namespace

// Runs `produce`, which calls its argument with every term, and sums in f64, rounding once.
Scalar ElementEmitter::sumOf(const Instruction&, ElementType type, Scalar initial,
                             const std::function<void(const std::function<void(Scalar)>&)>& produce) {
  const auto sum = k_.variable(Scalar{s_.toDouble(type, initial)});
  produce([&](Scalar term) { k_.set(sum, {addInAnyOrder(b_, k_.get(sum).value, s_.toDouble(type, term))}); });
  return s_.fromDouble(type, k_.get(sum).value);
}

std::vector<Scalar> ElementEmitter::reduce(const Instruction& instruction, ElementIndex& index) {
  const size_t n = instruction.operandCount() / 2;
  const Shape input = instruction.operand(0)->shape();
  const auto reduced = instruction.dimensions();
  // Reduced dimensions as they lie in memory, the fastest innermost.
  std::vector<int64_t> order, sizes;
  for (const int64_t d : majorToMinor(input)) {
    if (std::ranges::find(reduced, d) == reduced.end()) continue;
    order.push_back(d);
    sizes.push_back(input.dimension(static_cast<size_t>(d)));
  }
  const Dims kept = input.rank() == reduced.size() ? Dims{} : k_.dimsOf(index);
  const auto placeOf = [&](llvm::ArrayRef<Value*> inner) {
    Dims place(input.rank(), nullptr);
    for (size_t i = 0; i < order.size(); ++i) place[static_cast<size_t>(order[i])] = inner[i];
    size_t next = 0;
    for (Value*& at : place) {
      if (at == nullptr) at = kept[next++];
    }
    return k_.indexAt(place);
  };
  if (isFloatSum(instruction)) {
    return {sumOf(instruction, input.elementType(), at(*instruction.operand(1), {}), [&](const auto& term) {
      nestInFrame(sizes,
                  [&](llvm::ArrayRef<Value*> inner) { term(at(*instruction.operand(0), placeOf(inner))); });
    })};
  }
  std::vector<KernelBuilder::Variable> results;
  for (size_t i = 0; i < n; ++i) results.push_back(k_.variable(at(*instruction.operand(n + i), {})));
  nestInFrame(sizes, [&](llvm::ArrayRef<Value*> inner) {
    std::vector<Scalar> arguments;
    for (const auto& result : results) arguments.push_back(k_.get(result));
    for (size_t i = 0; i < n; ++i) arguments.push_back(at(*instruction.operand(i), placeOf(inner)));
    const auto next = apply(*instruction.get<Attr::ToApply>(), arguments);
    for (size_t i = 0; i < n; ++i) k_.set(results[i], next[i]);
  });
  std::vector<Scalar> values;
  for (const auto& result : results) values.push_back(k_.get(result));
  return values;
}

namespace {

// Where element `inWindow` of the window at `placement` lies in a dimension of the base, and whether it is
// real there: not padding, not a hole of base dilation.
struct Windowed {
  Value* place;
  Value* isReal;
};
Windowed windowed(KernelBuilder& k, const WindowDimension& w, int64_t baseSize, Value* placement,
                  Value* inWindow) {
  auto& b = k.b();
  Value* dilated = b.CreateSub(b.CreateAdd(b.CreateMul(placement, k.int64(w.stride)),
                                           b.CreateMul(inWindow, k.int64(w.windowDilation))),
                               k.int64(w.paddingLow));
  if (w.baseDilation == 1) return {dilated, b.CreateICmpULT(dilated, k.int64(baseSize))};
  Value* step = k.int64(w.baseDilation);
  Value* place = b.CreateSDiv(dilated, step);
  Value* isReal = b.CreateAnd(b.CreateICmpSGE(dilated, k.int64(0)),
                              b.CreateICmpEQ(b.CreateSRem(dilated, step), k.int64(0)));
  return {place, b.CreateAnd(isReal, b.CreateICmpSLT(place, k.int64(baseSize)))};
}

}  // namespace

std::vector<Scalar> ElementEmitter::reduceWindow(const Instruction& instruction, ElementIndex& index) {
  const size_t n = instruction.operandCount() / 2;
  const Shape input = instruction.operand(0)->shape();
  const Window& window = *instruction.get<Attr::Window>();
  const Dims placement = input.rank() == 0 ? Dims{} : k_.dimsOf(index);
  std::vector<int64_t> sizes;
  for (const WindowDimension& w : window.dimensions) sizes.push_back(w.size);
  std::vector<KernelBuilder::Variable> results;
  for (size_t i = 0; i < n; ++i) results.push_back(k_.variable(at(*instruction.operand(n + i), {})));
  nestInFrame(sizes, [&](llvm::ArrayRef<Value*> inner) {
    Value* isReal = b_.getTrue();
    Dims place;
    for (size_t d = 0; d < input.rank(); ++d) {
      const Windowed at = windowed(k_, window.dimensions[d], input.dimension(d), placement[d], inner[d]);
      isReal = b_.CreateAnd(isReal, at.isReal);
      place.push_back(at.place);
    }
    k_.branch(isReal, [&] {
      inFrame([&] {
        std::vector<Scalar> arguments;
        for (const auto& result : results) arguments.push_back(k_.get(result));
        for (size_t i = 0; i < n; ++i) arguments.push_back(at(*instruction.operand(i), k_.indexAt(place)));
        const auto next = apply(*instruction.get<Attr::ToApply>(), arguments);
        for (size_t i = 0; i < n; ++i) k_.set(results[i], next[i]);
      });
    });
  });
  std::vector<Scalar> values;
  for (const auto& result : results) values.push_back(k_.get(result));
  return values;
}

namespace {

// Sums of products: in f64 for real floats, in s64 for integers, in f64 parts for complex numbers.
class ProductSum {
 public:
  ProductSum(KernelBuilder& kernel, ElementType lhs, ElementType rhs, ElementType result)
      : k_(kernel), b_(kernel.b()), s_(kernel.scalars()), lhs_(lhs), rhs_(rhs), result_(result) {
    const auto isKind = [&](auto test) { return test(lhs) || test(rhs) || test(result); };
    kind_ = isKind(isComplex) ? ElementType::C128 : isKind(isFloat) ? ElementType::F64 : ElementType::S64;
    sum_ = k_.variable(s_.zero(kind_));
  }
  void add(Scalar a, Scalar b) {
    a = s_.convert(lhs_, kind_, a);
    b = s_.convert(rhs_, kind_, b);
    const Scalar sum = k_.get(sum_);
    if (kind_ == ElementType::S64)
      return k_.set(sum_, {b_.CreateAdd(sum.value, b_.CreateMul(a.value, b.value))});
    if (kind_ == ElementType::F64)
      return k_.set(sum_, {addInAnyOrder(b_, sum.value, b_.CreateFMul(a.value, b.value))});
    const auto product = [&](Value* x, Value* y) { return b_.CreateFMul(x, y); };
    k_.set(sum_,
           {addInAnyOrder(b_, sum.value,
                          b_.CreateFSub(product(a.value, b.value), product(a.imaginary, b.imaginary))),
            addInAnyOrder(b_, sum.imaginary,
                          b_.CreateFAdd(product(a.value, b.imaginary), product(a.imaginary, b.value)))});
  }
  Scalar result(bool saturates) {
    Scalar sum = k_.get(sum_);
    const int bits = elementBits(result_);
    if (saturates && isIntegral(result_) && bits < 64) {
      const int64_t highest = (int64_t{1} << (isSigned(result_) ? bits - 1 : bits)) - 1;
      sum = s_.clamp(ElementType::S64, {k_.int64(isSigned(result_) ? -highest - 1 : 0)}, sum,
                     {k_.int64(highest)});
    }
    return s_.convert(kind_, result_, sum);
  }

 private:
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  ScalarEmitter& s_;
  ElementType lhs_, rhs_, result_, kind_;
  KernelBuilder::Variable sum_;
};

}  // namespace

Scalar ElementEmitter::dot(const Instruction& instruction, ElementIndex& index) {
  const Instruction &lhs = *instruction.operand(0), &rhs = *instruction.operand(1);
  const auto lhsBatch = instruction.get<Attr::LhsBatchDims>(),
             rhsBatch = instruction.get<Attr::RhsBatchDims>();
  const auto lhsSum = instruction.get<Attr::LhsContractingDims>(),
             rhsSum = instruction.get<Attr::RhsContractingDims>();
  const Dims dims = instruction.shape().rank() == 0 ? Dims{} : k_.dimsOf(index);
  std::vector<int64_t> sizes;
  for (const int64_t d : lhsSum) sizes.push_back(lhs.shape().dimension(static_cast<size_t>(d)));
  ProductSum sum(k_, lhs.shape().elementType(), rhs.shape().elementType(), instruction.shape().elementType());
  nestInFrame(sizes, [&](llvm::ArrayRef<Value*> inner) {
    // The result's dimensions: batch, then what is left of the left side, then of the right.
    size_t next = lhsBatch.size();
    const auto placeOf = [&](Shape shape, std::span<const int64_t> batch,
                             std::span<const int64_t> contracting) {
      Dims place(shape.rank(), nullptr);
      for (size_t i = 0; i < batch.size(); ++i) place[static_cast<size_t>(batch[i])] = dims[i];
      for (size_t i = 0; i < contracting.size(); ++i) place[static_cast<size_t>(contracting[i])] = inner[i];
      for (Value*& at : place) {
        if (at == nullptr) at = dims[next++];
      }
      return k_.indexAt(place);
    };
    const ElementIndex left = placeOf(lhs.shape(), lhsBatch, lhsSum);
    const ElementIndex right = placeOf(rhs.shape(), rhsBatch, rhsSum);
    sum.add(at(lhs, left), at(rhs, right));
  });
  return sum.result(false);
}

Scalar ElementEmitter::convolution(const Instruction& instruction, ElementIndex& index) {
  const Instruction &input = *instruction.operand(0), &kernel = *instruction.operand(1);
  const auto& numbers = *instruction.get<Attr::DimLabels>();
  const Window* window = instruction.get<Attr::Window>();
  const size_t space = numbers.inputSpatial.size();
  const auto size = [](const Instruction& of, int64_t d) {
    return of.shape().dimension(static_cast<size_t>(d));
  };
  const Dims dims = k_.dimsOf(index);
  Value* feature = dims[static_cast<size_t>(numbers.outputFeature)];
  const int64_t channels = size(kernel, numbers.kernelInputFeature),
                features = size(kernel, numbers.kernelOutputFeature);
  const int64_t groups = instruction.get<Attr::FeatureGroupCount>().value_or(1);
  const int64_t batchGroups = instruction.get<Attr::BatchGroupCount>().value_or(1);
  const int64_t outputBatch = size(input, numbers.inputBatch) / batchGroups;
  Value* firstChannel = b_.CreateMul(b_.CreateUDiv(feature, k_.int64(features / groups)), k_.int64(channels));
  Value* batch = b_.CreateAdd(
      dims[static_cast<size_t>(numbers.outputBatch)],
      b_.CreateMul(b_.CreateUDiv(feature, k_.int64(features / batchGroups)), k_.int64(outputBatch)));
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < space; ++i) sizes.push_back(window->dimensions[i].size);
  ProductSum sum(k_, input.shape().elementType(), kernel.shape().elementType(),
                 instruction.shape().elementType());
  nestInFrame(sizes, [&](llvm::ArrayRef<Value*> inner) {
    Value* isReal = b_.getTrue();
    Dims from(input.shape().rank()), of(kernel.shape().rank());
    for (size_t i = 0; i < space; ++i) {
      const WindowDimension& w = window->dimensions[i];
      const Windowed place = windowed(k_, w, size(input, numbers.inputSpatial[i]),
                                      dims[static_cast<size_t>(numbers.outputSpatial[i])], inner[i]);
      isReal = b_.CreateAnd(isReal, place.isReal);
      from[static_cast<size_t>(numbers.inputSpatial[i])] = place.place;
      of[static_cast<size_t>(numbers.kernelSpatial[i])] =
          w.windowReversal ? b_.CreateSub(k_.int64(w.size - 1), inner[i]) : inner[i];
    }
    k_.branch(isReal, [&] {
      nestInFrame({channels}, [&](llvm::ArrayRef<Value*> channel) {
        from[static_cast<size_t>(numbers.inputBatch)] = batch;
        from[static_cast<size_t>(numbers.inputFeature)] = b_.CreateAdd(firstChannel, channel[0]);
        of[static_cast<size_t>(numbers.kernelInputFeature)] = channel[0];
        of[static_cast<size_t>(numbers.kernelOutputFeature)] = feature;
        sum.add(at(input, k_.indexAt(from)), at(kernel, k_.indexAt(of)));
      });
    });
  });
  return sum.result(true);
}

// The array of an rng-bit-generator (not its new state). Which counter an element comes from is XLA's
// (hlo/builder/lib/prng.cc).
Scalar ElementEmitter::randomBits(const Instruction& instruction, ElementIndex& index) {
  const Instruction& state = *instruction.operand(0);
  const Shape shape = instruction.shape().tupleShapes()[1];
  const ElementType type = shape.elementType();
  const int bits = elementBits(type);
  const auto word = [&](int64_t i) { return at(state, k_.indexAt({k_.int64(i)})).value; };
  const Dims dims = shape.rank() == 0 ? Dims{} : k_.dimsOf(index);
  const auto linear = [&](std::span<const int64_t> sizes, llvm::ArrayRef<Value*> at) {
    Value* place = k_.int64(0);
    for (size_t d = 0; d < sizes.size(); ++d)
      place = b_.CreateAdd(b_.CreateMul(place, k_.int64(sizes[d])), at[d]);
    return place;
  };
  llvm::Type* i64 = b_.getInt64Ty();
  const auto take = [&](Value* words, Value* upper) {
    Value* shifted = upper == nullptr ? words : b_.CreateLShr(words, b_.CreateMul(upper, k_.int64(32)));
    return s_.fromBits(type, b_.CreateTrunc(shifted, b_.getIntNTy(static_cast<unsigned>(bits))));
  };
  if (instruction.get<Attr::RandomAlgorithmKind>() == RandomAlgorithm::ThreeFry) {
    std::vector<int64_t> half(shape.dimensions().begin(), shape.dimensions().end());
    Dims place = dims;
    Value* upper = nullptr;
    if (bits != 64 && !half.empty()) {
      const auto even = std::ranges::find_if(half, [](int64_t size) { return size % 2 == 0; });
      const auto split =
          static_cast<size_t>((even != half.end() ? even : std::ranges::max_element(half)) - half.begin());
      half[split] = (half[split] + 1) / 2;
      upper = b_.CreateAnd(place[split], k_.int64(1));
      place[split] = b_.CreateLShr(place[split], 1);
    }
    Value* counter = b_.CreateAdd(word(1), linear(half, place));
    return take(s_.call("hilo_threefry", i64, {counter, word(0)}), upper);
  }
  // In the short form the key stands for the upper half of the counter too.
  Value* high = state.shape().dimension(0) == 3 ? word(2) : word(0);
  Value* element = linear(shape.dimensions(), dims);
  const int64_t aBlock = bits == 64 ? 2 : 4;
  Value* low = word(1);
  Value* sum = b_.CreateAdd(low, b_.CreateUDiv(element, k_.int64(aBlock)));
  Value* carried = b_.CreateAdd(high, b_.CreateZExt(b_.CreateICmpULT(sum, low), i64));
  Value* inBlock = b_.CreateURem(element, k_.int64(aBlock));
  Value* half = bits == 64 ? inBlock : b_.CreateLShr(inBlock, 1);
  Value* words = s_.call("hilo_philox", i64, {sum, carried, word(0), b_.CreateTrunc(half, b_.getInt32Ty())});
  return take(words, bits == 64 ? nullptr : b_.CreateAnd(inBlock, k_.int64(1)));
}

}  // namespace hilo
