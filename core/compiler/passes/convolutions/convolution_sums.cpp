// What a call to cuDNN adds to a convolution and multiplies it by.
#include <cmath>

#include "core/compiler/passes/convolutions/convolution_fuser.h"
#include "core/compiler/passes/convolutions/lossless_types.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// The factor as the call takes it: f32, of f64 f64.
std::optional<double> factorOf(const Instruction& value, ElementType result) {
  const auto number = repeatedNumber(value);
  const ElementType type = result == ElementType::F64 ? ElementType::F64 : ElementType::F32;
  return number && std::isfinite(*number) && hasNumber(type, *number) ? number : std::nullopt;
}

// One number a feature, or one for all.
bool isBias(const Instruction& value, const ForwardCall& call) {
  if (value.opcode() != Opcode::Broadcast || !isLosslessAs(value, biasType(call.type))) return false;
  const auto along = value.dimensions();
  return along.empty() || (along.size() == 1 && along[0] == call.numbers().outputFeature);
}

Instruction* biasOf(const Instruction& broadcast, const ForwardCall& call, Instruction& before) {
  Instruction* bias = narrowedTo(broadcast.operand(0), biasType(call.type), before);
  if (!broadcast.dimensions().empty()) return bias;
  const auto feature = static_cast<size_t>(call.numbers().outputFeature);
  return broadcastTo(bias, std::vector<int64_t>{call.element->shape().dimension(feature)}, {}, before);
}

struct ScaledValue {
  Instruction* value;
  double factor;
};
// Multiplied by a constant.
std::optional<ScaledValue> scaledValueOf(const Instruction& i, ElementType result) {
  if (i.opcode() != Opcode::Multiply) return std::nullopt;
  for (size_t side = 0; side < 2; ++side) {
    if (const auto factor = factorOf(*i.operand(1 - side), result))
      return ScaledValue{i.operand(side), *factor};
  }
  return std::nullopt;
}

}  // namespace

bool ConvolutionFuser::fuseScale(Instruction& i) {
  if (i.opcode() != Opcode::Multiply) return false;
  auto found = onlyUseIn(i);
  if (!found || found->call.isDepthwise()) return false;
  ForwardCall& call = found->call;
  const auto factor = factorOf(*found->other, call.type);
  if (!factor || call.scale != 1 || !call.takesBias() || call.hasSideInput() || call.hasFunction() ||
      !context_.mayChange(i))
    return false;
  addBias(call, i);
  call.scale = *factor;
  return supersede(i, call, "its constant factor is part of the convolution");
}

bool ConvolutionFuser::fuseSum(Instruction& i) {
  if (i.opcode() != Opcode::Add) return false;
  auto found = onlyUseIn(i);
  if (!found || found->call.isDepthwise() || found->call.hasFunction()) return false;
  ForwardCall& call = found->call;
  const bool addsBias = call.takesBias() && isBias(*found->other, call);
  if ((!addsBias && call.hasSideInput()) || !context_.mayChange(i)) return false;
  addBias(call, i);
  if (addsBias) {
    call.operands[2] = biasOf(*found->other, call, i);
    return supersede(i, call, "the convolution adds its bias as well");
  }
  call.operands.push_back(found->other);
  call.sideScale = 1;
  return supersede(i, call, "the convolution adds an array as well");
}

// `i`: the element of a call whose side input is multiplied by a constant, perhaps in front of reshapes and
// transposes, which are copied as others may read the product.
bool ConvolutionFuser::fuseSideScale(Instruction& i) {
  auto call = forwardCallOf(&i);
  if (!call || !call->hasSideInput() || call->sideScale != 1) return false;
  std::vector<Instruction*> moves;
  Instruction* at = call->operands[3];
  for (; at->opcode() == Opcode::Reshape || at->opcode() == Opcode::Transpose; at = at->operand(0))
    moves.push_back(at);
  const auto scaled = scaledValueOf(*at, call->type);
  if (!scaled || !context_.mayChange(i)) return false;
  Instruction* side = scaled->value;
  for (auto move = moves.rbegin(); move != moves.rend(); ++move)
    side = computation_.createLike(**move, std::array{side}, &i);
  call->operands[3] = side;
  call->sideScale = scaled->factor;
  return supersede(i, *call, "what the convolution adds is scaled by it");
}

}  // namespace hilo
