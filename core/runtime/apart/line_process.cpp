#include "core/runtime/apart/line_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <thread>

#include "core/runtime/apart/last_lines.h"

namespace hilo {
Result<std::unique_ptr<LineProcess>> LineProcess::start(std::vector<std::string> command) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail("no-worker", fmt::format("no line to {}: {}", command[0], std::strerror(errno)));
  FileDescriptor ours(ends[0]), theirs(ends[1]);
  FileDescriptor oursAgain(fcntl(ours.get(), F_DUPFD_CLOEXEC, 3));
  FileDescriptor errors(memfd_create("errors", MFD_CLOEXEC));
  if (!oursAgain || !errors) return fail("no-worker", fmt::format("no line to {}", command[0]));
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.get(), STDERR_FILENO);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return fail("no-worker", fmt::format("cannot start {}: {}", command[0], std::strerror(error)));
  return std::unique_ptr<LineProcess>(
      new LineProcess(pid, std::move(ours), std::move(oursAgain), std::move(errors)));
}

LineProcess::~LineProcess() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

LineProcess::End LineProcess::end() {
  constexpr int kLooks = 100;
  int status = 0;
  const pid_t pid = std::exchange(pid_, -1);
  pid_t ended = 0;
  // It has a moment to end by itself, and to say why.
  for (int i = 0; i < kLooks && ended == 0; ++i) {
    ended = waitpid(pid, &status, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  End end;
  if (ended == 0) {
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    end.how = "it went on without its line";
  } else if (WIFSIGNALED(status)) {
    end.bySignal = true;
    end.how = fmt::format("ended by a signal: {}", strsignal(WTERMSIG(status)));
  } else {
    end.how = fmt::format("ended with exit status {}", WEXITSTATUS(status));
  }
  end.lastLines = lastLinesOf(errors_.get());
  return end;
}

}  // namespace hilo
