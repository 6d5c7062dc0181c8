#include "core/hlo/verify/shape_rules.h"

#include <array>
#include <utility>

namespace hilo {

namespace {

constexpr std::pair<Opcode, ShapeRule> kRules[] = {
#define SHAPE(opcode, rule) {Opcode::opcode, rule},
#include "core/hlo/verify/shape_rules.def"
};

std::array<ShapeRule, kOpcodeCount> makeTable() {
  std::array<ShapeRule, kOpcodeCount> table{};
  for (const auto& [opcode, rule] : kRules) table[static_cast<size_t>(opcode)] = rule;
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i] != nullptr) continue;
    const OpcodeClass opClass = opcodeClass(static_cast<Opcode>(i));
    if (opClass == OpcodeClass::ElementwiseUnary) table[i] = inferUnary;
    if (opClass == OpcodeClass::ElementwiseBinary) table[i] = inferBinary;
  }
  return table;
}

}  // namespace

ShapeRule shapeRule(Opcode opcode) {
  static const std::array<ShapeRule, kOpcodeCount> table = makeTable();
  return table[static_cast<size_t>(opcode)];
}

}  // namespace hilo
