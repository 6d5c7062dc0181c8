#include "core/analysis/plain_convolution.h"

#include "core/analysis/dimension_order.h"

namespace hilo {
namespace {

// Dimensions in the order [first, second, space...], or with the second behind all.
std::vector<int64_t> orderOf(int64_t first, int64_t second, std::span<const int64_t> space, bool secondLast) {
  std::vector<int64_t> order = {first};
  if (!secondLast) order.push_back(second);
  order.insert(order.end(), space.begin(), space.end());
  if (secondLast) order.push_back(second);
  return order;
}

// Dense, from the slowest to the fastest varying dimension; those of one element may lie anywhere.
bool liesAs(Shape shape, const std::vector<int64_t>& order) {
  const auto strides = layoutStrides(shape);
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(order[i]);
    if (shape.dimension(d) != 1 && strides[d] != stride) return false;
    stride *= shape.dimension(d);
  }
  return true;
}

bool isLibraryType(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 ||
         type == ElementType::F64;
}

bool readWindow(const Instruction& convolution, PlainConvolution& plain) {
  for (const WindowDimension& w : convolution.get<Attr::Window>()->dimensions) {
    if (w.baseDilation != 1 || w.windowReversal || w.paddingLow != w.paddingHigh || w.paddingLow < 0)
      return false;
    plain.strides.push_back(w.stride);
    plain.dilations.push_back(w.windowDilation);
    plain.paddings.push_back(w.paddingLow);
  }
  return plain.strides.size() == 2 || plain.strides.size() == 3;
}

}  // namespace

std::optional<PlainConvolution> plainConvolution(const Instruction& convolution) {
  const auto* labels = convolution.get<Attr::DimLabels>();
  if (convolution.opcode() != Opcode::Convolution || convolution.operandCount() != 2 || labels == nullptr ||
      convolution.get<Attr::Window>() == nullptr || convolution.get<Attr::BatchGroupCount>().value_or(1) != 1)
    return std::nullopt;
  const Shape input = convolution.operand(0)->shape(), kernel = convolution.operand(1)->shape(),
              result = convolution.shape();
  const ElementType type = result.elementType();
  for (const Shape shape : {input, kernel, result}) {
    if (!shape.isArray() || shape.isDynamic() || shape.elementCount() == 0 || shape.elementType() != type)
      return std::nullopt;
  }
  PlainConvolution plain;
  if (!isLibraryType(type) || !readWindow(convolution, plain)) return std::nullopt;
  const auto fits = [&](bool last) {
    return liesAs(input, orderOf(labels->inputBatch, labels->inputFeature, labels->inputSpatial, last)) &&
           liesAs(result, orderOf(labels->outputBatch, labels->outputFeature, labels->outputSpatial, last));
  };
  plain.featuresLast = !fits(false);
  if (plain.featuresLast && !fits(true)) return std::nullopt;
  plain.kernelOrder = orderOf(labels->kernelOutputFeature, labels->kernelInputFeature, labels->kernelSpatial,
                              plain.featuresLast);
  const auto at = [](Shape shape, int64_t d) { return shape.dimension(static_cast<size_t>(d)); };
  plain.groups = convolution.get<Attr::FeatureGroupCount>().value_or(1);
  plain.batch = at(input, labels->inputBatch);
  plain.inputFeatures = at(kernel, labels->kernelInputFeature);
  plain.outputFeatures = at(kernel, labels->kernelOutputFeature) / plain.groups;
  for (size_t d = 0; d < plain.strides.size(); ++d) {
    plain.inputSizes.push_back(at(input, labels->inputSpatial[d]));
    plain.outputSizes.push_back(at(result, labels->outputSpatial[d]));
    plain.filterSizes.push_back(at(kernel, labels->kernelSpatial[d]));
  }
  return plain;
}

}  // namespace hilo
