// Products and windows: padding that is read becomes what changes nothing.
#include "core/hlo/expand/dynamic_expansion.h"
#include "core/hlo/ir/combiner.h"

namespace hilo {
namespace {

bool hasZero(const DynamicExpansion& e) {
  return std::ranges::none_of(e.call().operands(), [](const Instruction* operand) {
    return operand->shape().elementType() == ElementType::F8E8M0FNU;
  });
}

// How many windows there are in `size` elements; in as many as `bound` it must fit an s32.
Result<Instruction*> windowCount(const DynamicExpansion& e, const WindowDimension& window, Instruction* size,
                                 int64_t bound) {
  const auto most = static_cast<__int128>(bound) * window.baseDilation + window.stride;
  const auto ends = static_cast<__int128>(window.paddingLow) + window.paddingHigh;
  const auto covered = static_cast<__int128>(window.size - 1) * window.windowDilation + 1;
  constexpr int64_t kMost = int64_t{1} << 30;
  if (most > kMost || ends > kMost || ends < -kMost || covered > kMost)
    return e.refuse("has a window too large");
  Instruction* dilated = size;
  if (window.baseDilation != 1) {
    dilated = e.minus(e.times(size, e.number(window.baseDilation)), e.number(window.baseDilation - 1));
    dilated = e.atLeast(dilated, 0);
  }
  const auto more = static_cast<int64_t>(ends - covered) + window.stride;
  Instruction* strides = more == 0 ? dilated : e.plus(dilated, e.number(more));
  if (window.stride != 1) strides = e.binary(Opcode::Divide, strides, e.number(window.stride));
  return e.atLeast(strides, 0);
}

}  // namespace

Result<Instruction*> padDot(DynamicExpansion& e) {
  if (!hasZero(e)) return e.refuse("of a type without a zero");
  const Instruction& dot = e.call();
  const auto lhsSummed = dot.get<Attr::LhsContractingDims>(), rhsSummed = dot.get<Attr::RhsContractingDims>();
  const auto lhsBatch = dot.get<Attr::LhsBatchDims>(), rhsBatch = dot.get<Attr::RhsBatchDims>();
  const RealSizes lhsSizes = e.sizesOf(0), rhsSizes = e.sizesOf(1);
  Instruction *lhs = e.whole(0), *rhs = e.whole(1);
  const auto either = [&](int64_t l, int64_t r) {
    Instruction* size = lhsSizes[static_cast<size_t>(l)];
    return size != nullptr ? size : rhsSizes[static_cast<size_t>(r)];
  };
  for (size_t i = 0; i < lhsSummed.size(); ++i) {
    Instruction* size = either(lhsSummed[i], rhsSummed[i]);
    if (size == nullptr) continue;
    // Both sides: what is not a number stays so when it is multiplied by zero.
    lhs = e.filled(lhs, static_cast<size_t>(lhsSummed[i]), size, e.zero(lhs->shape().elementType()));
    rhs = e.filled(rhs, static_cast<size_t>(rhsSummed[i]), size, e.zero(rhs->shape().elementType()));
  }
  RealSizes sizes;
  for (size_t i = 0; i < lhsBatch.size(); ++i) sizes.push_back(either(lhsBatch[i], rhsBatch[i]));
  const auto addFree = [&](const RealSizes& from, std::span<const int64_t> summed,
                           std::span<const int64_t> batch) {
    for (size_t d = 0; d < from.size(); ++d) {
      const auto is = [&](std::span<const int64_t> dims) {
        return std::ranges::find(dims, static_cast<int64_t>(d)) != dims.end();
      };
      if (!is(summed) && !is(batch)) sizes.push_back(from[d]);
    }
  };
  addFree(lhsSizes, lhsSummed, lhsBatch);
  addFree(rhsSizes, rhsSummed, rhsBatch);
  return e.give(e.again({lhs, rhs}), sizes);
}

Result<Instruction*> padConvolution(DynamicExpansion& e) {
  if (!hasZero(e)) return e.refuse("of a type without a zero");
  const Instruction& convolution = e.call();
  const ConvolutionDimensionNumbers& dims = *convolution.get<Attr::DimLabels>();
  const auto at = [](int64_t dimension) { return static_cast<size_t>(dimension); };
  const RealSizes input = e.sizesOf(0), kernel = e.sizesOf(1);
  const bool isGrouped = convolution.get<Attr::FeatureGroupCount>().value_or(1) != 1 ||
                         convolution.get<Attr::BatchGroupCount>().value_or(1) != 1;
  Instruction* features = input[at(dims.inputFeature)];
  if (features == nullptr) features = kernel[at(dims.kernelInputFeature)];
  if (isGrouped && (features != nullptr || input[at(dims.inputBatch)] != nullptr))
    return e.refuse("is grouped");
  Instruction *lhs = e.whole(0), *rhs = e.whole(1);
  Instruction *zero = e.zero(lhs->shape().elementType()), *kernelZero = e.zero(rhs->shape().elementType());
  if (features != nullptr) {
    lhs = e.filled(lhs, at(dims.inputFeature), features, zero);
    rhs = e.filled(rhs, at(dims.kernelInputFeature), features, kernelZero);
  }
  RealSizes sizes(e.shape().rank());
  sizes[at(dims.outputBatch)] = input[at(dims.inputBatch)];
  for (size_t i = 0; i < dims.inputSpatial.size(); ++i) {
    if (kernel[at(dims.kernelSpatial[i])] != nullptr) return e.refuse("has windows of any size");
    const size_t d = at(dims.inputSpatial[i]);
    if (input[d] == nullptr) continue;
    lhs = e.filled(lhs, d, input[d], zero);
    TRY(sizes[at(dims.outputSpatial[i])],
        windowCount(e, convolution.get<Attr::Window>()->dimensions[i], input[d], lhs->shape().dimension(d)));
  }
  return e.give(e.again({lhs, rhs}), sizes);
}

namespace {

// What changes nothing when it is folded behind `start`: that itself, where twice is as good as once.
Instruction* neutral(const DynamicExpansion& e, Opcode opcode, Instruction* start) {
  const Shape scalar = start->shape();
  switch (opcode) {
    case Opcode::And:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::Or:
      return start;
    case Opcode::Add:
    case Opcode::Xor:
      return e.splat(scalar, 0);
    case Opcode::Multiply:
      return elementBits(scalar.elementType()) < 4 ? nullptr : e.splat(scalar, 1);
    default:
      return nullptr;
  }
}

// The least number of the type, or the greatest; null for types that are seldom ordered.
Instruction* extreme(const DynamicExpansion& e, ElementType type, bool isLeast) {
  const bool isOrdered = isIntegral(type) ? elementBits(type) >= 8
                                          : type == ElementType::BF16 || type == ElementType::F16 ||
                                                type == ElementType::F32 || type == ElementType::F64;
  if (!isOrdered) return nullptr;
  if (isFloat(type)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return e.splat(Shape::scalar(type), isLeast ? -kInfinity : kInfinity);
  }
  // The bits of a positive number are ones below the sign, all of an unsigned one.
  Instruction* greatest = e.unary(Opcode::Not, e.zero(type));
  if (isSigned(type)) {
    greatest = e.binary(Opcode::ShiftRightLogical, greatest, e.splat(Shape::scalar(type), 1));
  }
  return isLeast ? e.unary(Opcode::Not, greatest) : greatest;
}

// What a window never chooses where it can choose a number that is real, if it chooses the greatest or the
// least, of equal ones the first.
Instruction* neverChosen(const DynamicExpansion& e, const Computation& select, ElementType type) {
  if (operationOnBoth(select) != Opcode::Compare) return nullptr;
  const bool isSwapped = select.root()->operand(0) != select.parameters()[0];
  switch (*select.root()->get<Attr::Direction>()) {
    case ComparisonDirection::Ge:
      return extreme(e, type, !isSwapped);
    case ComparisonDirection::Le:
      return extreme(e, type, isSwapped);
    default:
      return nullptr;
  }
}

}  // namespace

// Windows are those of what is real; what others would scatter changes nothing.
Result<Instruction*> padSelectAndScatter(DynamicExpansion& e) {
  const Instruction& chooser = e.call();
  const RealSizes sizes = e.sizesOf(0);
  Instruction *value = e.whole(0), *source = e.whole(1), *start = e.operand(2);
  const ElementType type = value->shape().elementType();
  const auto folds = operationOnBoth(*chooser.get<Attr::Scatter>());
  Instruction* never = neverChosen(e, *chooser.get<Attr::Select>(), type);
  Instruction* nothing = folds == Opcode::Add ? e.splat(Shape::scalar(type), 0) : nullptr;
  if (never == nullptr || nothing == nullptr)
    return e.refuse("chooses or scatters otherwise than the greatest by sums");
  for (size_t d = 0; d < sizes.size(); ++d) {
    const WindowDimension& window = chooser.get<Attr::Window>()->dimensions[d];
    if (sizes[d] == nullptr || window == WindowDimension{}) continue;
    value = e.filled(value, d, sizes[d], never);
    TRY(Instruction * count, windowCount(e, window, sizes[d], value->shape().dimension(d)));
    source = e.filled(source, d, count, nothing);
  }
  return e.give(e.again({value, source, start}), sizes);
}

Result<Instruction*> padReduceWindow(DynamicExpansion& e) {
  const Instruction& reduction = e.call();
  const auto folds = operationOnBoth(*reduction.get<Attr::ToApply>());
  if (e.operandCount() != 2 || !folds || !hasZero(e)) return e.refuse("folds by more than one operation");
  Instruction *input = e.whole(0), *start = e.operand(1), *fill = neutral(e, *folds, start);
  if (fill == nullptr || start->shape().elementType() != input->shape().elementType())
    return e.refuse("folds what has no neutral element");
  RealSizes sizes = e.sizesOf(0);
  for (size_t d = 0; d < sizes.size(); ++d) {
    const WindowDimension& window = reduction.get<Attr::Window>()->dimensions[d];
    if (sizes[d] == nullptr || window == WindowDimension{}) continue;
    input = e.filled(input, d, sizes[d], fill);
    TRY(sizes[d], windowCount(e, window, sizes[d], input->shape().dimension(d)));
  }
  return e.give(e.again({input, start}), sizes);
}

}  // namespace hilo
