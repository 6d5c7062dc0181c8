#include "core/compiler/passes/convolutions/conv_rewriter.h"

#include <algorithm>

#include "core/compiler/passes/convolutions/cudnn_calls.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

int64_t sizeAt(const Instruction& i, int64_t dimension) {
  return i.shape().dimension(static_cast<size_t>(dimension));
}
std::span<const WindowDimension> windowOf(const Instruction& i) { return i.get<Attr::Window>()->dimensions; }
const ConvolutionDimensionNumbers& numbersOf(const Instruction& i) { return *i.get<Attr::DimLabels>(); }
int64_t featureGroups(const Instruction& i) { return i.get<Attr::FeatureGroupCount>().value_or(1); }
int64_t batchGroups(const Instruction& i) { return i.get<Attr::BatchGroupCount>().value_or(1); }

// The call a convolution becomes.
struct CudnnForm {
  std::string_view target;
  std::vector<WindowDimension> window;
  ConvolutionDimensionNumbers numbers;
  Instruction* filter = nullptr;  // its second operand
  int64_t groups = 1;
};

// Padding behind that makes windows of `reach` in steps cover `size` places; what is there in front, where
// that does. nullopt: it would be negative.
std::optional<int64_t> paddingBehind(int64_t reach, int64_t stride, int64_t steps, int64_t size,
                                     int64_t low) {
  const int64_t least = reach + (steps - 1) * stride - size - low;
  const int64_t high = std::clamp(low, least, least + stride - 1);
  return high < 0 ? std::nullopt : std::optional(high);
}

bool looksForward(const Instruction& i) {
  const auto& n = numbersOf(i);
  if (sizeAt(*i.operand(0), n.inputBatch) != sizeAt(i, n.outputBatch) ||
      sizeAt(*i.operand(1), n.kernelOutputFeature) != sizeAt(i, n.outputFeature))
    return false;
  for (size_t k = 0; k < n.kernelSpatial.size(); ++k) {
    if (sizeAt(*i.operand(1), n.kernelSpatial[k]) > sizeAt(i, n.outputSpatial[k])) return false;
  }
  return true;
}

bool isPlainWindow(const WindowDimension& d) { return d.stride == 1 && !d.windowReversal; }

// The gradient of a filter: the window is the gradient of the output.
std::optional<CudnnForm> filterGradient(const Instruction& i) {
  const auto& n = numbersOf(i);
  if (featureGroups(i) > 1 || n.kernelSpatial.empty() || looksForward(i)) return std::nullopt;
  size_t small = 0, dilated = 0;
  CudnnForm form{.target = kConvBackwardFilter, .filter = i.operand(1), .groups = batchGroups(i)};
  for (size_t k = 0; k < n.inputSpatial.size(); ++k) {
    const WindowDimension& d = windowOf(i)[k];
    if (!isPlainWindow(d) || d.baseDilation != 1 || d.paddingLow < 0) return std::nullopt;
    small += static_cast<size_t>(sizeAt(*i.operand(1), n.kernelSpatial[k]) <= sizeAt(i, n.outputSpatial[k]));
    dilated += static_cast<size_t>(d.windowDilation != 1);
    const int64_t size = sizeAt(i, n.outputSpatial[k]);
    const auto high =
        paddingBehind(size, d.windowDilation, d.size, sizeAt(*i.operand(0), n.inputSpatial[k]), d.paddingLow);
    if (!high) return std::nullopt;
    form.window.push_back(
        {.size = size, .stride = d.windowDilation, .paddingLow = d.paddingLow, .paddingHigh = *high});
  }
  if (small > 0 && dilated == 0) return std::nullopt;
  form.numbers = {n.inputFeature,       n.inputBatch,          n.inputSpatial,
                  n.outputBatch,        n.outputFeature,       n.outputSpatial,
                  n.kernelInputFeature, n.kernelOutputFeature, n.kernelSpatial};
  return form;
}

