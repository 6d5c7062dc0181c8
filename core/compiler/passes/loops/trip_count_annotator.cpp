#include "core/compiler/passes/loops/trip_count_annotator.h"

#include <cstring>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/loops/loop_configuration.h"
#include "core/compiler/passes/loops/loop_parts.h"

namespace hilo {
namespace {

// Readers of the counter behind the loop get the value with which it ends.
void forwardCounter(Instruction& loop, const InductionVariable& counter) {
  const std::vector<Instruction*> users(loop.users().begin(), loop.users().end());
  const int64_t end = counter.init + counter.trips * counter.step;
  for (Instruction* user : users) {
    if (user->opcode() != Opcode::GetTupleElement || user->tupleIndex() != counter.tupleIndex ||
        (user->users().empty() && !user->isRoot()))
      continue;
    Computation& computation = user->parent();
    Literal value{user->shape()};
    std::memcpy(value.mutableBytes().data(), &end, value.bytes().size());
    computation.replaceAllUses(user, computation.createConstant(std::move(value), user));
  }
}

}  // namespace

Result<bool> annotateTripCounts(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    for (Instruction* loop : whileLoopsOf(*computation)) {
      if (context.cancelled()) return changed;
      const auto counter = inductionVariable(*loop);
      const std::string configuration = loopConfiguration(*loop, counter);
      if (configuration.empty()) {
        context.remark(*loop, "missed", "its computations do not tell how often it runs");
        continue;
      }
      if (loop->get<Attr::BackendConfig>() == configuration) continue;
      if (!context.mayChange(*loop)) return changed;
      loop->set<Attr::BackendConfig>(configuration);
      if (counter) forwardCounter(*loop, *counter);
      context.remark(*loop, "annotated",
                     counter ? fmt::format("runs {} times", counter->trips) : "its counter is known");
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
