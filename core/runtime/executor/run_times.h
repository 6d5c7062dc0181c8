// When the work of each thunk was on a device, of a run that is traced: by CUPTI where that has times of it,
// else by events around it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/runtime/device/device.h"
#include "core/runtime/libraries/work_times.h"
#include "core/runtime/trace/thunk_trace.h"

namespace hilo {

// One device of one run; one thread.
class RunTimes {
 public:
  // From now on, which is on `stream` when it has done what it was given. All outlive this.
  static Result<std::unique_ptr<RunTimes>> begin(Device& device, Stream& stream, ThunkTrace& trace);

  // `work` gives the stream what is of the event. CUPTI knows nothing of what the host does in between.
  Status timed(Stream& stream, const ThunkEvent& event, bool isOfDeviceAlone,
               const std::function<Status()>& work);
  // Tells the trace; once the streams were waited for.
  Status tell();
  // Why the times are those of events though CUPTI is there.
  std::optional<Diagnostic> takeNote() { return std::exchange(note_, std::nullopt); }

 private:
  struct Timed {
    uint32_t mark = 0;
    ThunkEvent event;
    std::unique_ptr<Event> begin, end;
  };

  RunTimes(Device& device, ThunkTrace& trace) : device_(device), trace_(trace) {}
  void startWorkTimes();
  void useWorkTimes();
  void tellWhyNot(Diagnostic error);

  Device& device_;
  ThunkTrace& trace_;
  std::unique_ptr<Event> began_;
  int64_t beganNs_ = 0;
  uint32_t marks_ = 0;
  std::vector<Timed> times_;
  std::unique_ptr<WorkTimes> workTimes_;  // null: there are events alone
  std::optional<Diagnostic> note_;
};

}  // namespace hilo
