#include "core/compiler/passes/schedule/rematerialization_pass.h"

#include "core/compiler/schedule/rematerialization.h"

namespace hilo {

Result<bool> runRematerialization(Module& module, PassContext& context,
                                  const RematerializationSettings& settings) {
  RematerializationOptions options{.limitBytes = settings.memoryLimitBytes,
                                   .recompute = settings.recompute,
                                   .compress = settings.compress,
                                   .maxRounds = settings.maxRounds};
  if (options.limitBytes == 0) {
    // Looks once, to know the peak.
    TRY(const RematerializationResult before, rematerialize(module, {.maxRounds = 0}));
    options.limitBytes = before.bytesBefore / 100 * settings.peakPercent;
  }
  TRY(const RematerializationResult result, rematerialize(module, options));
  for (const RematerializedValue& value : result.values) {
    switch (value.action) {
      case RematerializedValue::Action::Recomputed:
        context.remark(*value.instruction, "recomputed",
                       fmt::format("{} bytes less at the peak", value.bytes));
        break;
      case RematerializedValue::Action::Compressed:
        context.remark(*value.instruction, "compressed",
                       fmt::format("{} bytes less at the peak", value.bytes));
        break;
      case RematerializedValue::Action::Left:
        context.remark(*value.instruction, "missed",
                       fmt::format("{} bytes wait over the peak: {}", value.bytes, value.reason));
        break;
    }
  }
  return result.changed();
}

}  // namespace hilo
