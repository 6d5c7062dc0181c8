#include "core/compiler/passes/convolutions/conv_padding_legalization.h"

#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/convolutions/cudnn_calls.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

using Windows = std::vector<WindowDimension>;

enum class Direction : uint8_t { None, Forward, Input, Filter };

Direction directionOf(const Instruction& i) {
  if (i.opcode() == Opcode::Convolution) {
    switch (i.get<Attr::ConvolutionKindKind>().value_or(ConvolutionKind::Unset)) {
      case ConvolutionKind::Fprop:
        return Direction::Forward;
      case ConvolutionKind::Dgrad:
        return Direction::Input;
      case ConvolutionKind::Wgrad:
        return Direction::Filter;
      default:
        return Direction::None;
    }
  }
  if (!isCudnnConvolution(i)) return Direction::None;
  const std::string_view target = i.get<Attr::CustomCallTarget>();
  if (target == kConvBackwardInput) return Direction::Input;
  return target == kConvBackwardFilter ? Direction::Filter : Direction::Forward;
}

std::span<const WindowDimension> windowsOf(const Instruction& i) { return i.get<Attr::Window>()->dimensions; }

bool isEven(const WindowDimension& w) { return w.paddingLow == w.paddingHigh; }
bool isNegative(const WindowDimension& w) { return w.paddingLow < 0 || w.paddingHigh < 0; }
bool isDilated(const WindowDimension& w) { return w.baseDilation != 1; }

bool isUnstated(const Instruction& i) {
  if (i.get<Attr::Window>() == nullptr || i.get<Attr::DimLabels>() == nullptr || i.operandCount() < 2)
    return false;
  const auto windows = windowsOf(i);
  const bool isUneven = !std::ranges::all_of(windows, isEven);
  switch (directionOf(i)) {
    case Direction::None:
      return false;
    case Direction::Forward:
      return isUneven || std::ranges::any_of(windows, isNegative) || std::ranges::any_of(windows, isDilated);
    default:
      return isUneven && std::ranges::none_of(windows, isNegative);
  }
}

// The value itself where nothing is padded.
Instruction* padded(Instruction* value, const std::vector<PaddingDimension>& padding, Instruction& before) {
  if (std::ranges::all_of(padding, [](const PaddingDimension& p) { return p == PaddingDimension(); }))
    return value;
  std::vector<int64_t> sizes(value->shape().dimensions().begin(), value->shape().dimensions().end());
  for (size_t d = 0; d < sizes.size(); ++d)
    sizes[d] += padding[d].low + padding[d].high + std::max<int64_t>(0, sizes[d] - 1) * padding[d].interior;
  const ElementType type = value->shape().elementType();
  Instruction* zero = algebra::makeSplat(before, Shape::scalar(type), 0);
  Instruction* made =
      before.parent().create(Opcode::Pad, arrayLike(value->shape(), type, sizes), {value, zero}, {}, &before);
  made->set<Attr::Padding>(padding);
  return made;
}

Instruction* cut(Instruction* value, const std::vector<SliceRange>& ranges, Instruction& before) {
  std::vector<int64_t> sizes;
  for (const SliceRange& range : ranges) sizes.push_back(range.limit - range.start);
  if (std::ranges::equal(sizes, value->shape().dimensions())) return value;
  const Shape shape = arrayLike(value->shape(), value->shape().elementType(), sizes);
  Instruction* made = before.parent().create(Opcode::Slice, shape, {value}, {}, &before);
  made->set<Attr::Slice>(ranges);
  return made;
}

std::vector<SliceRange> wholeOf(const Instruction* value) {
  std::vector<SliceRange> ranges;
  for (const int64_t size : value->shape().dimensions()) ranges.push_back({.start = 0, .limit = size});
  return ranges;
}

// What the windows no longer say, done to the input: all positive padding and dilation, where either is not
// the same on both sides or dilates, and what negative padding cuts off.
Instruction* preparedInput(Instruction& conv, Windows& windows) {
  const auto& numbers = *conv.get<Attr::DimLabels>();
  Instruction* input = conv.operand(0);
  std::vector<PaddingDimension> padding(input->shape().rank());
  if (!std::ranges::all_of(windows, isEven) || std::ranges::any_of(windows, isDilated)) {
    for (size_t w = 0; w < windows.size(); ++w) {
      PaddingDimension& of = padding[static_cast<size_t>(numbers.inputSpatial[w])];
      of.low = std::max<int64_t>(0, windows[w].paddingLow);
      of.high = std::max<int64_t>(0, windows[w].paddingHigh);
      of.interior = windows[w].baseDilation - 1;
      windows[w].paddingLow -= of.low;
      windows[w].paddingHigh -= of.high;
      windows[w].baseDilation = 1;
    }
  }
  input = padded(input, padding, conv);
  std::vector<SliceRange> ranges = wholeOf(input);
  for (size_t w = 0; w < windows.size(); ++w) {
    SliceRange& of = ranges[static_cast<size_t>(numbers.inputSpatial[w])];
    of.start += std::max<int64_t>(0, -windows[w].paddingLow);
    of.limit -= std::max<int64_t>(0, -windows[w].paddingHigh);
    windows[w].paddingLow = std::max<int64_t>(0, windows[w].paddingLow);
    windows[w].paddingHigh = std::max<int64_t>(0, windows[w].paddingHigh);
  }
  return cut(input, ranges, conv);
}