bool reversesSpatial(const Instruction& reverse, std::span<const int64_t> spatial) {
  return reverse.opcode() == Opcode::Reverse && std::ranges::is_permutation(reverse.dimensions(), spatial);
}

// The gradient of an input: the filter is reversed, and the gradient of the output has the holes of strides.
std::optional<CudnnForm> inputGradient(const Instruction& i) {
  const auto& n = numbersOf(i);
  if (featureGroups(i) > 1 || batchGroups(i) > 1) return std::nullopt;
  const bool isReversed = reversesSpatial(*i.operand(1), n.kernelSpatial);
  const bool isPoint = std::ranges::all_of(windowOf(i), [](const auto& d) { return d.size == 1; });
  const bool hasHoles = std::ranges::any_of(windowOf(i), [](const auto& d) { return d.baseDilation != 1; });
  if (!isReversed && !(hasHoles && isPoint)) return std::nullopt;
  CudnnForm form{.target = kConvBackwardInput,
                 .filter = isReversed ? i.operand(1)->operand(0) : i.operand(1)};
  for (size_t k = 0; k < n.inputSpatial.size(); ++k) {
    const WindowDimension& d = windowOf(i)[k];
    const int64_t low = d.size - 1 - d.paddingLow;
    if (!isPlainWindow(d) || d.windowDilation != 1 || low < 0) return std::nullopt;
    const auto high = paddingBehind(d.size, d.baseDilation, sizeAt(*i.operand(0), n.inputSpatial[k]),
                                    sizeAt(i, n.outputSpatial[k]), low);
    if (!high) return std::nullopt;
    form.window.push_back(
        {.size = d.size, .stride = d.baseDilation, .paddingLow = low, .paddingHigh = *high});
  }
  form.numbers = {n.outputBatch,         n.outputFeature,      n.outputSpatial,
                  n.kernelOutputFeature, n.kernelInputFeature, n.kernelSpatial,
                  n.inputBatch,          n.inputFeature,       n.inputSpatial};
  return form;
}

std::optional<CudnnForm> forward(const Instruction& i) {
  const auto window = windowOf(i);
  if (window.size() > 3 || batchGroups(i) > 1) return std::nullopt;
  const auto reversed =
      static_cast<size_t>(std::ranges::count_if(window, [](const auto& d) { return d.windowReversal; }));
  if (reversed != 0 && (window.size() != 2 || reversed != 2)) return std::nullopt;
  return CudnnForm{.target = kConvForward,
                   .window = {window.begin(), window.end()},
                   .numbers = numbersOf(i),
                   .filter = i.operand(1),
                   .groups = featureGroups(i)};
}

std::optional<CudnnForm> formOf(const Instruction& i) {
  if (auto form = inputGradient(i)) return form;
  if (auto form = filterGradient(i)) return form;
  return forward(i);
}

bool isLibraryType(ElementType type) { return (isFloat(type) || isIntegral(type)) && elementBits(type) >= 8; }

bool isRewritten(const Instruction& i) {
  if (i.opcode() != Opcode::Convolution || i.get<Attr::Window>() == nullptr ||
      i.get<Attr::DimLabels>() == nullptr || windowOf(i).size() != numbersOf(i).inputSpatial.size() ||
      i.has(Attr::SparsityConfig))
    return false;
  for (const Shape shape : {i.shape(), i.operand(0)->shape(), i.operand(1)->shape()}) {
    if (!isPlainArray(shape) || !isLibraryType(shape.elementType()) || shape.elementCount() == 0)
      return false;
  }
  return formOf(i).has_value();
}

Instruction* rewritten(Instruction& i) {
  const CudnnForm form = *formOf(i);
  Instruction* operands[] = {i.operand(0), form.filter};
  Instruction* call =
      makeCudnnCall(i, form.target, i.shape(), operands, form.window, form.numbers, form.groups);
  return elementOfTuple(call, 0, i);
}

}  // namespace

Result<bool> rewriteConvolutions(Module& module, PassContext& context) {
  return rewriteEach(module, context, "rewritten", isRewritten, rewritten);
}

}  // namespace hilo
