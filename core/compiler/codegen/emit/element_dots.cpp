// Elements that are sums of products: dot, its scaled and ragged kinds, convolution.
#include "core/base/check.h"
#include "core/compiler/codegen/emit/elements.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;

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
      return k_.set(sum_, {k_.addInAnyOrder(sum.value, b_.CreateFMul(a.value, b.value))});
    const auto product = [&](Value* x, Value* y) { return b_.CreateFMul(x, y); };
    k_.set(sum_, {k_.addInAnyOrder(
                      sum.value, b_.CreateFSub(product(a.value, b.value), product(a.imaginary, b.imaginary))),
                  k_.addInAnyOrder(sum.imaginary, b_.CreateFAdd(product(a.value, b.imaginary),
                                                                product(a.imaginary, b.value)))});
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

// Where an element of a dot comes from on either side: batch dimensions first, then what is left of the
// left side, then of the right. `next` counts the dimensions of the result taken so far.
class DotPlaces {
 public:
  DotPlaces(KernelBuilder& kernel, const Instruction& instruction, llvm::ArrayRef<Value*> result)
      : k_(kernel), instruction_(instruction), result_(result) {}

  size_t firstFree() const { return instruction_.get<Attr::LhsBatchDims>().size(); }
  ElementIndex lhs(llvm::ArrayRef<Value*> inner, size_t& next) {
    return place(instruction_.operand(0)->shape(), instruction_.get<Attr::LhsBatchDims>(),
                 instruction_.get<Attr::LhsContractingDims>(), inner, next, -1);
  }
  // `without` is a dimension that no dimension of the result stands for.
  ElementIndex rhs(llvm::ArrayRef<Value*> inner, size_t& next, int64_t without = -1) {
    return place(instruction_.operand(1)->shape(), instruction_.get<Attr::RhsBatchDims>(),
                 instruction_.get<Attr::RhsContractingDims>(), inner, next, without);
  }

 private:
  ElementIndex place(Shape side, std::span<const int64_t> batch, std::span<const int64_t> contracting,
                     llvm::ArrayRef<Value*> inner, size_t& next, int64_t without) {
    Dims place(side.rank(), nullptr);
    for (size_t i = 0; i < batch.size(); ++i) place[static_cast<size_t>(batch[i])] = result_[i];
    for (size_t i = 0; i < contracting.size(); ++i) place[static_cast<size_t>(contracting[i])] = inner[i];
    for (size_t d = 0; d < place.size(); ++d) {
      if (place[d] == nullptr && static_cast<int64_t>(d) != without) place[d] = result_[next++];
    }
    return k_.indexAt(place);
  }

  KernelBuilder& k_;
  const Instruction& instruction_;
  llvm::ArrayRef<Value*> result_;
};

std::vector<int64_t> contractedSizes(const Instruction& instruction) {
  std::vector<int64_t> sizes;
  for (const int64_t d : instruction.get<Attr::LhsContractingDims>())
    sizes.push_back(instruction.operand(0)->shape().dimension(static_cast<size_t>(d)));
  return sizes;
}

}  // namespace

// `element` gives the elements of either side, as numbers of the types.
static Scalar productOf(const Instruction& instruction, ElementIndex& index, std::array<ElementType, 2> types,
                        const std::function<Scalar(size_t, const ElementIndex&)>& element,
                        ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  const Dims dims = instruction.shape().rank() == 0 ? Dims{} : k.dimsOf(index);
  DotPlaces places(k, instruction, dims);
  ProductSum sum(k, types[0], types[1], instruction.shape().elementType());
  e.nestInFrame(contractedSizes(instruction), [&](llvm::ArrayRef<Value*> inner) {
    size_t next = places.firstFree();
    const ElementIndex left = places.lhs(inner, next), right = places.rhs(inner, next);
    const Scalar a = element(0, left);
    sum.add(a, element(1, right));
  });
  return sum.result(false);
}

Scalar dotElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  return productOf(
      instruction, index,
      {instruction.operand(0)->shape().elementType(), instruction.operand(1)->shape().elementType()},
      [&](size_t side, const ElementIndex& place) { return e.at(*instruction.operand(side), place); }, e);
}

