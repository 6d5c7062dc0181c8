#include "core/runtime/apart/idle_lines.h"

#include <algorithm>
#include <mutex>

namespace hilo {
namespace {

constexpr size_t kMostIdle = 2;

struct IdleLine {
  std::vector<std::string> command;
  std::unique_ptr<LineProcess> process;
};
struct IdleLines {
  std::mutex mutex;
  std::vector<IdleLine> lines;  // oldest first
};

IdleLines& idleLines() {
  static IdleLines idle;
  return idle;
}

}  // namespace

std::unique_ptr<LineProcess> takeIdleLine(const std::vector<std::string>& command) {
  IdleLines& idle = idleLines();
  const std::lock_guard lock(idle.mutex);
  std::erase_if(idle.lines, [](const IdleLine& it) { return it.process->line().isClosed(); });
  const auto found = std::ranges::find(idle.lines, command, &IdleLine::command);
  if (found == idle.lines.end()) return nullptr;
  std::unique_ptr<LineProcess> process = std::move(found->process);
  idle.lines.erase(found);
  return process;
}

void keepIdleLine(std::vector<std::string> command, std::unique_ptr<LineProcess> process) {
  IdleLines& idle = idleLines();
  const std::lock_guard lock(idle.mutex);
  idle.lines.push_back({std::move(command), std::move(process)});
  if (idle.lines.size() > kMostIdle) idle.lines.erase(idle.lines.begin());
}

}  // namespace hilo
