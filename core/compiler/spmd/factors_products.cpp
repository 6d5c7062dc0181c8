// Factors of products: dots, convolutions, transforms and solves.
#include <absl/strings/numbers.h>

#include "core/compiler/spmd/op_factors.h"
#include "core/compiler/spmd/tiling.h"

namespace hilo {
namespace {

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

}  // namespace

OpFactors dotFactors(const Instruction& dot) {
  if (dot.operandCount() != 2) return {};
  FactorList list(dot);
  const auto lhsBatch = dot.get<Attr::LhsBatchDims>(), rhsBatch = dot.get<Attr::RhsBatchDims>();
  const auto lhsSum = dot.get<Attr::LhsContractingDims>(), rhsSum = dot.get<Attr::RhsContractingDims>();
  int64_t result = 0;
  for (size_t i = 0; i < lhsBatch.size(); ++i) list.pass(0, lhsBatch[i], result++).operands[1] = rhsBatch[i];
  for (size_t side = 0; side < 2; ++side) {
    const auto batch = side == 0 ? lhsBatch : rhsBatch, sum = side == 0 ? lhsSum : rhsSum;
    for (int64_t d = 0; d < static_cast<int64_t>(dot.operand(side)->shape().rank()); ++d) {
      if (!contains(batch, d) && !contains(sum, d)) list.pass(side, d, result++);
    }
  }
  for (size_t i = 0; i < lhsSum.size(); ++i) list.sum(0, lhsSum[i]).operands[1] = rhsSum[i];
  return list.take();
}

namespace {

// Whether the sizes of groups differ along a dimension of the lhs: the dimension they have for it, or -1.
int64_t sizesAlong(const Instruction& dot, int64_t dimension) {
  const int64_t ragged = dot.get<Attr::LhsRaggedDims>()[0];
  const auto batch = dot.get<Attr::LhsBatchDims>(), sum = dot.get<Attr::LhsContractingDims>();
  std::vector<int64_t> outer;
  for (int64_t d : batch) {
    if (d == ragged) break;
    outer.push_back(d);
  }
  const bool hasRows = !contains(batch, ragged) && !contains(sum, ragged);
  for (int64_t d = 0; hasRows && d < static_cast<int64_t>(dot.operand(0)->shape().rank()); ++d) {
    if (!contains(batch, d) && !contains(sum, d) && d != ragged) outer.push_back(d);
  }
  const auto found = std::ranges::find(outer, dimension);
  const bool isShared = dot.operand(2)->shape().rank() == 1;
  return isShared || found == outer.end() ? -1 : found - outer.begin();
}

}  // namespace

// A dot but for the ragged dimension and that of the groups, which are whole.
OpFactors raggedDotFactors(const Instruction& dot) {
  if (dot.operandCount() != 3 || dot.get<Attr::LhsRaggedDims>().size() != 1) return {};
  FactorList list(dot);
  const int64_t ragged = dot.get<Attr::LhsRaggedDims>()[0];
  const auto lhsBatch = dot.get<Attr::LhsBatchDims>(), rhsBatch = dot.get<Attr::RhsBatchDims>();
  const auto lhsSum = dot.get<Attr::LhsContractingDims>(), rhsSum = dot.get<Attr::RhsContractingDims>();
  const auto groups = dot.get<Attr::RhsGroupDims>();
  int64_t result = contains(lhsSum, ragged) ? 1 : 0;
  for (size_t i = 0; i < lhsBatch.size(); ++i, ++result) {
    if (lhsBatch[i] == ragged) continue;
    Factor& factor = list.pass(0, lhsBatch[i], result);
    factor.operands[1] = rhsBatch[i], factor.operands[2] = sizesAlong(dot, lhsBatch[i]);
  }
  for (int64_t d = 0; d < static_cast<int64_t>(dot.operand(0)->shape().rank()); ++d) {
    if (contains(lhsBatch, d) || contains(lhsSum, d)) continue;
    if (d != ragged) list.pass(0, d, result).operands[2] = sizesAlong(dot, d);
    ++result;
  }
  for (int64_t d = 0; d < static_cast<int64_t>(dot.operand(1)->shape().rank()); ++d) {
    if (!contains(rhsBatch, d) && !contains(rhsSum, d) && !contains(groups, d)) list.pass(1, d, result++);
  }
  for (size_t i = 0; i < lhsSum.size(); ++i) {
    if (lhsSum[i] != ragged) list.sum(0, lhsSum[i]).operands[1] = rhsSum[i];
  }
  return list.take();
}

namespace {

// Groups of features, or of the batch, are computed apart: a device takes some of them.
void addFeatures(FactorList& list, const Instruction& convolution,
                 const ConvolutionDimensionNumbers& labels) {
  const int64_t groups = convolution.get<Attr::FeatureGroupCount>().value_or(1);
  const int64_t batchGroups = convolution.get<Attr::BatchGroupCount>().value_or(1);
  if (batchGroups == 1) list.pass(0, labels.inputBatch, labels.outputBatch);
  if (groups == 1 && batchGroups == 1) {
    list.pass(1, labels.kernelOutputFeature, labels.outputFeature);
    // Whole numbers are clamped at the end of the sum, so that parts of it would be something else.
    if (!isIntegral(convolution.shape().elementType()))
      list.sum(0, labels.inputFeature).operands[1] = labels.kernelInputFeature;
  } else if (groups == 1 || batchGroups == 1) {
    Factor& factor = list.pass(1, labels.kernelOutputFeature, labels.outputFeature);
    factor.operands[0] = groups > 1 ? labels.inputFeature : labels.inputBatch;
    factor.groups = std::max(groups, batchGroups);
  }
}

void addSpatial(FactorList& list, const Instruction& convolution, size_t i) {
  const auto* labels = convolution.get<Attr::DimLabels>();
  const WindowDimension& window = convolution.get<Attr::Window>()->dimensions[i];
  const int64_t input = labels->inputSpatial[i], output = labels->outputSpatial[i],
                kernel = labels->kernelSpatial[i];
  const int64_t size = convolution.shape().dimension(static_cast<size_t>(output));
  const SpatialRole role = spatialRole(convolution, i);
  const bool maySum = !isIntegral(convolution.shape().elementType());
  if (role == SpatialRole::Batch) list.pass(0, input, output).operands[1] = kernel;
  if (role == SpatialRole::LhsFree) list.pass(0, input, output);
  if (role == SpatialRole::RhsFree) list.pass(1, kernel, output);
  if (role == SpatialRole::Contracting && maySum) list.sum(0, input).operands[1] = kernel;
  // What lies beside the image is zero, which one type does not have.
  const bool hasZero = convolution.operand(0)->shape().elementType() != ElementType::F8E8M0FNU;
  if (role != SpatialRole::Window || size == 0 || !hasZero) return;
  Factor& factor = window.size > size && maySum ? list.sum(1, kernel) : list.pass(0, input, output);
  factor.operands[0] = input;
  factor.window = static_cast<int64_t>(i);
}

}  // namespace

SpatialRole spatialRole(const Instruction& convolution, size_t spatial) {
  const auto& labels = *convolution.get<Attr::DimLabels>();
  const WindowDimension& w = convolution.get<Attr::Window>()->dimensions[spatial];
  const int64_t lhs =
      convolution.operand(0)->shape().dimension(static_cast<size_t>(labels.inputSpatial[spatial]));
  const bool isPlain = w.stride == 1 && w.windowDilation == 1 && w.baseDilation == 1;
  const bool isPadded = w.paddingLow != 0 || w.paddingHigh != 0;
  const bool isPaddedBefore = w.paddingLow == w.size - 1 && w.paddingHigh == w.size - 1;
  const int64_t apart = std::max<int64_t>(1, lhs - 1);
  const bool isBatch =
      lhs == w.size && lhs == w.baseDilation && !isPadded && !w.windowReversal &&
      ((w.stride == apart && w.windowDilation == 1) || (w.windowDilation == apart && w.stride == 1));
  const bool isReversedBatch = lhs == w.size && isPaddedBefore && w.windowReversal && w.windowDilation == 1 &&
                               w.stride == lhs && w.baseDilation == lhs - 1;
  if (isBatch || isReversedBatch) return SpatialRole::Batch;
  if (lhs == w.size && w.baseDilation == 1 && w.windowDilation == 1 && !isPadded && !w.windowReversal)
    return SpatialRole::Contracting;
  if (isPlain && w.size == 1 && !isPadded && !w.windowReversal) return SpatialRole::LhsFree;
  if (isPlain && lhs == 1 && isPaddedBefore && w.windowReversal) return SpatialRole::RhsFree;
  return SpatialRole::Window;
}

bool isProduct(const Instruction& convolution) {
  const auto* window = convolution.get<Attr::Window>();
  for (size_t i = 0; window != nullptr && i < window->dimensions.size(); ++i) {
    if (spatialRole(convolution, i) == SpatialRole::Window) return false;
  }
  return true;
}

// Along a spatial dimension the result is cut, or the window where it is the larger one, as in the
// convolution that gives the gradient of a kernel.
OpFactors convolutionFactors(const Instruction& convolution) {
  const auto* labels = convolution.get<Attr::DimLabels>();
  const auto* window = convolution.get<Attr::Window>();
  if (labels == nullptr) return {};
  FactorList list(convolution);
  addFeatures(list, convolution, *labels);
  for (size_t i = 0; window != nullptr && i < labels->inputSpatial.size(); ++i)
    addSpatial(list, convolution, i);
  return list.take();
}

OpFactors fftFactors(const Instruction& fft) {
  FactorList list(fft);
  const auto kept = static_cast<int64_t>(fft.shape().rank() - fft.get<Attr::FftLength>().size());
  for (int64_t d = 0; d < kept; ++d) list.passAll(d);
  return list.take();
}

// All but the two dimensions of the matrix.
OpFactors batchFactors(const Instruction& instruction) {
  if (!instruction.shape().isArray()) return {};
  FactorList list(instruction);
  for (int64_t d = 0; d + 2 < static_cast<int64_t>(instruction.shape().rank()); ++d) list.passAll(d);
  return list.take();
}

int64_t batchDimensionsOf(const Instruction& call) {
  if (call.opcode() != Opcode::CustomCall || call.operandCount() == 0) return 0;
  int64_t count = 0;
  for (const FrontendAttribute& attribute : call.get<Attr::FrontendAttributes>()) {
    const std::string_view text = attribute.value;
    if (attribute.name == "num_batch_dims" &&
        !absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &count))
      return 0;
  }
  std::vector<Shape> arrays = leavesOf(call.shape());
  for (const Instruction* operand : call.operands()) arrays.push_back(operand->shape());
  const auto hasThem = [&](Shape array) {
    const auto size = [&](int64_t d) { return array.dimension(static_cast<size_t>(d)); };
    if (!array.isArray() || static_cast<int64_t>(array.rank()) < count) return false;
    for (int64_t d = 0; d < count; ++d) {
      if (size(d) != arrays[0].dimension(static_cast<size_t>(d))) return false;
    }
    return true;
  };
  return count > 0 && std::ranges::all_of(arrays, hasThem) ? count : 0;
}

int64_t freeDimensionsOf(const Instruction& call) {
  if (call.get<Attr::CustomCallTarget>() != "TopK" || call.operandCount() != 1)
    return batchDimensionsOf(call);
  const Shape array = call.operand(0)->shape();
  return array.isArray() && call.shape().isTuple() ? static_cast<int64_t>(array.rank()) - 1 : 0;
}

OpFactors batchedCallFactors(const Instruction& call) {
  const int64_t count = freeDimensionsOf(call);
  if (count == 0) return {};
  FactorList list(call);
  for (int64_t d = 0; d < count; ++d) {
    Factor& factor = list.pass(0, d, d);
    factor.operands.assign(call.operandCount(), d);
  }
  return list.take();
}

}  // namespace hilo