Instruction* spreadKernel(Instruction& conv, Windows& windows) {
  const auto& numbers = *conv.get<Attr::DimLabels>();
  std::vector<PaddingDimension> padding(conv.operand(1)->shape().rank());
  for (size_t w = 0; w < windows.size(); ++w)
    padding[static_cast<size_t>(numbers.kernelSpatial[w])].interior = windows[w].windowDilation - 1;
  Instruction* kernel = padded(conv.operand(1), padding, conv);
  for (size_t w = 0; w < windows.size(); ++w) {
    windows[w].size = kernel->shape().dimension(static_cast<size_t>(numbers.kernelSpatial[w]));
    windows[w].windowDilation = 1;
  }
  return kernel;
}

Instruction* remade(Instruction& conv, Instruction* first, Instruction* second, const Windows& windows) {
  std::vector<Instruction*> operands(conv.operands().begin(), conv.operands().end());
  operands[0] = first;
  operands[1] = second;
  Instruction* made = conv.parent().createLike(conv, operands, &conv);
  const Window window{.dimensions = windows};
  made->set<Attr::Window>(&window);
  return made;
}

Instruction* legalForward(Instruction& conv) {
  Windows windows(windowsOf(conv).begin(), windowsOf(conv).end());
  Instruction* input = preparedInput(conv, windows);
  return remade(conv, input, spreadKernel(conv, windows), windows);
}

Instruction* legalFilter(Instruction& conv) {
  Windows windows(windowsOf(conv).begin(), windowsOf(conv).end());
  std::vector<PaddingDimension> padding(conv.operand(0)->shape().rank());
  for (size_t w = 0; w < windows.size(); ++w) {
    PaddingDimension& of = padding[static_cast<size_t>(conv.get<Attr::DimLabels>()->inputSpatial[w])];
    const int64_t both = std::min(windows[w].paddingLow, windows[w].paddingHigh);
    of.low = windows[w].paddingLow - both;
    of.high = windows[w].paddingHigh - both;
    windows[w].paddingLow = windows[w].paddingHigh = both;
  }
  return remade(conv, padded(conv.operand(0), padding, conv), conv.operand(1), windows);
}

// cuDNN's call states the padding of the forward convolution: less of it gives more elements, on its side. A
// convolution states its own: more of it gives more elements, on the other side.
Instruction* legalInput(Instruction& conv) {
  const bool isCall = conv.opcode() == Opcode::CustomCall;
  const Shape shape = isCall ? conv.shape().tupleShapes()[0] : conv.shape();
  Windows windows(windowsOf(conv).begin(), windowsOf(conv).end());
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  std::vector<SliceRange> ranges;
  for (const int64_t size : sizes) ranges.push_back({.start = 0, .limit = size});
  for (size_t w = 0; w < windows.size(); ++w) {
    // The call's labels name dimensions of the result as those of the input.
    const auto& numbers = *conv.get<Attr::DimLabels>();
    const auto d = static_cast<size_t>(isCall ? numbers.inputSpatial[w] : numbers.outputSpatial[w]);
    const int64_t low = windows[w].paddingLow, high = windows[w].paddingHigh;
    const int64_t more = std::max(low, high) - std::min(low, high);
    windows[w].paddingLow = windows[w].paddingHigh = isCall ? std::min(low, high) : std::max(low, high);
    sizes[d] += more;
    const bool isAtStart = isCall ? low > high : low < high;
    if (isAtStart) ranges[d] = {.start = more, .limit = sizes[d]};
  }
  Instruction* made = remade(conv, conv.operand(0), conv.operand(1), windows);
  const Shape larger = arrayLike(shape, shape.elementType(), sizes);
  if (!isCall) {
    made->setShape(larger);
    return cut(made, ranges, conv);
  }
  const Shape results[] = {larger, conv.shape().tupleShapes()[1]};
  made->setShape(Shape::tuple(results));
  Instruction* result = cut(elementOfTuple(made, 0, conv), ranges, conv);
  return conv.parent().create(Opcode::Tuple, conv.shape(), {result, elementOfTuple(made, 1, conv)}, {},
                              &conv);
}

Instruction* legal(Instruction& conv) {
  switch (directionOf(conv)) {
    case Direction::Input:
      return legalInput(conv);
    case Direction::Filter:
      return legalFilter(conv);
    default:
      return legalForward(conv);
  }
}

}  // namespace

Result<bool> legalizeConvPadding(Module& module, PassContext& context) {
  return rewriteEach(module, context, "legalized", isUnstated, legal);
}

}  // namespace hilo
