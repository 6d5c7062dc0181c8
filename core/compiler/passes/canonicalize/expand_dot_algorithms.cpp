#include "core/compiler/passes/canonicalize/expand_dot_algorithms.h"

#include "core/compiler/passes/canonicalize/expand_instructions.h"
#include "core/hlo/expand/dot_algorithm.h"
#include "core/hlo/expand/library_calls.h"

namespace hilo {

Result<bool> expandDotAlgorithms(Module& module, PassContext& context) {
  return expandInstructions(
      module,
      {.applies = hasAlgorithmOfItsOwn,
       .refusal = expansionRefusal,
       .expand = expandDotAlgorithm,
       .what = [](const Instruction& product) { return enumText(*product.get<Attr::Algorithm>()); }},
      context);
}

}  // namespace hilo
