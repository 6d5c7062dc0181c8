#include "core/runtime/device/host/machine_text.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>
#include <thread>

namespace hilo {
namespace {

std::string processorName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

std::string machineText() {
  utsname system{};
  uname(&system);
  return fmt::format("{}, {} x {}", system.machine, std::thread::hardware_concurrency(), processorName());
}

}  // namespace hilo
