#include "core/workspace/peak/peak_changes.h"

#include "core/workspace/peak/peak_proposals.h"

namespace hilo {
namespace {

struct Kind {
  const char* name;
  Result<std::vector<PeakChange>> (*propose)(const PeakBase&, const JobContext&);
};

constexpr Kind kKinds[] = {
#define PEAK_CHANGES(kind, function) {kind, function},
#include "core/workspace/peak/peak_changes.def"
#undef PEAK_CHANGES
};

}  // namespace

std::string PeakChange::command() const {
  if (layout) return fmt::format("hilo layouts --try '{}={}'", layout->instruction, layout->layout);
  if (sharding)
    return fmt::format("hilo partition --constrain '{}={}'", sharding->instruction, sharding->sharding);
  return fmt::format("hilo opt --passes='{}'", fmt::join(passes, ","));
}

Result<std::vector<PeakChange>> peakChanges(const PeakBase& base, const JobContext& context,
                                            std::vector<std::string>& notes) {
  std::vector<PeakChange> all;
  for (const Kind& kind : kKinds) {
    if (context.cancel().cancelled()) return fail("cancelled", "cancelled");
    auto proposed = kind.propose(base, context);
    if (!proposed) {
      notes.push_back(fmt::format("no {} is tried: {}", kind.name, proposed.error().message));
      continue;
    }
    for (PeakChange& change : *proposed) {
      change.kind = kind.name;
      all.push_back(std::move(change));
    }
  }
  return all;
}

}  // namespace hilo
