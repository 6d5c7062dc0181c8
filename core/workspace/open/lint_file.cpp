#include "core/workspace/open/lint_file.h"

#include <fmt/format.h>

#include <functional>

#include "core/analysis/unstable_reduction.h"
#include "core/analysis/while_loop.h"
#include "core/workspace/open/source_names.h"

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

Diagnostic falseTripCount(const Instruction& loop, int64_t stated, int64_t counted, Place place) {
  return {.severity = Severity::kWarning,
          .kind = "false-trip-count",
          .message = fmt::format("while {} states known_trip_count {}, its counter gives {}", loop.name(),
                                 stated, counted),
          .place = std::move(place),
          .notes = {"XLA takes the stated count where it unrolls, pipelines and estimates: correct it or "
                    "leave it out"}};
}

void lintReductions(const Module& module, const PlaceOf& placeOf, Diagnostics& warnings) {
  for (const Instruction* reduce : unstableReductions(module)) {
    if (warnings.size() == kMostWarnings) return;
    warnings.push_back(unstableReduction(*reduce, placeOf(*reduce)));
  }
}

void lintLoops(const Module& module, const PlaceOf& placeOf, Diagnostics& warnings) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* loop : computation->instructions()) {
      if (loop->opcode() != Opcode::While) continue;
      const auto stated = statedTripCount(*loop);
      const auto counter = stated ? inductionVariable(*loop) : std::nullopt;
      if (!counter || counter->trips == *stated) continue;
      if (warnings.size() == kMostWarnings) return;
      warnings.push_back(falseTripCount(*loop, *stated, counter->trips, placeOf(*loop)));
    }
  }
}

Diagnostics lint(const Module& module, const PlaceOf& placeOf) {
  Diagnostics warnings;
  lintReductions(module, placeOf, warnings);
  lintLoops(module, placeOf, warnings);
  if (warnings.size() == kMostWarnings)
    warnings.back().notes.push_back(fmt::format("stopped after {} warnings", kMostWarnings));
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
  for (Diagnostic& warning : warnings) warning = inSourceNames(std::move(warning), file);
  for (const auto& other : file.others) {
    for (Diagnostic& warning : lintFile(*other)) warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace hilo
