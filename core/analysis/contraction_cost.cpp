#include "core/analysis/contraction_cost.h"

#include <algorithm>
#include <numeric>

#include "core/analysis/saturating.h"

namespace hilo {
namespace {

// Kernels longer than this are taken as wholly inside the input: only a made-up module has one.
constexpr int64_t kMaxKernel = 1 << 20;

int64_t product(std::span<const int64_t> dimensions, Shape of) {
  int64_t size = 1;
  for (const int64_t d : dimensions) {
    if (d >= 0 && d < static_cast<int64_t>(of.rank())) size = saturatingMultiply(size, of.dimension(d));
  }
  return size;
}

int64_t floorDivide(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

// The x in [0, modulus) with a*x = 1 (mod modulus), for coprime a and modulus.
int64_t inverse(int64_t a, int64_t modulus) {
  int64_t r0 = modulus, r1 = ((a % modulus) + modulus) % modulus, t0 = 0, t1 = 1;
  while (r1 != 0) {
    const int64_t q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    t0 = std::exchange(t1, t0 - q * t1);
  }
  return modulus == 1 ? 0 : ((t0 % modulus) + modulus) % modulus;
}

// Outputs o in [0, outputs) for which o*stride + offset lies in [0, limit] and is a multiple of `dilation`.
int64_t outputsThatMeetInput(int64_t stride, int64_t offset, int64_t limit, int64_t dilation,
                             int64_t outputs) {
  const int64_t first = std::max<int64_t>(0, -floorDivide(offset, stride));
  const int64_t last = std::min(outputs - 1, floorDivide(limit - offset, stride));
  if (last < first) return 0;
  const int64_t common = std::gcd(stride, dilation);
  if (offset % common != 0) return 0;
  const int64_t step = dilation / common;
  // o = -offset/common * (stride/common)^-1 (mod step)
  const int64_t target = (((-offset / common) % step) + step) % step;
  const int64_t residue =
      static_cast<int64_t>(static_cast<__int128>(target) * inverse(stride / common, step) % step);
  const int64_t start = first + ((residue - first) % step + step) % step;
  return start > last ? 0 : (last - start) / step + 1;
}

bool inRange(int64_t dimension, Shape shape) {
  return dimension >= 0 && dimension < static_cast<int64_t>(shape.rank());
}

bool sane(const WindowDimension& w) {
  const auto small = [](int64_t value) { return value > -(int64_t{1} << 40) && value < (int64_t{1} << 40); };
  return w.stride > 0 && w.windowDilation > 0 && w.baseDilation > 0 && small(w.stride) &&
         small(w.windowDilation) && small(w.baseDilation) && small(w.paddingLow);
}

}  // namespace

int64_t dotFlops(const Instruction& dot) {
  if (dot.operandCount() < 1 || !dot.shape().isArray()) return 0;
  const Shape lhs = dot.operand(0)->shape();
  if (!lhs.isArray()) return 0;
  int64_t elements = dot.shape().elementCount();
  const auto groups = dot.get<Attr::RhsGroupDims>();
  // A ragged dot with group dimensions in its result does the work of one group for each row.
  if (dot.opcode() == Opcode::RaggedDot) {
    elements = 1;
    for (size_t d = std::min(groups.size(), dot.shape().rank()); d < dot.shape().rank(); ++d) {
      elements = saturatingMultiply(elements, dot.shape().dimension(d));
    }
  }
  return saturatingMultiply(2,
                            saturatingMultiply(elements, product(dot.get<Attr::LhsContractingDims>(), lhs)));
}

int64_t validWindowPositions(const WindowDimension& window, int64_t inputSize, int64_t kernelSize,
                             int64_t outputSize) {
  if (inputSize <= 0 || kernelSize <= 0 || outputSize <= 0) return 0;
  if (kernelSize > kMaxKernel || inputSize > (int64_t{1} << 40) || !sane(window)) {
    return saturatingMultiply(kernelSize, outputSize);
  }
  const int64_t limit = saturatingMultiply(inputSize - 1, window.baseDilation);
  int64_t count = 0;
  for (int64_t k = 0; k < kernelSize; ++k) {
    const int64_t offset = saturatingMultiply(k, window.windowDilation) - window.paddingLow;
    count = saturatingAdd(
        count, outputsThatMeetInput(window.stride, offset, limit, window.baseDilation, outputSize));
  }
  return count;
}

int64_t convolutionFlops(const Instruction& convolution) {
  const auto* labels = convolution.get<Attr::DimLabels>();
  if (labels == nullptr || convolution.operandCount() < 2) return 0;
  const Shape input = convolution.operand(0)->shape(), kernel = convolution.operand(1)->shape();
  const Shape output = convolution.shape();
  if (!inRange(labels->inputFeature, input) || !inRange(labels->inputBatch, input) ||
      !inRange(labels->outputFeature, output)) {
    return 0;
  }
  const auto groups = std::max<int64_t>(1, convolution.get<Attr::FeatureGroupCount>().value_or(1));
  const auto batchGroups = std::max<int64_t>(1, convolution.get<Attr::BatchGroupCount>().value_or(1));
  int64_t count = saturatingMultiply(input.dimension(labels->inputFeature) / groups,
                                     output.dimension(labels->outputFeature));
  count = saturatingMultiply(count, input.dimension(labels->inputBatch) / batchGroups);
  const Window* window = convolution.get<Attr::Window>();
  for (size_t i = 0; window != nullptr && i < window->dimensions.size(); ++i) {
    if (i >= labels->inputSpatial.size() || i >= labels->kernelSpatial.size() ||
        i >= labels->outputSpatial.size() || !inRange(labels->inputSpatial[i], input) ||
        !inRange(labels->kernelSpatial[i], kernel) || !inRange(labels->outputSpatial[i], output)) {
      return 0;
    }
    count = saturatingMultiply(
        count, validWindowPositions(window->dimensions[i], input.dimension(labels->inputSpatial[i]),
                                    kernel.dimension(labels->kernelSpatial[i]),
                                    output.dimension(labels->outputSpatial[i])));
  }
  return saturatingMultiply(2, count);
}

}  // namespace hilo
