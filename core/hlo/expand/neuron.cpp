// Activations and the norm that torch-neuronx leaves to its compiler, in f32 at least.
#include <numbers>

#include "core/hlo/expand/activations.h"

namespace hilo::library {
namespace {

// One array in the type in which it is computed.
struct Work {
  const Expansion& call;
  Instruction* x;
  Instruction* number(double value) const { return call.splat(x->shape(), value); }
  Instruction* times(Instruction* a, Instruction* b) const { return call.binary(Opcode::Multiply, a, b); }
  Instruction* plus(Instruction* a, Instruction* b) const { return call.binary(Opcode::Add, a, b); }
};

Result<Work> workOn(const Expansion& call, size_t operands) {
  TRY_STATUS(call.needsOperands(operands, operands));
  TRY_STATUS(call.needsResults(1, 1));
  const Shape shape = call.operand(0)->shape();
  if (!shape.isArray() || !isFloat(shape.elementType())) return call.refuse("takes no floats");
  const bool isNarrow = elementBits(shape.elementType()) < 32;
  return Work{call, call.convert(call.operand(0), isNarrow ? ElementType::F32 : shape.elementType())};
}

Result<Instruction*> rounded(const Work& work, Instruction* value) {
  return work.call.give({work.call.convert(value, work.call.result(0).elementType())});
}

// The share of a normal distribution below x: (1 + erf(x / sqrt(2))) / 2.
Instruction* shareBelow(const Work& w) {
  Instruction* erf = w.call.unary(Opcode::Erf, w.times(w.x, w.number(1 / std::numbers::sqrt2)));
  return w.times(w.number(0.5), w.plus(w.number(1), erf));
}

}  // namespace

Result<Instruction*> expandNeuronGelu(Expansion& call) {
  TRY(const Work w, workOn(call, 1));
  return rounded(w, w.times(w.x, shareBelow(w)));
}

// The slope of the same: the share below x and x times its density there. What came from above is multiplied
// by it outside.
Result<Instruction*> expandNeuronGeluSlope(Expansion& call) {
  TRY(const Work w, workOn(call, 1));
  Instruction* fall = call.unary(Opcode::Exponential, w.times(w.number(-0.5), w.times(w.x, w.x)));
  Instruction* density = w.times(w.number(std::numbers::inv_sqrtpi / std::numbers::sqrt2), fall);
  return rounded(w, w.plus(shareBelow(w), w.times(w.x, density)));
}

Result<Instruction*> expandNeuronGeluByTanh(Expansion& call) {
  TRY(const Work w, workOn(call, 1));
  return rounded(w, geluByTanh(call, w.x));
}

// Operands: x, a weight for each place of the dimension that backend_config names, what is added to the mean
// square. Result: x / sqrt(mean square + that) * weight.
Result<Instruction*> expandNeuronRmsNorm(Expansion& call) {
  TRY(const Work w, workOn(call, 3));
  const Shape shape = w.x->shape();
  const std::string_view text = call.call().get<Attr::BackendConfig>();
  const bool isDigit = text.size() == 1 && text[0] >= '0' && text[0] <= '9';
  const int64_t along = isDigit ? text[0] - '0' : -1;
  if (!isDigit || along >= static_cast<int64_t>(shape.rank()))
    return call.malformed("has no dimension as backend_config");
  const int64_t length = shape.dimension(static_cast<size_t>(along));
  const Shape weight = call.operand(1)->shape();
  if (!weight.isArray() || weight.rank() != 1 || weight.dimension(0) != length ||
      !call.operand(2)->shape().isScalar())
    return call.malformed("has a weight that is not one number a place");
  Instruction* sum = call.reduce(w.times(w.x, w.x), std::array{along}, Opcode::Add, 0);
  Instruction* mean = call.binary(Opcode::Divide, sum, call.splat(sum->shape(), static_cast<double>(length)));
  const ElementType type = shape.elementType();
  Instruction* epsilon = call.broadcastScalar(call.convert(call.operand(2), type), mean->shape());
  Instruction* scale = call.unary(Opcode::Rsqrt, w.plus(mean, epsilon));
  std::vector<int64_t> others;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.rank()); ++d) {
    if (d != along) others.push_back(d);
  }
  Instruction* weights = call.broadcast(call.convert(call.operand(1), type), shape, std::array{along});
  return rounded(w, w.times(w.times(w.x, call.broadcast(scale, shape, others)), weights));
}

}  // namespace hilo::library
