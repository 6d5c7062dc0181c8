// One algebraic identity: looks at an instruction of its opcode and gives the value to use instead, or null
// when it does not apply. New instructions go in front of the one looked at. A rule may return the
// instruction itself after changing its operands.
#pragma once

#include <span>
#include <string_view>

#include "core/compiler/passes/simplify/algebra/algebraic_simplifier.h"
#include "core/hlo/ir/module.h"

namespace hilo::algebra {

using Rewrite = Instruction* (*)(Instruction&);

struct Rule {
  std::string_view name;
  Opcode opcode;
  Rewrite rewrite;
  std::string_view identity;                       // "x + 0 = x"
  bool (*isOn)(const AlgebraSettings&) = nullptr;  // null: with any settings
};

std::span<const Rule> allRules();
// The rules of one opcode, in table order.
std::span<const Rule* const> rulesOf(Opcode opcode);

#define RULE(name, opcode, function, identity) Instruction* function(Instruction& instruction);
#define RULE_IF(condition, name, opcode, function, identity) Instruction* function(Instruction& instruction);
#include "core/compiler/passes/simplify/algebra/rules.def"

}  // namespace hilo::algebra
