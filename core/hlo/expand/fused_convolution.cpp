// cuDNN's convolution with what follows it: function(scale * convolution + side_scale * side + bias), worked
// out in f32 at least and rounded once; 8 bit integers saturate.
#include "core/hlo/expand/convolution.h"

namespace hilo::library {
namespace {

Instruction* isPositive(const Expansion& call, Instruction* x) {
  const Shape shape = x->shape();
  Instruction* answer =
      call.add(Opcode::Compare, shape.withElementType(ElementType::Pred), {x, call.zeros(shape)});
  answer->set<Attr::Direction>(ComparisonDirection::Gt);
  return answer;
}

Result<Instruction*> activated(const Expansion& call, const CallConfig& config, Instruction* x) {
  const std::string mode = config.text("activation_mode", "kNone");
  const Shape shape = x->shape();
  if (mode == "kNone") return x;
  if (mode == "kRelu") return call.binary(Opcode::Maximum, x, call.zeros(shape));
  if (mode == "kRelu6") return call.add(Opcode::Clamp, shape, {call.zeros(shape), x, call.splat(shape, 6)});
  if (mode == "kSigmoid") return call.unary(Opcode::Logistic, x);
  if (mode == "kTanh") return call.unary(Opcode::Tanh, x);
  if (mode == "kElu") return elu(call, x);
  if (mode == "kLeakyRelu") {
    Instruction* slope = call.splat(shape, config.number("leakyrelu_alpha", 0));
    return call.add(Opcode::Select, shape, {isPositive(call, x), x, call.binary(Opcode::Multiply, slope, x)});
  }
  return call.refuse(fmt::format("has activation {}", mode));
}

Instruction* scaled(const Expansion& call, Instruction* value, double factor) {
  return factor == 1 ? value : call.binary(Opcode::Multiply, value, call.splat(value->shape(), factor));
}

}  // namespace

Instruction* rounded(const Expansion& call, Instruction* value, ElementType type) {
  const Shape shape = value->shape();
  if (type == ElementType::S8)
    value = call.add(Opcode::Clamp, shape, {call.splat(shape, -128), value, call.splat(shape, 127)});
  return call.convert(value, type);
}

Instruction* elu(const Expansion& call, Instruction* x) {
  return call.add(Opcode::Select, x->shape(),
                  {isPositive(call, x), x, call.unary(Opcode::ExponentialMinusOne, x)});
}

// Operands: input, filter, bias, perhaps what is added beside it. Results: output, workspace.
Result<Instruction*> expandConvBiasActivation(Expansion& call) {
  TRY_STATUS(call.needsOperands(3, 4));
  TRY_STATUS(call.needsResults(1, 2));
  TRY(const ForwardConvolution forward, readConvolution(call));
  const ElementType from = call.operand(0)->shape().elementType();
  const ElementType work = from == ElementType::F64 ? ElementType::F64 : ElementType::F32;
  TRY(Instruction * sum, forwardProduct(call, forward, isIntegral(from) ? ElementType::S32 : work));
  sum = scaled(call, call.convert(sum, work), forward.scale);
  const Shape shape = sum->shape(), bias = call.operand(2)->shape();
  if (!bias.isArray() || bias.rank() != 1 ||
      bias.dimension(0) != shape.dimension(static_cast<size_t>(forward.numbers.outputFeature)))
    return call.malformed("adds a bias that is not one number a feature");
  if (call.operandCount() == 4) {
    Instruction* side = call.operand(3);
    if (!side->shape().isArray() || !std::ranges::equal(side->shape().dimensions(), shape.dimensions()))
      return call.malformed("adds an array of another shape than its result");
    const double factor = forward.config.number("side_input_scale", 0);
    sum = call.binary(Opcode::Add, sum, scaled(call, call.convert(side, work), factor));
  }
  Instruction* wide =
      call.broadcast(call.convert(call.operand(2), work), shape, std::array{forward.numbers.outputFeature});
  TRY(Instruction * output, activated(call, forward.config, call.binary(Opcode::Add, sum, wide)));
  return call.give({rounded(call, output, call.result(0).elementType())});
}

}  // namespace hilo::library
