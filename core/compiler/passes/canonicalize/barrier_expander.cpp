#include "core/compiler/passes/canonicalize/barrier_expander.h"

#include "core/compiler/passes/rewrite_each.h"

namespace hilo {
namespace {

bool isBarrier(const Instruction& i) {
  return i.opcode() == Opcode::OptBarrier && i.operandCount() == 1 && i.operand(0)->shape() == i.shape();
}
Instruction* behind(Instruction& i) { return i.operand(0); }

}  // namespace

Result<bool> expandBarriers(Module& module, PassContext& context) {
  return rewriteEach(module, context, "dropped", isBarrier, behind);
}

}  // namespace hilo
