#include "core/compiler/passes/convolutions/forward_call.h"

#include <fmt/format.h>

#include "core/base/number_text.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/convolutions/cudnn_calls.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr std::string_view kPart = "cudnn_conv_backend_config";

double numberIn(const Instruction& call, std::string_view field, double otherwise) {
  const auto number = parseDouble(gpuConfig(call, kPart, field));
  return number ? *number : otherwise;
}

void setNumber(Instruction& call, std::string_view field, double number) {
  if (numberIn(call, field, 0) != number) setGpuConfig(call, kPart, field, fmt::format("{}", number));
}

// As the library takes it: labels that fit the arrays, and as many operands as its target has.
bool isWellFormed(const Instruction& call) {
  const std::string_view target = call.get<Attr::CustomCallTarget>();
  const size_t count = call.operandCount();
  const bool isCounted = target == kConvForward          ? count == 2
                         : target == kConvBiasActivation ? count == 3 || count == 4
                                                         : false;
  const ConvolutionDimensionNumbers* numbers = call.get<Attr::DimLabels>();
  if (!isCounted || numbers == nullptr || !call.shape().isTuple() || call.shape().tupleShapes().size() != 2)
    return false;
  const size_t rank = numbers->inputSpatial.size() + 2;
  for (const Shape shape :
       {call.operand(0)->shape(), call.operand(1)->shape(), call.shape().tupleShapes()[0]}) {
    if (!isPlainArray(shape) || shape.rank() != rank) return false;
  }
  return !call.has(Attr::ControlPredecessors) && !call.wasControlPredecessor();
}

}  // namespace

bool ForwardCall::takesBias() const { return !isFused() || repeatedNumber(*operands[2]) == 0.0; }

bool ForwardCall::isDepthwise() const {
  const int64_t groups = call->get<Attr::FeatureGroupCount>().value_or(1);
  return groups != 1 && operands[0]->shape().dimension(static_cast<size_t>(numbers().inputFeature)) == groups;
}

std::optional<ForwardCall> forwardCallOf(Instruction* value) {
  if (value->opcode() != Opcode::GetTupleElement || value->tupleIndex() != 0) return std::nullopt;
  Instruction* call = value->operand(0);
  if (!isCudnnConvolution(*call) || !isWellFormed(*call) || !isReadByOne(*call)) return std::nullopt;
  ForwardCall read{.call = call, .element = value};
  read.operands.assign(call->operands().begin(), call->operands().end());
  read.type = value->shape().elementType();
  read.scale = numberIn(*call, "conv_result_scale", 1);
  read.sideScale = numberIn(*call, "side_input_scale", 0);
  read.slope = numberIn(*call, "leakyrelu_alpha", 0);
  if (const std::string function = gpuConfig(*call, kPart, "activation_mode"); !function.empty())
    read.function = function;
  return read;
}

ElementType biasType(ElementType result) { return isIntegral(result) ? ElementType::F32 : result; }

void addBias(ForwardCall& call, Instruction& before) {
  if (call.isFused()) return;
  const Shape result = call.element->shape();
  const int64_t features = result.dimension(static_cast<size_t>(call.numbers().outputFeature));
  const Shape bias = arrayLike(result, biasType(call.type), std::vector<int64_t>{features});
  call.operands.push_back(algebra::makeSplat(before, bias, 0));
}

Instruction* makeForwardCall(const ForwardCall& call, Instruction& before) {
  Instruction* made = before.parent().createLike(*call.call, call.operands, &before);
  const Shape results[] = {call.element->shape().withElementType(call.type),
                           call.call->shape().tupleShapes()[1]};
  made->setShape(Shape::tuple(results));
  if (call.isFused() && call.call->get<Attr::CustomCallTarget>() == kConvForward) {
    made->set<Attr::CustomCallTarget>(kConvBiasActivation);
    made->setName(before.module().uniqueName("cudnn-conv-bias-activation"));
  }
  setNumber(*made, "conv_result_scale", call.scale);
  setNumber(*made, "side_input_scale", call.sideScale);
  setNumber(*made, "leakyrelu_alpha", call.slope);
  if (call.hasFunction()) setGpuConfig(*made, kPart, "activation_mode", fmt::format("\"{}\"", call.function));
  return elementOfTuple(made, 0, before);
}

std::optional<double> repeatedNumber(const Instruction& value) {
  const bool isRepeated =
      value.opcode() == Opcode::Broadcast && value.operand(0)->opcode() == Opcode::Constant &&
      value.operand(0)->shape().isArray() && value.operand(0)->shape().elementCount() == 1;
  return isRepeated ? algebra::numberAt(*value.operand(0), 0) : std::nullopt;
}

bool isReadByOne(const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); }

}  // namespace hilo
