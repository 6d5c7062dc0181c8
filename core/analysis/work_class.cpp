#include "core/analysis/work_class.h"

#include "core/analysis/async_op.h"

namespace hilo {
namespace {

// Targets of XLA's GPU back end.
bool isContractionCall(const Instruction& call) {
  const std::string_view target = call.get<Attr::CustomCallTarget>();
  return target.starts_with("__cublas$") || target.starts_with("__cudnn$conv") ||
         target.starts_with("__cudnn$fmha");
}

}  // namespace

OpcodeClass workClass(const Instruction& instruction) {
  const OpcodeClass own = opcodeClass(instruction.opcode());
  if (own == OpcodeClass::Async) return opcodeClass(canonicalAsyncOp(instruction, false).inner);
  const bool isContraction = own == OpcodeClass::CustomCall && isContractionCall(instruction);
  return isContraction ? OpcodeClass::Contraction : own;
}

}  // namespace hilo
