#include "core/compiler/passes/loops/trip_count_annotator.h"

#include "core/analysis/while_loop.h"
#include "core/compiler/pass/main_computations.h"

namespace hilo {

Result<bool> annotateTripCounts(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    for (Instruction* loop : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (loop->opcode() != Opcode::While) continue;
      if (!loop->get<Attr::BackendConfig>().empty()) {
        context.remark(*loop, "missed", "it has a configuration already");
        continue;
      }
      const auto counter = inductionVariable(*loop);
      if (!counter) {
        context.remark(*loop, "missed", "its computations do not tell how often it runs");
        continue;
      }
      if (!context.mayChange(*loop)) return changed;
      loop->set<Attr::BackendConfig>(
          fmt::format(R"({{"known_trip_count":{{"n":"{}"}},"known_init_step":{{"init":"{}","step":"{}"}},)"
                      R"("known_induction_variable":{{"tuple_index":"{}"}}}})",
                      counter->trips, counter->init, counter->step, counter->tupleIndex));
      context.remark(*loop, "annotated", fmt::format("runs {} times", counter->trips));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
