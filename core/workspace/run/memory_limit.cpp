#include "core/workspace/run/memory_limit.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace hilo {
namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

std::optional<int64_t> numberIn(const std::string& path) {
  std::ifstream file(path);
  int64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

int64_t freeInSystem() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, unit; file >> name;) {
    int64_t kilobytes = 0;
    file >> kilobytes;
    if (name == "MemAvailable:") return kilobytes * 1024;
    std::getline(file, unit);
  }
  return kNone;
}

// Of a container's group, version 2 of the kernel's interface and version 1. "max", which is no number,
// is no limit.
int64_t freeInGroup() {
  for (const auto& [most, used] : {std::pair("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
                                   std::pair("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                             "/sys/fs/cgroup/memory/memory.usage_in_bytes")}) {
    const auto limit = numberIn(most), taken = numberIn(used);
    if (limit && taken) return std::max<int64_t>(0, *limit - *taken);
  }
  return kNone;
}

}  // namespace

int64_t memoryFree(int64_t limitBytes) {
  const int64_t unused = std::min(freeInSystem(), freeInGroup());
  return limitBytes > 0 ? std::min(limitBytes, unused) : unused;
}

int64_t memoryWithin(int64_t limitBytes) {
  const int64_t unused = memoryFree(0), most = unused == kNone ? kNone : unused / 4 * 3;
  return limitBytes > 0 ? std::min(limitBytes, most) : most;
}

}  // namespace hilo
