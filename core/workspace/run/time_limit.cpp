#include "core/workspace/run/time_limit.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>

namespace hilo {

TimeLimit::TimeLimit(int64_t limitNs, const CancelToken& outer) : limitNs_(limitNs), token_(outer) {
  if (limitNs == 0) return;
  token_ = CancelToken();
  watch_ = std::jthread([this, outer](const std::stop_token& stop) {
    constexpr auto kLook = std::chrono::milliseconds(20);
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(limitNs_);
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      const auto now = std::chrono::steady_clock::now();
      isOver_ = now >= end;
      if (isOver_ || outer.cancelled()) {
        token_.cancel();
        return;
      }
      wake.wait_until(lock, stop, std::min(end, now + kLook), [] { return false; });
    }
  });
}

TimeLimit::~TimeLimit() = default;

Diagnostic TimeLimit::explained(Diagnostic error, std::string_view work) const {
  if (error.kind != "cancelled" || !isOver_) return error;
  return {.severity = Severity::kError,
          .kind = "time-limit",
          .message = fmt::format("{} was ended after {:g} s, the time limit of a run", work,
                                 static_cast<double>(limitNs_) * 1e-9),
          .place = {},
          .notes = {}};
}

}  // namespace hilo
