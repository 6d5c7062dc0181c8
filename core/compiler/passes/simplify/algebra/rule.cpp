#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

constexpr Rule kRules[] = {
#define RULE(name, opcode, function, identity) {name, Opcode::opcode, function, identity},
#define RULE_IF(condition, name, opcode, function, identity) \
  {name, Opcode::opcode, function, identity, [](const AlgebraSettings& s) { return condition; }},
#include "core/compiler/passes/simplify/algebra/rules.def"
};

}  // namespace

std::span<const Rule> allRules() { return kRules; }

std::span<const Rule* const> rulesOf(Opcode opcode) {
  static const auto* byOpcode = [] {
    auto* table = new std::array<std::vector<const Rule*>, kOpcodeCount>;
    for (const Rule& rule : kRules) (*table)[static_cast<size_t>(rule.opcode)].push_back(&rule);
    return table;
  }();
  return (*byOpcode)[static_cast<size_t>(opcode)];
}

}  // namespace hilo::algebra
