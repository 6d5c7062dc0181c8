// cuDNN's convolutions. Window, dim_labels and feature_group_count are those of the forward convolution, also
// for the two that go backward: there the result takes the place of its input or of its filter.
#include <algorithm>

#include "core/hlo/expand/convolution.h"

namespace hilo::library {
namespace {

Status checkRanks(const Expansion& call, const ForwardConvolution& forward, std::array<Shape, 3> shapes) {
  const size_t spatial = forward.window.size();
  const auto& numbers = forward.numbers;
  for (const Shape shape : shapes) {
    if (!shape.isArray() || shape.rank() != spatial + 2)
      return call.malformed("has dim_labels of another number of dimensions than its arrays");
  }
  const auto isFit = [&](int64_t a, int64_t b, std::span<const int64_t> rest) {
    std::vector<int64_t> all(rest.begin(), rest.end());
    all.push_back(a);
    all.push_back(b);
    std::ranges::sort(all);
    for (size_t n = 0; n < all.size(); ++n) {
      if (all[n] != static_cast<int64_t>(n)) return false;
    }
    return all.size() == spatial + 2;
  };
  if (!isFit(numbers.inputBatch, numbers.inputFeature, numbers.inputSpatial) ||
      !isFit(numbers.kernelInputFeature, numbers.kernelOutputFeature, numbers.kernelSpatial) ||
      !isFit(numbers.outputBatch, numbers.outputFeature, numbers.outputSpatial)) {
    return call.malformed("has dim_labels that do not fit its window");
  }
  for (const WindowDimension& d : forward.window) {
    if (d.size < 1 || d.stride < 1 || d.windowDilation < 1 || d.baseDilation < 1)
      return call.malformed("has a window that is none");
  }
  return {};
}

int64_t sizeAt(Shape shape, int64_t dimension) { return shape.dimension(static_cast<size_t>(dimension)); }

// [.., in / groups, out] -> [.., in, out / groups], where each group keeps its own outputs: the filter as the
// convolution backward takes it, whose inputs and outputs are changed over.
Instruction* regrouped(const Expansion& call, const ForwardConvolution& forward, Instruction* filter) {
  if (forward.groups == 1) return filter;
  const auto in = static_cast<size_t>(forward.numbers.kernelInputFeature),
             out = static_cast<size_t>(forward.numbers.kernelOutputFeature);
  const Shape shape = filter->shape();
  std::vector<int64_t> split, order, joined(shape.dimensions().begin(), shape.dimensions().end());
  std::vector<int64_t> placeOf(shape.rank());
  int64_t groupPlace = 0;
  for (size_t n = 0; n < shape.rank(); ++n) {
    if (n == out) {
      groupPlace = static_cast<int64_t>(split.size());
      split.push_back(forward.groups);
      split.push_back(shape.dimension(n) / forward.groups);
      placeOf[n] = groupPlace + 1;
    } else {
      placeOf[n] = static_cast<int64_t>(split.size());
      split.push_back(shape.dimension(n));
    }
  }
  for (size_t n = 0; n < shape.rank(); ++n) {
    if (n == in) order.push_back(groupPlace);
    order.push_back(placeOf[n]);
  }
  joined[in] *= forward.groups;
  joined[out] /= forward.groups;
  std::vector<int64_t> turned;
  for (const int64_t place : order) turned.push_back(split[static_cast<size_t>(place)]);
  const ElementType type = shape.elementType();
  Instruction* value = call.add(Opcode::Reshape, Shape::array(type, split), {filter});
  value = call.add(Opcode::Transpose, Shape::array(type, turned), {value});
  value->set<Attr::Dimensions>(order);
  return call.add(Opcode::Reshape, Shape::array(type, joined), {value});
}

Instruction* convolve(const Expansion& call, Shape shape, Instruction* input, Instruction* filter,
                      std::span<const WindowDimension> window, const ConvolutionDimensionNumbers& numbers) {
  Instruction* made = call.add(Opcode::Convolution, shape, {input, filter});
  const Window whole{window};
  made->set<Attr::Window>(&whole);
  made->set<Attr::DimLabels>(&numbers);
  return made;
}

}  // namespace

Result<ForwardConvolution> readConvolution(const Expansion& call) {
  ForwardConvolution forward;
  const Window* window = call.call().get<Attr::Window>();
  const ConvolutionDimensionNumbers* numbers = call.call().get<Attr::DimLabels>();
  if (numbers == nullptr) return call.malformed("has no dim_labels");
  forward.numbers = *numbers;
  if (window != nullptr) forward.window.assign(window->dimensions.begin(), window->dimensions.end());
  forward.groups = call.call().get<Attr::FeatureGroupCount>().value_or(1);
  if (forward.groups < 1) return call.malformed("has no feature groups");
  TRY(const CallConfig config, call.config());
  forward.config = config.part("cudnn_conv_backend_config");
  forward.scale = forward.config.number("conv_result_scale", 1);
  if (forward.config.flag("reordered_int8_nchw_vect", false))
    return call.refuse("takes a filter in cuDNN's own order");
  return forward;
}

Result<Instruction*> forwardProduct(const Expansion& call, const ForwardConvolution& forward,
                                    ElementType type) {
  const Shape shape = call.result(0).withElementType(type);
  TRY_STATUS(checkRanks(call, forward, {call.operand(0)->shape(), call.operand(1)->shape(), shape}));
  Instruction* made =
      convolve(call, shape, call.operand(0), call.operand(1), forward.window, forward.numbers);
  if (forward.groups != 1) made->set<Attr::FeatureGroupCount>(forward.groups);
  return made;
}

// Operands: input, filter. Results: output, workspace. 8 bit integers saturate.
Result<Instruction*> expandConvForward(Expansion& call) {
  TRY_STATUS(call.needsOperands(2, 2));
  TRY_STATUS(call.needsResults(1, 2));
  TRY(const ForwardConvolution forward, readConvolution(call));
  if (forward.scale != 1) return call.refuse("scales its result");
  const ElementType type = call.result(0).elementType(), from = call.operand(0)->shape().elementType();
  const ElementType wide = type != ElementType::S8 ? type
                           : isIntegral(from)      ? ElementType::S32
                                                   : ElementType::F32;
  TRY(Instruction * output, forwardProduct(call, forward, wide));
  return call.give({rounded(call, output, type)});
}

// Operands: the gradient of the output, filter. Results: the gradient of the input, workspace.
Result<Instruction*> expandConvBackwardInput(Expansion& call) {
  TRY_STATUS(call.needsOperands(2, 2));
  TRY_STATUS(call.needsResults(1, 2));
  TRY(const ForwardConvolution forward, readConvolution(call));
  const Shape output = call.operand(0)->shape(), input = call.result(0);
  TRY_STATUS(checkRanks(call, forward, {input, call.operand(1)->shape(), output}));
  const auto& from = forward.numbers;
  if (sizeAt(call.operand(1)->shape(), from.kernelOutputFeature) % forward.groups != 0)
    return call.malformed("has groups that do not divide its features");
  // Where the window goes in steps the gradient has holes; the filter is the other way round.
  std::vector<WindowDimension> window = forward.window;
  for (size_t n = 0; n < window.size(); ++n) {
    const WindowDimension was = window[n];
    if (was.baseDilation != 1) return call.refuse("dilates its input");
    const int64_t reach = (was.size - 1) * was.windowDilation;
    window[n].stride = 1;
    window[n].baseDilation = was.stride;
    window[n].windowReversal = !was.windowReversal;
    window[n].paddingLow = reach - was.paddingLow;
    window[n].paddingHigh = sizeAt(input, from.inputSpatial[n]) + reach - window[n].paddingLow -
                            ((sizeAt(output, from.outputSpatial[n]) - 1) * was.stride + 1);
  }
  const ConvolutionDimensionNumbers numbers = {
      from.outputBatch,         from.outputFeature,      from.outputSpatial,
      from.kernelOutputFeature, from.kernelInputFeature, from.kernelSpatial,
      from.inputBatch,          from.inputFeature,       from.inputSpatial};
  Instruction* filter = regrouped(call, forward, call.operand(1));
  // Once regrouped, the filter's inputs are what each group makes of its outputs.
  Instruction* gradient = convolve(call, input, call.operand(0), filter, window, numbers);
  if (forward.groups != 1) gradient->set<Attr::FeatureGroupCount>(forward.groups);
  return call.give({gradient});
}

// Operands: input, the gradient of the output. Results: the gradient of the filter, workspace.
Result<Instruction*> expandConvBackwardFilter(Expansion& call) {
  TRY_STATUS(call.needsOperands(2, 2));
  TRY_STATUS(call.needsResults(1, 2));
  TRY(const ForwardConvolution forward, readConvolution(call));
  const Shape input = call.operand(0)->shape(), output = call.operand(1)->shape(), filter = call.result(0);
  TRY_STATUS(checkRanks(call, forward, {input, filter, output}));
  const auto& from = forward.numbers;
  // The gradient is the window that goes over the input: as large as the output, with holes where the window
  // of the filter goes in steps.
  std::vector<WindowDimension> window = forward.window;
  for (size_t n = 0; n < window.size(); ++n) {
    const WindowDimension was = window[n];
    if (was.baseDilation != 1 || was.windowReversal) return call.refuse("dilates or turns what it goes over");
    const int64_t places = sizeAt(output, from.outputSpatial[n]);
    window[n].size = places;
    window[n].stride = was.windowDilation;
    window[n].windowDilation = was.stride;
    window[n].paddingHigh = (sizeAt(filter, from.kernelSpatial[n]) - 1) * was.windowDilation +
                            (places - 1) * was.stride + 1 - sizeAt(input, from.inputSpatial[n]) -
                            was.paddingLow;
  }
  const ConvolutionDimensionNumbers numbers = {
      from.inputFeature,       from.inputBatch,          from.inputSpatial,
      from.outputBatch,        from.outputFeature,       from.outputSpatial,
      from.kernelInputFeature, from.kernelOutputFeature, from.kernelSpatial};
  Instruction* gradient = convolve(call, filter, call.operand(0), call.operand(1), window, numbers);
  if (forward.groups != 1) gradient->set<Attr::BatchGroupCount>(forward.groups);
  return call.give({gradient});
}

}  // namespace hilo::library
