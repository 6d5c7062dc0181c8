#include "core/workspace/thunks/thunk_profile.h"

#include <fmt/format.h>

#include <map>

namespace hilo {
namespace {

// By thunk: how often it ran, on all devices together.
std::vector<int64_t> timesRun(const ThunkStudy& study) {
  std::vector<int64_t> times(study.thunks.size());
  for (const ThunkSpan& span : study.timeline) ++times[span.thunk];
  return times;
}

}  // namespace

Result<std::string> profileText(const ThunkStudy& study, const Module& module) {
  const std::vector<int64_t> times = timesRun(study);
  std::map<uint32_t, double> nsOf;  // by the instruction's id
  for (size_t i = 0; i < study.thunks.size(); ++i) {
    const StudiedThunk& thunk = study.thunks[i];
    if (thunk.measuredNs < 0 || thunk.instructions.empty()) continue;
    nsOf[thunk.instructions[0].value] +=
        static_cast<double>(thunk.measuredNs) / static_cast<double>(std::max<int64_t>(1, times[i]));
  }
  if (nsOf.empty()) return fail("no-thunk-times", fmt::format("{}: no thunk was measured", study.title));
  std::string text;
  for (const auto& [id, ns] : nsOf)
    text += fmt::format("{},{:.3f}\n", module.instruction(InstructionId{id})->name(), ns / 1000);
  return text;
}

}  // namespace hilo
