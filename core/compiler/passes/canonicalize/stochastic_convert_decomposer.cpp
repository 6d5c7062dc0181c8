#include "core/compiler/passes/canonicalize/stochastic_convert_decomposer.h"

#include <cmath>
#include <limits>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isToIntegers(const Instruction& i) {
  return i.opcode() == Opcode::StochasticConvert && isSigned(i.shape().elementType()) &&
         isFloat(i.operand(0)->shape().elementType()) && !i.shape().isDynamic();
}

// Writes in front of the conversion.
class Writer {
 public:
  explicit Writer(Instruction& convert) : convert_(convert) {}

  Instruction* unary(Opcode opcode, Instruction* a) const { return make(opcode, a->shape(), {a}); }
  Instruction* withNumber(Opcode opcode, Instruction* a, double number) const {
    return make(opcode, a->shape(), {a, algebra::makeSplat(convert_, a->shape(), number)});
  }
  Instruction* minus(Instruction* a, Instruction* b) const {
    return make(Opcode::Subtract, a->shape(), {a, b});
  }
  Instruction* compare(ComparisonDirection direction, Instruction* a, Instruction* b) const {
    Instruction* made = make(Opcode::Compare, a->shape().withElementType(ElementType::Pred), {a, b});
    made->set<Attr::Direction>(direction);
    return made;
  }
  Instruction* compare(ComparisonDirection direction, Instruction* a, double number) const {
    return compare(direction, a, algebra::makeSplat(convert_, a->shape(), number));
  }
  Instruction* select(Instruction* answer, Instruction* a, Instruction* b) const {
    return make(Opcode::Select, a->shape(), {answer, a, b});
  }
  Instruction* select(Instruction* answer, double number, Instruction* b) const {
    return select(answer, algebra::makeSplat(convert_, b->shape(), number), b);
  }

 private:
  Instruction* make(Opcode opcode, Shape shape, std::initializer_list<Instruction*> operands) const {
    return convert_.parent().create(opcode, shape, operands, {}, &convert_);
  }

  Instruction& convert_;
};

// Whether the magnitude is rounded up.
Instruction* roundsUp(const Writer& w, Instruction* fraction, Instruction* random, Instruction& convert) {
  const ElementType type = random->shape().elementType();
  // 2^16 is no f16.
  if (fraction->shape().elementType() == ElementType::F16)
    fraction = convertTo(fraction, ElementType::F32, convert);
  Instruction* scaled = w.withNumber(Opcode::Multiply, fraction, std::ldexp(1.0, elementBits(type)));
  return w.compare(ComparisonDirection::Lt, random, convertTo(scaled, type, convert));
}

// The greatest integer of the type, everywhere. That of 64 bits is no double.
Instruction* greatestOf(Shape shape, Instruction& before) {
  const int bits = elementBits(shape.elementType());
  if (bits < 64) return algebra::makeSplat(before, shape, std::ldexp(1.0, bits - 1) - 1);
  Instruction* greatest = before.parent().createConstant(
      Literal::scalar<int64_t>(ElementType::S64, std::numeric_limits<int64_t>::max()), &before);
  return broadcastTo(greatest, shape.dimensions(), {}, before);
}

Instruction* decomposed(Instruction& i) {
  const Writer w(i);
  Instruction* x = i.operand(0);
  const ElementType type = i.shape().elementType();
  Instruction* isNegative = w.compare(ComparisonDirection::Lt, w.unary(Opcode::Sign, x), 0.0);
  Instruction *magnitude = w.unary(Opcode::Abs, x), *whole = w.unary(Opcode::Floor, magnitude);
  Instruction* isUp = roundsUp(w, w.minus(magnitude, whole), i.operand(1), i);
  Instruction* rounded = convertTo(whole, type, i);
  rounded = w.select(isUp, w.withNumber(Opcode::Add, rounded, 1), rounded);
  rounded = w.select(isNegative, w.unary(Opcode::Negate, rounded), rounded);
  // Beyond the type's ends.
  const double lowest = -std::ldexp(1.0, elementBits(type) - 1);
  rounded = w.select(w.compare(ComparisonDirection::Le, x, lowest), lowest, rounded);
  Instruction* isMost = w.compare(ComparisonDirection::Ge, x, -1 - lowest);
  return w.select(isMost, greatestOf(i.shape(), i), rounded);
}

}  // namespace

Result<bool> decomposeStochasticConverts(Module& module, PassContext& context) {
  return rewriteEach(module, context, "decomposed", isToIntegers, decomposed);
}

}  // namespace hilo
