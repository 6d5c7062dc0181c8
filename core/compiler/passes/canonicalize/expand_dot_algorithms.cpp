#include "core/compiler/passes/canonicalize/expand_dot_algorithms.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/canonicalize/expand_instructions.h"
#include "core/hlo/expand/dot_algorithm.h"
#include "core/hlo/expand/library_calls.h"

namespace hilo {
namespace {

bool leavesItOpen(const Instruction& i) {
  const auto isF32 = [](const Instruction& value) {
    return value.shape().isArray() && value.shape().elementType() == ElementType::F32;
  };
  return i.opcode() == Opcode::Dot && isF32(i) && isF32(*i.operand(0)) && isF32(*i.operand(1)) &&
         i.get<Attr::Algorithm>().value_or(DotAlgorithm::Unset) == DotAlgorithm::Unset &&
         std::ranges::all_of(i.get<Attr::OperandPrecision>(),
                             [](Precision asked) { return asked == Precision::Default; });
}

}  // namespace

Result<bool> expandDotAlgorithms(Module& module, PassContext& context, const DotAlgorithms& algorithms) {
  bool changed = false;
  for (Computation* computation :
       algorithms.defaultsToBf16 ? unfusedComputations(module) : std::vector<Computation*>()) {
    for (Instruction* i : computation->instructions()) {
      if (!leavesItOpen(*i) || !context.mayChange(*i)) continue;
      i->set<Attr::Algorithm>(DotAlgorithm::BF16BF16F32);
      changed = true;
    }
  }
  TRY(const bool expanded,
      expandInstructions(
          module,
          {.applies = hasAlgorithmOfItsOwn,
           .refusal = expansionRefusal,
           .expand = expandDotAlgorithm,
           .what = [](const Instruction& product) { return enumText(*product.get<Attr::Algorithm>()); }},
          context));
  return changed || expanded;
}

}  // namespace hilo
