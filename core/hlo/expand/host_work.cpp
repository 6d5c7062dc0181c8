// What a program hands to the host: a computation of its own, called beside the device's work.
#include "core/hlo/expand/expansion.h"

namespace hilo::library {

Result<Instruction*> expandHostExecute(Expansion& call) {
  const auto called = call.call().calledComputations();
  if (called.size() != 1) return call.refuse("names no computation that the host runs");
  const size_t parameters = called[0]->parameters().size();
  TRY_STATUS(call.needsOperands(parameters, parameters));
  if (called[0]->root()->shape().withoutLayout() != call.shape().withoutLayout())
    return call.malformed("gives another shape than what it calls");
  Instruction* made = call.add(Opcode::Call, call.shape(), call.call().operands());
  made->set<Attr::ToApply>(called[0]);
  return made;
}

}  // namespace hilo::library