// Each element is first multiplied by its scale, one a block of the operand, in f64. A scalar in the place of
// a scale says that there is none.
Scalar scaledDotElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  llvm::IRBuilder<>& b = e.kernel().b();
  ScalarEmitter& s = e.kernel().scalars();
  const auto isScaled = [&](size_t side) { return instruction.operand(side + 2)->shape().rank() > 0; };
  const auto typeOf = [&](size_t side) {
    return isScaled(side) ? ElementType::F64 : instruction.operand(side)->shape().elementType();
  };
  return productOf(
      instruction, index, {typeOf(0), typeOf(1)},
      [&](size_t side, const ElementIndex& place) -> Scalar {
        const Instruction &operand = *instruction.operand(side), &scale = *instruction.operand(side + 2);
        const Scalar x = e.at(operand, place);
        if (!isScaled(side)) return x;
        Dims block = place.dims;
        for (size_t d = 0; d < block.size(); ++d) {
          const int64_t size = operand.shape().dimension(d) / scale.shape().dimension(d);
          block[d] = b.CreateUDiv(block[d], k.int64(std::max<int64_t>(1, size)));
        }
        const Scalar factor = e.at(scale, k.indexAt(block));
        return {b.CreateFMul(s.convert(operand.shape().elementType(), ElementType::F64, x).value,
                             s.convert(scale.shape().elementType(), ElementType::F64, factor).value)};
      },
      e);
}

namespace {

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// Dimensions of the left side outside the ragged one, which have group sizes of their own
// (eval/ragged_dot.cpp says what the modes mean).
std::vector<int64_t> outerDimensions(const Instruction& instruction, int64_t ragged) {
  const auto batch = instruction.get<Attr::LhsBatchDims>(),
             contracting = instruction.get<Attr::LhsContractingDims>();
  std::vector<int64_t> outer;
  for (const int64_t d : batch) {
    if (d == ragged) return outer;
    outer.push_back(d);
  }
  if (contains(contracting, ragged)) return outer;
  for (int64_t d = 0; d < static_cast<int64_t>(instruction.operand(0)->shape().rank()); ++d) {
    if (!contains(batch, d) && !contains(contracting, d) && d != ragged) outer.push_back(d);
  }
  return outer;
}

}  // namespace

// A group's place in the ragged dimension is where the sizes before it end.
Scalar raggedDotElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  llvm::IRBuilder<>& b = e.kernel().b();
  const Instruction &lhs = *instruction.operand(0), &rhs = *instruction.operand(1),
                    &sizes = *instruction.operand(2);
  const int64_t ragged = instruction.get<Attr::LhsRaggedDims>()[0];
  const auto contracting = instruction.get<Attr::LhsContractingDims>();
  const bool isContracting = contains(contracting, ragged);
  const bool isFree = !isContracting && !contains(instruction.get<Attr::LhsBatchDims>(), ragged);
  const int64_t groups = sizes.shape().dimension(sizes.shape().rank() - 1);
  Dims dims = k.dimsOf(index);
  Value* group = isContracting ? dims[0] : nullptr;
  if (isContracting) dims.erase(dims.begin());
  DotPlaces places(k, instruction, dims);
  size_t ignored = places.firstFree();
  const Dims left = places.lhs(Dims(contracting.size(), k.int64(0)), ignored).dims;
  const auto start = k.variable(Scalar{k.int64(0)}), end = k.variable(Scalar{k.int64(0)}),
             found = k.variable(Scalar{k.int64(-1)});
  Value* limit = isContracting ? b.CreateAdd(group, k.int64(1)) : k.int64(groups);
  k.loop(k.int64(0), limit, [&](Value* g) {
    e.inFrame([&] {
      Dims place;
      if (sizes.shape().rank() > 1) {
        for (const int64_t d : outerDimensions(instruction, ragged))
          place.push_back(left[static_cast<size_t>(d)]);
      }
      place.push_back(g);
      Value* size = clampIndex(k, e.integerAt(sizes, k.indexAt(place)),
                               lhs.shape().dimension(static_cast<size_t>(ragged)));
      Value* before = k.get(end).value;
      Value* after = b.CreateAdd(before, size);
      k.set(start, {before});
      k.set(end, {after});
      if (isContracting) return;
      Value* isFirst = b.CreateAnd(b.CreateICmpSLT(k.get(found).value, k.int64(0)),
                                   b.CreateICmpSLT(left[static_cast<size_t>(ragged)], after));
      k.set(found, {b.CreateSelect(isFirst, g, k.get(found).value)});
    });
  });
  ProductSum sum(k, lhs.shape().elementType(), rhs.shape().elementType(), instruction.shape().elementType());
  const auto add = [&](llvm::ArrayRef<Value*> inner) {
    size_t next = places.firstFree();
    const int64_t groupDim = isFree ? instruction.get<Attr::RhsGroupDims>()[0] : -1;
    const ElementIndex a = places.lhs(inner, next);
    ElementIndex b = places.rhs(inner, next, groupDim);
    if (isFree) b.dims[static_cast<size_t>(groupDim)] = k.get(found).value;
    const Scalar x = e.at(lhs, a);
    sum.add(x, e.at(rhs, b));
  };
  if (!isContracting) {
    k.branch(b.CreateICmpSGE(k.get(found).value, k.int64(0)),
             [&] { e.inFrame([&] { e.nestInFrame(contractedSizes(instruction), add); }); });
    return sum.result(false);
  }
  const auto which = static_cast<size_t>(std::ranges::find(contracting, ragged) - contracting.begin());
  e.nestInFrame(contractedSizes(instruction), [&](llvm::ArrayRef<Value*> inner) {
    Value* isInside = b.CreateAnd(b.CreateICmpSGE(inner[which], k.get(start).value),
                                  b.CreateICmpSLT(inner[which], k.get(end).value));
    k.branch(isInside, [&] { e.inFrame([&] { add(inner); }); });
  });
  return sum.result(false);
}

