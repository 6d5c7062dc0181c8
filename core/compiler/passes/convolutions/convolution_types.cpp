// Types of what a call to cuDNN reads and gives: conversions around it that it does itself.
#include <algorithm>

#include "core/compiler/passes/convolutions/convolution_fuser.h"
#include "core/compiler/passes/convolutions/lossless_types.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// A call whose result is read here alone.
std::optional<ForwardCall> onlyRead(Instruction* value) {
  auto call = forwardCallOf(value);
  return call && isReadByOne(*call->element) ? call : std::nullopt;
}

// The call whose result saturates to s8 in `i`: behind a clamp, or f32, whose conversion saturates.
std::optional<ForwardCall> saturatedIn(const Instruction& i) {
  if (i.opcode() != Opcode::Convert || i.shape().elementType() != ElementType::S8) return std::nullopt;
  const Instruction& clamp = *i.operand(0);
  if (clamp.opcode() != Opcode::Clamp) {
    auto call = onlyRead(i.operand(0));
    return call && call->type == ElementType::F32 ? call : std::nullopt;
  }
  const bool isToBytes =
      repeatedNumber(*clamp.operand(0)) == -128.0 && repeatedNumber(*clamp.operand(2)) == 127.0;
  auto call = isToBytes ? onlyRead(clamp.operand(1)) : std::nullopt;
  return call && (call->type == ElementType::F32 || call->type == ElementType::S32) ? call : std::nullopt;
}

bool readsBytes(const ForwardCall& call, ElementType side) {
  return isLosslessAs(*call.operands[0], ElementType::S8) &&
         isLosslessAs(*call.operands[1], ElementType::S8) &&
         (!call.hasSideInput() || isLosslessAs(*call.operands[3], side));
}

bool isBytes(const Instruction* value) { return value->shape().elementType() == ElementType::S8; }

}  // namespace

// From s32 to f32 and from f32 to s8, which both say once what the call then rounds.
bool ConvolutionFuser::fuseConvert(Instruction& i) {
  if (i.opcode() != Opcode::Convert) return false;
  auto call = onlyRead(i.operand(0));
  if (!call) return false;
  const ElementType from = call->type, to = i.shape().elementType();
  const bool isKnown = (from == ElementType::S32 && to == ElementType::F32) ||
                       (from == ElementType::F32 && to == ElementType::S8);
  if (!isKnown || !context_.mayChange(i)) return false;
  call->type = to;
  return supersede(i, *call, fmt::format("the convolution gives {}", elementTypeName(to)));
}

bool ConvolutionFuser::fuseHalf(Instruction& i) {
  if (i.opcode() != Opcode::Convert || i.shape().elementType() != ElementType::F16) return false;
  auto call = onlyRead(i.operand(0));
  const auto isHalf = [](const Instruction* operand) {
    return operand->shape().elementType() == ElementType::F32 && isLosslessAs(*operand, ElementType::F16);
  };
  if (!call || call->type != ElementType::F32 || !std::ranges::all_of(call->operands, isHalf) ||
      !context_.mayChange(i))
    return false;
  for (Instruction*& operand : call->operands) operand = narrowedTo(operand, ElementType::F16, i);
  call->type = ElementType::F16;
  return supersede(i, *call, "a convolution of f16");
}

// To s8, or `i` is the result itself, f32 of s8.
bool ConvolutionFuser::fuseBytes(Instruction& i) {
  auto call = saturatedIn(i);
  ElementType to = ElementType::S8;
  if (!call || !readsBytes(*call, to)) {
    call = forwardCallOf(&i);
    to = ElementType::F32;
    const bool isNew =
        call && call->type == to && !(isBytes(call->operands[0]) && isBytes(call->operands[1]));
    if (!isNew || !readsBytes(*call, to)) return false;
  }
  if (!context_.mayChange(i)) return false;
  for (size_t n = 0; n < 2; ++n) call->operands[n] = narrowedTo(call->operands[n], ElementType::S8, i);
  if (call->hasSideInput()) call->operands[3] = narrowedTo(call->operands[3], to, i);
  call->type = to;
  return supersede(i, *call, fmt::format("a convolution of s8 that gives {}", elementTypeName(to)));
}

}  // namespace hilo
