#include "core/runtime/executor/run_times.h"

#include <limits>

namespace hilo {

Result<std::unique_ptr<RunTimes>> RunTimes::begin(Device& device, Stream& stream, ThunkTrace& trace) {
  std::unique_ptr<RunTimes> times(new RunTimes(device, trace));
  if (stream.native() != nullptr) times->startWorkTimes();
  TRY(times->began_, device.makeEvent());
  TRY_STATUS(stream.record(*times->began_));
  TRY_STATUS(times->began_->wait());
  times->beganNs_ = trace.nowNs();
  return times;
}

void RunTimes::startWorkTimes() {
  auto started = WorkTimes::start(librarySearchHere());
  if (started) {
    workTimes_ = *std::move(started);
  } else if (started.error().kind != "missing-library") {
    tellWhyNot(std::move(started).error());
  }
}

void RunTimes::tellWhyNot(Diagnostic error) {
  error.severity = Severity::kNote;
  error.message = "times are those of events, not CUPTI's: " + error.message;
  note_ = std::move(error);
  workTimes_ = nullptr;
}

Status RunTimes::timed(Stream& stream, const ThunkEvent& event, bool isOfDeviceAlone,
                       const std::function<Status()>& work) {
  Timed times{.mark = marks_++, .event = event, .begin = nullptr, .end = nullptr};
  TRY(times.begin, device_.makeEvent());
  TRY(times.end, device_.makeEvent());
  TRY_STATUS(stream.record(*times.begin));
  const bool isMarked = isOfDeviceAlone && workTimes_ != nullptr;
  TRY_STATUS(isMarked ? workTimes_->mark(times.mark, work) : work());
  TRY_STATUS(stream.record(*times.end));
  times_.push_back(std::move(times));
  return {};
}

// CUPTI has a clock of its own. It is set as early as can be without work that begins before the event in
// front of it: somewhere nearly nothing lies between the two.
void RunTimes::useWorkTimes() {
  const auto spans = workTimes_->spans();
  if (!spans) return tellWhyNot(spans.error());
  int64_t shift = std::numeric_limits<int64_t>::min();
  for (const Timed& times : times_) {
    const auto span = spans->find(times.mark);
    if (span != spans->end()) shift = std::max(shift, times.event.startNs - span->second.startNs);
  }
  for (Timed& times : times_) {
    const auto span = spans->find(times.mark);
    if (span == spans->end()) continue;
    times.event.startNs = span->second.startNs + shift;
    times.event.durationNs = span->second.endNs - span->second.startNs;
  }
}

Status RunTimes::tell() {
  for (Timed& times : times_) {
    TRY(const int64_t start, times.begin->nsSince(*began_));
    TRY(times.event.durationNs, times.end->nsSince(*times.begin));
    times.event.startNs = beganNs_ + start;
  }
  if (workTimes_ != nullptr) useWorkTimes();
  for (const Timed& times : times_) trace_.add(times.event);
  return {};
}

}  // namespace hilo
