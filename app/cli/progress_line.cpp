#include "app/cli/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>

namespace hilo::cli {
namespace {

constexpr const char* kClear = "\r\x1b[K";

std::mutex mutex;
bool isLineThere = false;

// Under the lock.
void clearLine() {
  if (isLineThere) fmt::print(stderr, "{}", kClear);
  isLineThere = false;
}

}  // namespace

ProgressLine::ProgressLine() {
  winsize size{};
  if (isatty(STDERR_FILENO) == 0) return;
  width_ = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

ProgressLine::~ProgressLine() {
  const std::lock_guard lock(mutex);
  clearLine();
}

void ProgressLine::show(const JobInfo& job) {
  const auto now = std::chrono::steady_clock::now();
  if (job.state != JobState::Running || job.text.empty() || now - shownAt_ < std::chrono::milliseconds(100))
    return;
  shownAt_ = now;
  std::string text = job.fraction < 0 ? job.text : fmt::format("{:.0f}%  {}", job.fraction * 100, job.text);
  // A terminal begins a new line after its last column.
  if (text.size() >= width_) text.resize(width_ - 1);
  const std::lock_guard lock(mutex);
  fmt::print(stderr, "{}{}", kClear, text);
  std::fflush(stderr);
  isLineThere = true;
}

void ProgressLine::say(const std::string& text) {
  const std::lock_guard lock(mutex);
  clearLine();
  fmt::print(stderr, "{}\n", text);
}

}  // namespace hilo::cli
