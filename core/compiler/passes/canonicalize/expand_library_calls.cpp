#include "core/compiler/passes/canonicalize/expand_library_calls.h"

#include "core/compiler/passes/canonicalize/expand_instructions.h"
#include "core/hlo/expand/library_calls.h"

namespace hilo {

Result<bool> expandLibraryCalls(Module& module, PassContext& context) {
  return expandInstructions(
      module,
      {.applies = [](const Instruction& i) { return i.opcode() == Opcode::CustomCall; },
       .refusal = expansionRefusal,
       .expand = expandLibraryCall,
       .what = [](const Instruction& call) { return call.get<Attr::CustomCallTarget>(); }},
      context);
}

}  // namespace hilo
