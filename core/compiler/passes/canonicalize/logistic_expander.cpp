#include "core/compiler/passes/canonicalize/logistic_expander.h"

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"

namespace hilo {
namespace {

bool isLogistic(const Instruction& i) { return i.opcode() == Opcode::Logistic && !i.shape().isDynamic(); }

Instruction* expanded(Instruction& i) {
  const auto make = [&](Opcode opcode, std::initializer_list<Instruction*> operands) {
    return i.parent().create(opcode, i.shape(), operands, {}, &i);
  };
  Instruction* one = algebra::makeSplat(i, i.shape(), 1);
  Instruction* power = make(Opcode::Exponential, {make(Opcode::Negate, {i.operand(0)})});
  return make(Opcode::Divide, {one, make(Opcode::Add, {one, power})});
}

}  // namespace

Result<bool> expandLogistics(Module& module, PassContext& context) {
  return rewriteEach(module, context, "expanded", isLogistic, expanded);
}

}  // namespace hilo
