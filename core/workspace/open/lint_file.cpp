#include "core/workspace/open/lint_file.h"

#include <fmt/format.h>

#include <functional>

#include "core/analysis/unstable_reduction.h"

namespace hilo {
namespace {

// As many as the verifier gives: a line is looked for in the whole text for each.
constexpr size_t kMostWarnings = 100;

using PlaceOf = std::function<Place(const Instruction&)>;

Diagnostic unstableReduction(const Instruction& reduce, Place place) {
  const auto type = elementTypeName(reduce.shape().elementType());
  return {.severity = Severity::kWarning,
          .kind = "unstable-reduction",
          .message = fmt::format("reduce {} accumulates terms of {} in {}, rounding after each",
                                 reduce.name(), toString(reduce.operand(0)->shape()), type),
          .place = std::move(place),
          .notes = {fmt::format("convert to f32 before reducing, and to {} after", type)}};
}

Diagnostics lint(const Module& module, const PlaceOf& placeOf) {
  Diagnostics warnings;
  for (const Instruction* reduce : unstableReductions(module)) {
    warnings.push_back(unstableReduction(*reduce, placeOf(*reduce)));
    if (warnings.size() < kMostWarnings) continue;
    warnings.back().notes.push_back(fmt::format("stopped after {} warnings", kMostWarnings));
    break;
  }
  return warnings;
}

}  // namespace

Diagnostics lintModule(const Module& module) {
  return lint(module, [](const Instruction& i) {
    Place place;
    place.computation = i.parent().name();
    place.instruction = i.name();
    return place;
  });
}

Diagnostics lintFile(const OpenedFile& file) {
  Diagnostics warnings = lint(*file.module, [&](const Instruction& i) { return placeOf(file, i); });
  for (const auto& other : file.others) {
    for (Diagnostic& warning : lintFile(*other)) warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace hilo
