#include "ui/views/thunks/thunk_summary.h"

#include "ui/models/text_of.h"

namespace hilo {
namespace {

int64_t serialTotalNs(const ThunkStudy& study) {
  int64_t total = 0;
  for (const StudiedThunk& thunk : study.thunks) {
    if (thunk.parent == StudiedThunk::kNone) total += std::max<int64_t>(thunk.measuredNs, 0);
  }
  return total;
}

QString timelineText(const ThunkStudy& study, size_t lanes) {
  int64_t end = 0;
  for (const ThunkSpan& span : study.timeline) end = std::max(end, span.startNs + span.durationNs);
  return QStringLiteral(", ") + durationText(end - study.timeline.front().startNs) +
         (study.isPlanned ? QStringLiteral(" on %1, estimated").arg(countOf(lanes, "stream"))
                          : QStringLiteral(" on %1").arg(countOf(lanes, "thread")));
}

QString racesText(const ThunkStudy& study) {
  if (study.races.empty()) return QStringLiteral("; no data races");
  return QStringLiteral("; ") + countOf(study.races.size(), "race") + ": " +
         qs(diagnosticOf(study, study.races[0]).message);
}

}  // namespace

QString summaryOf(const ThunkStudy& study, size_t lanes) {
  QString text = QStringLiteral("%1: %2, %3")
                     .arg(qs(study.title), countOf(study.thunks.size(), "thunk"),
                          countOf(study.hazards.size(), "dependency", "dependencies"));
  const int64_t total = serialTotalNs(study);
  if (total > 0 && !study.timeline.empty())
    text += QStringLiteral(", ") + durationText(total) + QStringLiteral(" serial total");
  if (!study.timeline.empty()) text += timelineText(study, lanes);
  if (!study.notes.empty())
    text += QStringLiteral("; ") + countOf(study.notes.size(), "warning") + ": " + qs(study.notes[0].message);
  if (study.isChecked) text += racesText(study);
  return text;
}

QString originText(const StudiedThunk& thunk, const Module* module) {
  QStringList names;
  for (const InstructionId id : thunk.instructions) {
    if (module != nullptr) names << qs(module->instruction(id)->name());
  }
  if (!names.isEmpty()) return names.join(QStringLiteral(", "));
  return module != nullptr ? QStringLiteral("HLO instruction: unknown")
                           : QStringLiteral("HLO instruction: unknown, the file has no module");
}

QString thunkTimeText(int64_t ns) { return ns < 0 ? QString() : durationText(ns); }

}  // namespace hilo