Scalar convolutionElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  llvm::IRBuilder<>& b = e.kernel().b();
  const Instruction &input = *instruction.operand(0), &kernel = *instruction.operand(1);
  const auto& numbers = *instruction.get<Attr::DimLabels>();
  const Window* window = instruction.get<Attr::Window>();
  const size_t space = numbers.inputSpatial.size();
  const auto size = [](const Instruction& of, int64_t d) {
    return of.shape().dimension(static_cast<size_t>(d));
  };
  const Dims dims = k.dimsOf(index);
  Value* feature = dims[static_cast<size_t>(numbers.outputFeature)];
  const int64_t channels = size(kernel, numbers.kernelInputFeature),
                features = size(kernel, numbers.kernelOutputFeature);
  const int64_t groups = instruction.get<Attr::FeatureGroupCount>().value_or(1);
  const int64_t batchGroups = instruction.get<Attr::BatchGroupCount>().value_or(1);
  const int64_t outputBatch = size(input, numbers.inputBatch) / batchGroups;
  Value* firstChannel = b.CreateMul(b.CreateUDiv(feature, k.int64(features / groups)), k.int64(channels));
  Value* batch =
      b.CreateAdd(dims[static_cast<size_t>(numbers.outputBatch)],
                  b.CreateMul(b.CreateUDiv(feature, k.int64(features / batchGroups)), k.int64(outputBatch)));
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < space; ++i) sizes.push_back(window->dimensions[i].size);
  ProductSum sum(k, input.shape().elementType(), kernel.shape().elementType(),
                 instruction.shape().elementType());
  e.nestInFrame(sizes, [&](llvm::ArrayRef<Value*> inner) {
    Value* isReal = b.getTrue();
    Dims from(input.shape().rank()), of(kernel.shape().rank());
    for (size_t i = 0; i < space; ++i) {
      const WindowDimension& w = window->dimensions[i];
      const Windowed place = windowed(k, w, size(input, numbers.inputSpatial[i]),
                                      dims[static_cast<size_t>(numbers.outputSpatial[i])], inner[i]);
      isReal = b.CreateAnd(isReal, place.isReal);
      from[static_cast<size_t>(numbers.inputSpatial[i])] = place.place;
      of[static_cast<size_t>(numbers.kernelSpatial[i])] =
          w.windowReversal ? b.CreateSub(k.int64(w.size - 1), inner[i]) : inner[i];
    }
    k.branch(isReal, [&] {
      e.nestInFrame({channels}, [&](llvm::ArrayRef<Value*> channel) {
        from[static_cast<size_t>(numbers.inputBatch)] = batch;
        from[static_cast<size_t>(numbers.inputFeature)] = b.CreateAdd(firstChannel, channel[0]);
        of[static_cast<size_t>(numbers.kernelInputFeature)] = channel[0];
        of[static_cast<size_t>(numbers.kernelOutputFeature)] = feature;
        sum.add(e.at(input, k.indexAt(from)), e.at(kernel, k.indexAt(of)));
      });
    });
  });
  return sum.result(true);
}

}  // namespace hilo
