#include <fmt/format.h>

#include "core/analysis/lint/rules.h"
#include "core/analysis/while_loop.h"

namespace hilo {

void lintLoops(const Module& module, LintFindings& found) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* loop : computation->instructions()) {
      if (loop->opcode() != Opcode::While) continue;
      const auto stated = statedTripCount(*loop);
      const auto counter = stated ? inductionVariable(*loop) : std::nullopt;
      if (!counter || counter->trips == *stated) continue;
      found.push_back({.instruction = loop,
                       .message = fmt::format("while {} states known_trip_count {}, its counter gives {}",
                                              loop->name(), *stated, counter->trips),
                       .notes = {"XLA takes the stated count where it unrolls, pipelines and estimates: "
                                 "correct it or leave it out"}});
    }
  }
}

}  // namespace hilo
