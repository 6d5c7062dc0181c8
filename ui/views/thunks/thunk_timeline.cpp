#include "ui/views/thunks/thunk_timeline.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace hilo {

// Spans within another one of the same lane lie one strip lower.
ThunkTimeline makeTimeline(const ThunkStudy& study) {
  using Span = ThunkTimeline::Span;
  ThunkTimeline timeline;
  timeline.heat = heatScaleOf(study);
  timeline.runs.assign(study.thunks.size(), false);
  for (const StudiedThunk& thunk : study.thunks) {
    if (thunk.parent != StudiedThunk::kNone) timeline.runs[thunk.parent] = true;
  }
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Span>> byThread;
  bool severalDevices = false;
  int64_t first = study.timeline.empty() ? 0 : study.timeline.front().startNs;
  for (const ThunkSpan& span : study.timeline) {
    const auto begin = static_cast<double>(span.startNs - first);
    byThread[{span.device, span.thread}].push_back(
        {span.thunk, 0, begin, begin + static_cast<double>(span.durationNs)});
    severalDevices |= span.device > 0;
    timeline.length = std::max(timeline.length, begin + static_cast<double>(span.durationNs));
    for (const InstructionId id : study.thunks[span.thunk].instructions)
      timeline.thunkOf.emplace(id, span.thunk);
  }
  for (auto& [key, spans] : byThread) {
    ThunkTimeline::Lane lane;
    lane.label = study.isPlanned  ? QString("stream %1").arg(key.second)
                 : severalDevices ? QString("device %1, thread %2").arg(key.first).arg(key.second)
                                  : QString("thread %1").arg(key.second);
    std::ranges::sort(spans, {}, [](const Span& s) { return std::pair(s.begin, -s.end); });
    std::vector<double> open;  // ends of the spans around
    for (Span& span : spans) {
      while (!open.empty() && open.back() <= span.begin) open.pop_back();
      span.depth = static_cast<uint16_t>(open.size());
      lane.depths = std::max<uint16_t>(lane.depths, static_cast<uint16_t>(span.depth + 1));
      open.push_back(span.end);
    }
    lane.spans = std::move(spans);
    timeline.lanes.push_back(std::move(lane));
  }
  return timeline;
}

std::optional<ThunkMoment> momentAt(const ThunkTimeline::Lane& lane, double ns) {
  const auto behind = std::ranges::upper_bound(lane.spans, ns, {}, &ThunkTimeline::Span::begin);
  if (behind == lane.spans.begin()) return std::nullopt;
  const ThunkTimeline::Span& span = *std::prev(behind);
  const double wide = span.end - span.begin;
  return ThunkMoment{span.thunk, wide > 0 ? std::clamp((ns - span.begin) / wide, 0.0, 1.0) : 0};
}

std::optional<double> timeOf(const ThunkTimeline& timeline, const ThunkMoment& moment, double nearNs) {
  std::optional<double> nearest;
  for (const auto& lane : timeline.lanes) {
    for (const ThunkTimeline::Span& span : lane.spans) {
      if (span.thunk != moment.thunk) continue;
      const double at = span.begin + moment.part * (span.end - span.begin);
      if (!nearest || std::abs(at - nearNs) < std::abs(*nearest - nearNs)) nearest = at;
    }
  }
  return nearest;
}

}  // namespace hilo
