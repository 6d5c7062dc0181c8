#include "core/hlo/eval/chunks.h"

#include <atomic>
#include <system_error>
#include <thread>

namespace hilo {

Status inChunks(int64_t count, int64_t operations, const std::function<Status()>& poll,
                const std::function<void(int64_t chunk)>& work) {
  constexpr int64_t kWorthAThread = int64_t{1} << 22;
  std::atomic<int64_t> next = 0;
  std::vector<std::jthread> others;
  const int64_t chunksAThread = std::max<int64_t>(1, kWorthAThread / std::max<int64_t>(1, operations));
  const int64_t wanted = std::min<int64_t>(std::thread::hardware_concurrency(), count / chunksAThread);
  try {
    for (int64_t i = 1; i < wanted; ++i)
      others.emplace_back([&] {
        for (int64_t chunk = next++; chunk < count; chunk = next++) work(chunk);
      });
  } catch (const std::system_error&) {
    // With as many threads as there are.
  }
  for (int64_t chunk = next++; chunk < count; chunk = next++) {
    if (auto status = poll(); !status) {
      next = count;
      return status;
    }
    work(chunk);
  }
  return {};
}

Status inChunks(int64_t count, int64_t operations, EvalContext& context,
                const std::function<void(int64_t chunk)>& work) {
  const auto poll = [&] { return context.poll(); };
  return inChunks(count, operations, poll, work);
}

}  // namespace hilo
