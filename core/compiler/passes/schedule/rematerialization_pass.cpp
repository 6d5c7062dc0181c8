#include "core/compiler/passes/schedule/rematerialization_pass.h"

#include "core/base/amount_text.h"
#include "core/compiler/passes/name_list.h"
#include "core/compiler/passes/simplify/dead_code_elimination.h"
#include "core/compiler/schedule/rematerialization.h"

namespace hilo {
namespace {

std::string_view kindOf(RematerializedValue::Action action) {
  switch (action) {
    case RematerializedValue::Action::Recomputed:
      return "recomputed";
    case RematerializedValue::Action::Compressed:
      return "compressed";
    case RematerializedValue::Action::Offloaded:
      return "offloaded";
    case RematerializedValue::Action::Left:
      return "missed";
  }
  CHECK(false);
}

}  // namespace

Result<bool> runRematerialization(Module& module, PassContext& context,
                                  const RematerializationSettings& settings) {
  RematerializationOptions options{.limitBytes = settings.memoryLimitBytes,
                                   .recompute = settings.recompute,
                                   .compress = settings.compress,
                                   .minBytes = settings.minBytes,
                                   .mainThreadOnly = settings.mainThreadOnly,
                                   .parallelThreads = settings.parallelThreads,
                                   .hostOffload = settings.hostOffload,
                                   .hostMemorySpace = settings.hostMemorySpace,
                                   .hostBytesPerSecond = settings.hostBytesPerSecond,
                                   .flopsPerSecond = settings.flopsPerSecond,
                                   .bytesPerSecond = settings.bytesPerSecond,
                                   .maxRounds = settings.maxRounds};
  if (!settings.only.empty())
    options.considers = [&](const Instruction& i) { return isNamedIn(settings.only, i.name()); };
  if (options.limitBytes == 0) {
    // Looks once, to know the peak.
    TRY(const RematerializationResult before, rematerialize(module, {.maxRounds = 0}));
    options.limitBytes = before.bytesBefore / 100 * settings.peakPercent;
  }
  TRY(const RematerializationResult result, rematerialize(module, options));
  for (const RematerializedValue& value : result.values) {
    const bool isLeft = value.action == RematerializedValue::Action::Left;
    context.remark(*value.instruction, kindOf(value.action),
                   isLeft ? fmt::format("{} wait over the peak: {}", amount::bytes(value.bytes), value.reason)
                          : fmt::format("{} less at the peak", amount::bytes(value.bytes)));
  }
  bool changed = result.changed();
  // What is removed from one fusion may be all that used another.
  for (bool isDead = true; isDead && !context.cancelled();) {
    TRY(isDead, eliminateDeadCode(module, context));
    changed |= isDead;
  }
  return changed;
}

}  // namespace hilo
