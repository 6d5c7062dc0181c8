#include "core/compiler/passes/simplify/zero_sized_elimination.h"

#include "core/compiler/passes/rewrite_each.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

// An end of something asynchronous, whose start waits for it.
bool isCommunication(const Instruction& i) {
  const OpcodeClass family = opcodeClass(i.opcode());
  return family == OpcodeClass::Async || family == OpcodeClass::Collective ||
         family == OpcodeClass::Communication;
}

// Shardy's change between the shape of a device and that of all has an effect only so that it stays in place.
bool changesShardyShape(const Instruction& i) {
  return i.opcode() == Opcode::CustomCall &&
         (i.get<Attr::CustomCallTarget>() == "xla.sdy.LocalToGlobalShape" ||
          i.get<Attr::CustomCallTarget>() == "xla.sdy.GlobalToLocalShape");
}

bool isEmpty(const Instruction& i) {
  return i.shape().isArray() && !i.shape().isDynamic() && i.shape().elementCount() == 0 &&
         i.opcode() != Opcode::Parameter && i.opcode() != Opcode::Constant && !isCommunication(i) &&
         (!hasSideEffect(i) || changesShardyShape(i));
}

Instruction* emptyConstant(Instruction& i) { return i.parent().createConstant(Literal(i.shape()), &i); }

}  // namespace

Result<bool> eliminateZeroSized(Module& module, PassContext& context) {
  return rewriteEach(module, context, "emptied", isEmpty, emptyConstant);
}

}  // namespace hilo
