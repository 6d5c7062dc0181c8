#include "core/compiler/passes/convolutions/cudnn_padding.h"

#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/convolutions/cudnn_calls.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

using Sizes = std::vector<int64_t>;

// The sizes of the two operands and of the result.
struct Arrays {
  Sizes left, right, result;
  friend bool operator==(const Arrays&, const Arrays&) = default;
};

Sizes sizesOf(Shape shape) { return {shape.dimensions().begin(), shape.dimensions().end()}; }

Arrays arraysOf(const Instruction& call) {
  return {sizesOf(call.operand(0)->shape()), sizesOf(call.operand(1)->shape()),
          sizesOf(call.shape().tupleShapes()[0])};
}

// They by their part in the forward convolution.
struct Roles {
  Sizes &input, &filter, &output;
};

Roles rolesOf(const Instruction& call, Arrays& arrays) {
  const std::string_view target = call.get<Attr::CustomCallTarget>();
  if (target == kConvBackwardInput) return {arrays.result, arrays.right, arrays.left};
  if (target == kConvBackwardFilter) return {arrays.left, arrays.result, arrays.right};
  return {arrays.left, arrays.right, arrays.result};
}

int64_t product(const Sizes& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

bool grows(const Sizes& from, const Sizes& to, double most) {
  return static_cast<double>(product(to)) > most * static_cast<double>(product(from));
}

void roundUp(Sizes& sizes, int64_t dimension, int64_t step) {
  int64_t& size = sizes[static_cast<size_t>(dimension)];
  size = (size + step - 1) / step * step;
}

Arrays rounded(const Instruction& call, int64_t step) {
  const auto& numbers = *call.get<Attr::DimLabels>();
  Arrays arrays = arraysOf(call);
  const Roles roles = rolesOf(call, arrays);
  roundUp(roles.input, numbers.inputFeature, step);
  roundUp(roles.filter, numbers.kernelInputFeature, step);
  roundUp(roles.filter, numbers.kernelOutputFeature, step);
  roundUp(roles.output, numbers.outputFeature, step);
  return arrays;
}

// What f16 is padded to.
Arrays paddedHalf(const Instruction& call) {
  const auto& numbers = *call.get<Attr::DimLabels>();
  const Arrays was = arraysOf(call);
  Arrays made = was;
  const Roles roles = rolesOf(call, made);
  int64_t& in = roles.input[static_cast<size_t>(numbers.inputFeature)];
  const int64_t out = roles.output[static_cast<size_t>(numbers.outputFeature)];
  if (in == 3 && (out == 32 || out == 64)) {
    in = roles.filter[static_cast<size_t>(numbers.kernelInputFeature)] = 4;
    return made;
  }
  made = rounded(call, 8);
  const bool isLarge = grows(was.left, made.left, 1.35) || grows(was.right, made.right, 1.35) ||
                       grows(was.result, made.result, 1.35);
  return isLarge ? was : made;
}

// Whether the library takes integers by vectors: of 32 the result has to be integers, and the image larger
// than the filter.
bool takesVectors(const Instruction& call, int64_t length) {
  const auto& numbers = *call.get<Attr::DimLabels>();
  const Window* window = call.get<Attr::Window>();
  if (numbers.inputSpatial.size() != 2 || window == nullptr || window->dimensions.size() != 2) return false;
  if (!isIntegral(call.operand(1)->shape().elementType())) return false;
  if (length == 32 && !isIntegral(call.shape().tupleShapes()[0].elementType())) return false;
  for (size_t d = 0; d < 2; ++d) {
    const WindowDimension& of = window->dimensions[d];
    if (of.baseDilation != 1 || of.windowDilation != 1) return false;
    const int64_t image = call.operand(0)->shape().dimension(static_cast<size_t>(numbers.inputSpatial[d]));
    if (length == 32 && image <= of.size - 1) return false;
  }
  return true;
}

// What 8 bit integers are padded to; vectors have `longest` at most.
Arrays paddedBytes(const Instruction& call, int64_t longest) {
  const Arrays was = arraysOf(call);
  for (const int64_t length : {32, 4}) {
    if (length > longest || !takesVectors(call, length)) continue;
    const Arrays made = rounded(call, length);
    const bool isLarge =
        product(made.left) >= 2 * product(was.left) || product(made.result) >= 2 * product(was.result);
    if (!isLarge && made != was) return made;
  }
  return was;
}

// With a bias and perhaps an array that is added to the result.
bool hasOwnOperands(const Instruction& call) {
  const std::string_view target = call.get<Attr::CustomCallTarget>();
  if (target == kConvForwardGraph) return false;
  const bool hasBias = target == kConvBiasActivation;
  return hasBias ? call.operandCount() == 3 || call.operandCount() == 4 : call.operandCount() == 2;
}

bool isOurs(const Instruction& call) {
  if (!isCudnnConvolution(call) || !hasOwnOperands(call) || call.get<Attr::DimLabels>() == nullptr ||
      !call.shape().isTuple() || call.shape().tupleShapes().size() != 2 ||
      call.shape().tupleShapes()[1].elementCount() != 0 ||
      call.get<Attr::FeatureGroupCount>().value_or(1) != 1)
    return false;
  for (const Shape shape :
       {call.operand(0)->shape(), call.operand(1)->shape(), call.shape().tupleShapes()[0]}) {
    if (!liesRowMajor(shape) || shape.elementCount() == 0) return false;
  }
  return true;
}

Arrays paddedArrays(const Instruction& call, int64_t longest) {
  const ElementType type = call.operand(0)->shape().elementType();
  const std::string_view target = call.get<Attr::CustomCallTarget>();
  const bool isForward = target == kConvForward || target == kConvBiasActivation;
  if (isForward && (type == ElementType::S8 || type == ElementType::U8)) return paddedBytes(call, longest);
  const bool isHalf = call.shape().tupleShapes()[0].elementType() == ElementType::F16;
  return isHalf && target != kConvBiasActivation ? paddedHalf(call) : arraysOf(call);
}

template <int64_t longest>
bool isPadded(const Instruction& call) {
  return isOurs(call) && paddedArrays(call, longest) != arraysOf(call);
}

template <int64_t longest>
Instruction* padded(Instruction& call) {
  const Arrays arrays = paddedArrays(call, longest);
  const auto pad = [&](size_t side, const Sizes& sizes) {
    Instruction* operand = call.operand(side);
    if (std::ranges::equal(operand->shape().dimensions(), sizes)) return operand;
    return padTo(operand, sizes, algebra::makeSplat(call, Shape::scalar(operand->shape().elementType()), 0),
                 call);
  };
  std::vector<Instruction*> operands = {pad(0, arrays.left), pad(1, arrays.right)};
  const auto features = static_cast<size_t>(call.get<Attr::DimLabels>()->outputFeature);
  if (call.operandCount() > 2) operands.push_back(pad(2, {arrays.result[features]}));
  if (call.operandCount() > 3) operands.push_back(pad(3, arrays.result));
  const Shape result = call.shape().tupleShapes()[0], rest = call.shape().tupleShapes()[1];
  const Shape shapes[] = {arrayLike(result, result.elementType(), arrays.result), rest};
  Instruction* made = call.parent().createLike(call, operands, &call);
  made->setShape(Shape::tuple(shapes));
  Instruction* cut = cutTo(elementOfTuple(made, 0, call), result.dimensions(), call);
  return call.parent().create(Opcode::Tuple, call.shape(), {cut, elementOfTuple(made, 1, call)}, {}, &call);
}

}  // namespace

Result<bool> padCudnnConvolutions(Module& module, PassContext& context, const ConvolutionPadding& settings) {
  return settings.longVectors ? rewriteEach(module, context, "padded", isPadded<32>, padded<32>)
                              : rewriteEach(module, context, "padded", isPadded<4>, padded<4>);
}

}  // namespace hilo
