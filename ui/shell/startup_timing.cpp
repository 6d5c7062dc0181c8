#include "ui/shell/startup_timing.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace hilo {
namespace {

int64_t bootClockNs() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Field 22 of /proc/self/stat: clock ticks after boot (to 10 ms). Where it cannot be read, now.
int64_t processStartNs() {
  std::ifstream file("/proc/self/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const size_t afterName = text.rfind(')');
  if (afterName == std::string::npos) return bootClockNs();
  std::istringstream fields(text.substr(afterName + 1));
  std::string field;
  for (int i = 3; i <= 22 && fields >> field; ++i) {
  }
  const int64_t ticks = std::atoll(field.c_str());
  return ticks <= 0 ? bootClockNs() : ticks * (1'000'000'000 / sysconf(_SC_CLK_TCK));
}

}  // namespace

StartupTiming::StartupTiming() : startNs_(processStartNs()) {}

double StartupTiming::sinceStartMs() const { return static_cast<double>(bootClockNs() - startNs_) / 1e6; }

void StartupTiming::reached(const std::string& milestone) {
  if (!has(milestone)) milestones_.emplace_back(milestone, sinceStartMs());
}

bool StartupTiming::has(const std::string& milestone) const {
  return std::ranges::find(milestones_, milestone, &std::pair<std::string, double>::first) !=
         milestones_.end();
}

std::string StartupTiming::report() const {
  std::string out;
  for (const auto& [name, ms] : milestones_) out += fmt::format("{:9.1f} ms  {}\n", ms, name);
  return out;
}

}  // namespace hilo
