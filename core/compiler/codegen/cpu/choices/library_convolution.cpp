#include "core/compiler/codegen/cpu/choices/library_convolution.h"

#include <algorithm>

namespace hilo {
namespace {

int64_t sizeOf(Shape shape, int64_t d) { return shape.dimension(static_cast<size_t>(d)); }

bool isLibraryType(ElementType type) {
  return type == ElementType::F32 || type == ElementType::BF16 || type == ElementType::F16;
}

// Operands of one type, and a result of it or of f32.
bool hasLibraryTypes(const Instruction& convolution) {
  const ElementType lhs = convolution.operand(0)->shape().elementType(),
                    rhs = convolution.operand(1)->shape().elementType(),
                    result = convolution.shape().elementType();
  return isLibraryType(lhs) && lhs == rhs && (result == lhs || result == ElementType::F32);
}

bool isStatic(const Instruction& convolution) {
  return !convolution.shape().isDynamic() && !convolution.operand(0)->shape().isDynamic() &&
         !convolution.operand(1)->shape().isDynamic();
}

double workOf(const Instruction& convolution, const Window& window) {
  double work = static_cast<double>(convolution.shape().elementCount());
  for (const WindowDimension& w : window.dimensions) work *= static_cast<double>(w.size);
  return work * static_cast<double>(sizeOf(convolution.operand(1)->shape(),
                                           convolution.get<Attr::DimLabels>()->kernelInputFeature));
}

bool fitsAs(const Instruction& convolution, ConvolutionKind kind) {
  return std::ranges::all_of(forwardDimensions(convolution, kind), &ForwardDimension::isInRange);
}

// Channels enough for a vector, and windows that reach so little beyond the edges that each place there can
// have code of its own.
bool isDepthwise(const Instruction& convolution, const Window& window) {
  constexpr int64_t kFewestChannels = 16, kMostAcross = 16, kFurthest = 32;
  const auto& numbers = *convolution.get<Attr::DimLabels>();
  const Shape kernel = convolution.operand(1)->shape();
  const int64_t channels = convolution.get<Attr::FeatureGroupCount>().value_or(1);
  const WindowDimension& across = window.dimensions.back();
  return convolution.operand(0)->shape().elementType() == ElementType::F32 && channels >= kFewestChannels &&
         sizeOf(kernel, numbers.kernelInputFeature) == 1 &&
         sizeOf(kernel, numbers.kernelOutputFeature) == channels && across.size <= kMostAcross &&
         (across.size - 1) * across.windowDilation <= kFurthest;
}

// The window is larger than what it makes: a gradient of a filter.
bool looksLikeFilterGradient(const Instruction& convolution, const Window& window) {
  double windowSize = 1, results = 1;
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    windowSize *= static_cast<double>(window.dimensions[i].size);
    results *= static_cast<double>(
        sizeOf(convolution.shape(), convolution.get<Attr::DimLabels>()->outputSpatial[i]));
  }
  return windowSize > results && convolution.get<Attr::FeatureGroupCount>().value_or(1) == 1;
}

ConvolutionKind kindOf(const Instruction& convolution, const Window& window, bool hasBatchGroups) {
  const auto any = [&](auto test) { return std::ranges::any_of(window.dimensions, test); };
  if (any([](const WindowDimension& w) { return w.baseDilation > 1; })) {
    const bool isGradient = !hasBatchGroups && !any([](const WindowDimension& w) { return w.stride > 1; }) &&
                            fitsAs(convolution, ConvolutionKind::Dgrad);
    return isGradient ? ConvolutionKind::Dgrad : ConvolutionKind::Fprop;
  }
  if (looksLikeFilterGradient(convolution, window) && fitsAs(convolution, ConvolutionKind::Wgrad))
    return ConvolutionKind::Wgrad;
  return ConvolutionKind::Fprop;
}

std::vector<int64_t> around(int64_t first, std::span<const int64_t> space, int64_t last) {
  std::vector<int64_t> order = {first};
  order.insert(order.end(), space.begin(), space.end());
  order.push_back(last);
  return order;
}

}  // namespace

bool isKernelReversed(const WindowDimension& window, ConvolutionKind kind) {
  return window.size > 1 && window.windowReversal != (kind == ConvolutionKind::Dgrad);
}

