#include "core/compiler/passes/canonicalize/dynamic_padder.h"

#include "core/compiler/passes/canonicalize/expand_instructions.h"
#include "core/hlo/expand/dynamic_padding.h"
#include "core/hlo/expand/library_calls.h"

namespace hilo {

Result<bool> padDynamically(Module& module, PassContext& context) {
  return expandInstructions(module,
                            {.applies = takesPadding,
                             .refusal = expansionRefusal,
                             .expand = expandDynamicPadding,
                             .what = [](const Instruction& i) { return i.opcodeText(); }},
                            context);
}

}  // namespace hilo
