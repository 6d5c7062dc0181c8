// Functions that a call to cuDNN applies to what it computed.
#include <cmath>

#include "core/compiler/passes/convolutions/convolution_fuser.h"

namespace hilo {
namespace {

// cuDNN compiles these when it runs: of f16, two at a time, and slow with a side input.
bool compilesFunction(const ForwardCall& call) {
  const Shape filter = call.operands[1]->shape();
  const auto sizeAt = [&](int64_t dimension) { return filter.dimension(static_cast<size_t>(dimension)); };
  return call.type == ElementType::F16 && call.operands[0]->shape().elementType() == ElementType::F16 &&
         !call.hasSideInput() && sizeAt(call.numbers().kernelInputFeature) % 2 == 0 &&
         sizeAt(call.numbers().kernelOutputFeature) % 2 == 0;
}

// value > 0, read once.
bool isPositivity(const Instruction& compare, const Instruction* value) {
  return compare.opcode() == Opcode::Compare && compare.get<Attr::Direction>() == ComparisonDirection::Gt &&
         compare.operand(0) == value && repeatedNumber(*compare.operand(1)) == 0.0 && isReadByOne(compare);
}

}  // namespace

bool ConvolutionFuser::fuseFunction(Instruction& i, ForwardCall call, std::string_view function) {
  if (call.isDepthwise() || call.hasFunction() || !context_.mayChange(i)) return false;
  addBias(call, i);
  call.function = function;
  return supersede(i, call, fmt::format("{} is part of the convolution", function));
}

bool ConvolutionFuser::fuseRelu(Instruction& i) {
  if (i.opcode() != Opcode::Maximum) return false;
  const auto found = onlyUseIn(i);
  return found && repeatedNumber(*found->other) == 0.0 && fuseFunction(i, found->call, "kRelu");
}

bool ConvolutionFuser::fuseRelu6(Instruction& i) {
  if (i.opcode() != Opcode::Clamp || repeatedNumber(*i.operand(0)) != 0.0 ||
      repeatedNumber(*i.operand(2)) != 6.0)
    return false;
  const auto call = forwardCallOf(i.operand(1));
  return call && isReadByOne(*call->element) && compilesFunction(*call) && fuseFunction(i, *call, "kRelu6");
}

// select(x > 0, x, below(x)), where nothing else reads x.
bool ConvolutionFuser::fuseSelect(Instruction& i, Opcode below) {
  if (i.opcode() != Opcode::Select) return false;
  Instruction *x = i.operand(1), *otherwise = i.operand(2);
  auto call = forwardCallOf(x);
  if (!call || !compilesFunction(*call) || x->users().size() != 3 || x->isRoot() ||
      !isPositivity(*i.operand(0), x) || otherwise->opcode() != below || otherwise->operand(0) != x ||
      !isReadByOne(*otherwise))
    return false;
  if (below == Opcode::ExponentialMinusOne) return fuseFunction(i, *call, "kElu");
  const auto slope = repeatedNumber(*otherwise->operand(1));
  if (!slope || !std::isfinite(*slope)) return false;
  call->slope = *slope;
  return fuseFunction(i, *call, "kLeakyRelu");
}

bool ConvolutionFuser::fuseElu(Instruction& i) { return fuseSelect(i, Opcode::ExponentialMinusOne); }
bool ConvolutionFuser::fuseLeakyRelu(Instruction& i) { return fuseSelect(i, Opcode::Multiply); }

}  // namespace hilo
