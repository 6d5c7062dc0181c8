#include "core/compiler/passes/simplify/fp_conversions.h"

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isFloatConvert(const Instruction& i) {
  return i.opcode() == Opcode::Convert && isFloat(i.shape().elementType()) &&
         isFloat(i.operand(0)->shape().elementType());
}

bool isChain(const Instruction& i) { return isFloatConvert(i) && isFloatConvert(*i.operand(0)); }

Instruction* shortened(Instruction& i) {
  return convertTo(i.operand(0)->operand(0), i.shape().elementType(), i);
}

}  // namespace

Result<bool> simplifyFloatConversions(Module& module, PassContext& context) {
  return rewriteEach(module, context, "simplified", isChain, shortened);
}

}  // namespace hilo
