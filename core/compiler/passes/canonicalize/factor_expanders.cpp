#include "core/compiler/passes/canonicalize/factor_expanders.h"

#include "core/compiler/passes/canonicalize/expand_instructions.h"
#include "core/hlo/expand/library_calls.h"

namespace hilo {
namespace {

std::string_view targetOf(const Instruction& i) {
  return i.opcode() == Opcode::CustomCall ? i.get<Attr::CustomCallTarget>() : "";
}

bool isQr(const Instruction& i) {
  return targetOf(i) == "Qr" || targetOf(i) == "ProductOfElementaryHouseholderReflectors";
}

bool isEigh(const Instruction& i) { return targetOf(i) == "Eigh"; }

Result<bool> expandCalls(Module& module, PassContext& context, bool (*applies)(const Instruction&)) {
  return expandInstructions(
      module,
      {.applies = applies, .refusal = expansionRefusal, .expand = expandLibraryCall, .what = targetOf},
      context);
}

}  // namespace

Result<bool> expandQrCalls(Module& module, PassContext& context) {
  return expandCalls(module, context, isQr);
}

Result<bool> expandEighCalls(Module& module, PassContext& context) {
  return expandCalls(module, context, isEigh);
}

}  // namespace hilo
