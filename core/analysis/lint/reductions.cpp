#include <fmt/format.h>

#include "core/analysis/lint/rules.h"
#include "core/analysis/unstable_reduction.h"

namespace hilo {

void lintReductions(const Module& module, LintFindings& found) {
  for (const Instruction* reduce : unstableReductions(module)) {
    const auto type = elementTypeName(reduce->shape().elementType());
    found.push_back({.instruction = reduce,
                     .message = fmt::format("reduce {} accumulates terms of {} in {}, rounding after each",
                                            reduce->name(), toString(reduce->operand(0)->shape()), type),
                     .notes = {fmt::format("convert to f32 before reducing, and to {} after", type)}});
  }
}

}  // namespace hilo
