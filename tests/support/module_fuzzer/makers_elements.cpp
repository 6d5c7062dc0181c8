// Elementwise operations.
#include <fmt/format.h>

#include <iterator>

#include "tests/support/module_fuzzer/module_writer.h"

namespace hilo::fuzz {
namespace {

std::vector<Opcode> opcodesOf(OpcodeClass family, std::initializer_list<Opcode> without) {
  std::vector<Opcode> opcodes;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    if (opcodeClass(opcode) == family && std::ranges::find(without, opcode) == without.end())
      opcodes.push_back(opcode);
  }
  return opcodes;
}

// One that has a meaning for the type, and what it gives.
void addOneOf(ModuleWriter& w, const std::vector<Opcode>& opcodes, const std::vector<Value>& operands) {
  std::vector<ElementType> types;
  for (const Value& operand : operands) types.push_back(operand.type);
  for (int tries = 0; tries < 20; ++tries) {
    const Opcode opcode = w.oneOf(opcodes);
    const auto result = elementwiseResult(opcode, types);
    if (!result) continue;
    w.add(*result, operands[0].sizes, std::string(opcodeName(opcode)), operands);
    return;
  }
}

}  // namespace

void addUnary(ModuleWriter& w) {
  static const auto opcodes = opcodesOf(OpcodeClass::ElementwiseUnary,
                                        {Opcode::Convert, Opcode::BitcastConvert, Opcode::ReducePrecision});
  addOneOf(w, opcodes, {w.pick()});
}
void addExactUnary(ModuleWriter& w) {
  static const std::vector<Opcode> opcodes = {Opcode::Abs,
                                              Opcode::Ceil,
                                              Opcode::CountLeadingZeros,
                                              Opcode::Floor,
                                              Opcode::Imag,
                                              Opcode::IsFinite,
                                              Opcode::Negate,
                                              Opcode::Not,
                                              Opcode::Popcnt,
                                              Opcode::Real,
                                              Opcode::RoundNearestAfz,
                                              Opcode::RoundNearestEven,
                                              Opcode::Sign,
                                              Opcode::Sqrt};
  const Value x = w.pick();
  if (!isComplex(x.type)) addOneOf(w, opcodes, {x});
}

void addBinary(ModuleWriter& w) {
  static const auto opcodes =
      opcodesOf(OpcodeClass::ElementwiseBinary, {Opcode::Compare, Opcode::StochasticConvert});
  const Value x = w.pick();
  addOneOf(w, opcodes, {x, w.valueOf(x.type, x.sizes)});
}
void addExactBinary(ModuleWriter& w) {
  static const std::vector<Opcode> opcodes = {Opcode::Add,
                                              Opcode::And,
                                              Opcode::Complex,
                                              Opcode::Divide,
                                              Opcode::Maximum,
                                              Opcode::Minimum,
                                              Opcode::Mulhi,
                                              Opcode::Multiply,
                                              Opcode::Or,
                                              Opcode::Remainder,
                                              Opcode::ShiftLeft,
                                              Opcode::ShiftRightArithmetic,
                                              Opcode::ShiftRightLogical,
                                              Opcode::Subtract,
                                              Opcode::Xor};
  const Value x = w.pick();
  const Value y = w.valueOf(x.type, x.sizes);
  if (!isComplex(x.type)) addOneOf(w, opcodes, {x, y});
}

void addCompare(ModuleWriter& w) {
  const Value x = w.pick();
  const Value y = w.valueOf(x.type, x.sizes);
  constexpr const char* kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  const char* direction = isComplex(x.type) ? kDirections[w.below(2)] : w.oneOf(kDirections);
  const bool total = isFloat(x.type) && !w.exactOnly() && w.oneIn(3);
  w.add(ElementType::Pred, x.sizes, "compare", {x, y},
        fmt::format("direction={}{}", direction, total ? ", type=TOTALORDER" : ""));
}
void addSelect(ModuleWriter& w) {
  const Value x = w.pick();
  const Value y = w.valueOf(x.type, x.sizes);
  const Value chooser = w.valueOf(ElementType::Pred, w.oneIn(4) ? Sizes{} : x.sizes);
  w.add(x.type, x.sizes, "select", {chooser, x, y});
}
void addClamp(ModuleWriter& w) {
  const Value x = w.pick();
  if (isComplex(x.type) || x.type == ElementType::Pred) return;
  const Value low = w.valueOf(x.type, w.oneIn(2) ? Sizes{} : x.sizes),
              high = w.valueOf(x.type, w.oneIn(2) ? Sizes{} : x.sizes);
  w.add(x.type, x.sizes, "clamp", {low, x, high});
}
void addConvert(ModuleWriter& w) {
  const Value x = w.pick();
  const ElementType to = w.anyType();
  if (isComplex(x.type) && !isComplex(to)) return;
  w.add(to, x.sizes, "convert", {x});
}
void addBitcastConvert(ModuleWriter& w) {
  // What a NaN carries is nobody's promise.
  const Value x = w.pickOf(w.exactOnly() ? isIntegral : anyElementType);
  for (int tries = 0; tries < 20; ++tries) {
    const ElementType to = w.anyType();
    const int from = elementBits(x.type), bits = elementBits(to);
    if (x.type == ElementType::Pred || to == ElementType::Pred || isComplex(x.type) != isComplex(to))
      continue;
    Sizes sizes = x.sizes;
    if (from > bits && from % bits == 0) {
      sizes.push_back(from / bits);
    } else if (from < bits) {
      if (sizes.empty() || sizes.back() * from != bits) continue;
      sizes.pop_back();
    } else if (from != bits) {
      continue;
    }
    w.add(to, sizes, "bitcast-convert", {x});
    return;
  }
}
void addReducePrecision(ModuleWriter& w) {
  const Value x = w.pickOf(isFloat);
  w.add(x.type, x.sizes, "reduce-precision", {x},
        fmt::format("exponent_bits={}, mantissa_bits={}", w.between(1, 11), w.between(0, 30)));
}
void addStochasticConvert(ModuleWriter& w) {
  const Value x = w.pickOf([](ElementType type) {
    return type == ElementType::F64 || type == ElementType::F32 || type == ElementType::F16 ||
           type == ElementType::BF16;
  });
  const ElementType random = elementBits(x.type) == 64   ? ElementType::U64
                             : elementBits(x.type) == 32 ? ElementType::U32
                                                         : ElementType::U16;
  constexpr ElementType kTo[] = {ElementType::S8, ElementType::S16, ElementType::S32};
  w.add(w.oneOf(kTo), x.sizes, "stochastic-convert", {x, w.valueOf(random, x.sizes)});
}

}  // namespace hilo::fuzz
