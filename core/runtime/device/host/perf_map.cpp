#include "core/runtime/device/host/perf_map.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace hilo {
namespace {

bool isWanted() {
  const char* value = std::getenv("HILO_PERF_MAP");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

}  // namespace

std::string perfMapPath() { return fmt::format("/tmp/perf-{}.map", getpid()); }

Status tellProfilers(std::span<const std::byte> code, std::string_view name) {
  if (!isWanted() || code.empty()) return {};
  std::string line = fmt::format("{:x} {:x} {}", reinterpret_cast<uintptr_t>(code.data()), code.size(), name);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  line += '\n';
  // The folder is everybody's: what another put there under this name is not written to. One write a line, so
  // that lines of several threads stay whole.
  const int file = open(perfMapPath().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  const bool isWritten = file >= 0 && write(file, line.data(), line.size()) == std::ssize(line);
  const int error = errno;
  if (file >= 0) close(file);
  if (isWritten) return {};
  return fail("not-writable",
              fmt::format("{} cannot be written, so that profilers see no names of kernels: {}",
                          perfMapPath(), std::strerror(error)));
}

}  // namespace hilo