bool liesInOrder(Shape shape, std::span<const int64_t> majorToMinor) {
  std::vector<int64_t> actual(shape.rank());
  for (size_t i = 0; i < actual.size(); ++i) {
    actual[i] = shape.layout() == nullptr ? static_cast<int64_t>(i)
                                          : shape.layout()->minorToMajor[actual.size() - 1 - i];
  }
  std::vector<int64_t> wanted(majorToMinor.begin(), majorToMinor.end());
  const auto isOne = [&](int64_t d) { return sizeOf(shape, d) == 1; };
  std::erase_if(actual, isOne);
  std::erase_if(wanted, isOne);
  return actual == wanted;
}

std::vector<ForwardDimension> forwardDimensions(const Instruction& convolution, ConvolutionKind kind) {
  const auto& numbers = *convolution.get<Attr::DimLabels>();
  const Window& window = *convolution.get<Attr::Window>();
  std::vector<ForwardDimension> space;
  for (size_t i = 0; i < numbers.inputSpatial.size(); ++i) {
    const WindowDimension& w = window.dimensions[i];
    const int64_t input = sizeOf(convolution.operand(0)->shape(), numbers.inputSpatial[i]),
                  output = sizeOf(convolution.shape(), numbers.outputSpatial[i]);
    switch (kind) {
      case ConvolutionKind::Dgrad:
        space.push_back({output, input, w.size, w.baseDilation, w.windowDilation,
                         (w.size - 1) * w.windowDilation - w.paddingLow});
        break;
      case ConvolutionKind::Wgrad:
        space.push_back({input, w.size, output, w.windowDilation, w.stride, w.paddingLow});
        break;
      default:
        space.push_back({input, output, w.size, w.stride, w.windowDilation, w.paddingLow});
    }
  }
  return space;
}

std::optional<LibraryConvolution> libraryConvolution(const Instruction& convolution) {
  const auto* numbers = convolution.get<Attr::DimLabels>();
  const Window* window = convolution.get<Attr::Window>();
  const auto named = convolution.get<Attr::ConvolutionKindKind>().value_or(ConvolutionKind::Unset);
  if (numbers == nullptr || window == nullptr || numbers->inputSpatial.empty() ||
      numbers->inputSpatial.size() > 3 || named == ConvolutionKind::Dgrad || named == ConvolutionKind::Wgrad)
    return std::nullopt;
  if (!hasLibraryTypes(convolution) || !isStatic(convolution) ||
      workOf(convolution, *window) < kLeastLibraryWork)
    return std::nullopt;
  LibraryConvolution plan;
  const bool hasBatchGroups = convolution.get<Attr::BatchGroupCount>().value_or(1) > 1;
  plan.kind = kindOf(convolution, *window, hasBatchGroups);
  plan.widens = convolution.operand(0)->shape().elementType() == ElementType::F16;
  plan.foldsBatchGroups = hasBatchGroups && plan.kind == ConvolutionKind::Fprop;
  for (const WindowDimension& w : window->dimensions) {
    plan.reversesKernel |= isKernelReversed(w, plan.kind);
    plan.padsInput |= plan.kind == ConvolutionKind::Fprop && w.baseDilation > 1;
  }
  plan.padsInput |= !fitsAs(convolution, plan.kind);
  if (plan.kind == ConvolutionKind::Wgrad) {
    plan.inputOrder = around(numbers->inputFeature, numbers->inputSpatial, numbers->inputBatch);
    plan.kernelOrder =
        around(numbers->kernelInputFeature, numbers->kernelSpatial, numbers->kernelOutputFeature);
  } else {
    plan.inputOrder = around(numbers->inputBatch, numbers->inputSpatial, numbers->inputFeature);
    plan.resultOrder = around(numbers->outputBatch, numbers->outputSpatial, numbers->outputFeature);
    plan.isDepthwise = plan.kind == ConvolutionKind::Fprop && isDepthwise(convolution, *window);
    if (plan.isDepthwise)
      plan.kernelOrder =
          around(numbers->kernelInputFeature, numbers->kernelSpatial, numbers->kernelOutputFeature);
  }
  return plan;
}

}  // namespace hilo
