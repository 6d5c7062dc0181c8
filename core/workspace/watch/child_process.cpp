#include "core/workspace/watch/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/base/file_descriptor.h"

namespace hilo {
namespace {

FileDescriptor memoryFile(const char* name) { return FileDescriptor(memfd_create(name, MFD_CLOEXEC)); }

Status writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      return fail("no-worker", fmt::format("no memory for its input: {}", std::strerror(errno)));
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  lseek(file, 0, SEEK_SET);
  return {};
}

std::string lastOf(int file) {
  constexpr off_t kMost = 16 << 10;
  const off_t size = lseek(file, 0, SEEK_END);
  const off_t begin = std::max<off_t>(0, size - kMost);
  std::string text(static_cast<size_t>(std::max<off_t>(0, size - begin)), '\0');
  const ssize_t got = pread(file, text.data(), text.size(), begin);
  text.resize(got < 0 ? 0 : static_cast<size_t>(got));
  return text;
}

Result<pid_t> start(std::vector<std::string>& words, int input, int errors) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return fail("no-worker", fmt::format("cannot start {}: {}", words[0], std::strerror(error)));
  return pid;
}

// Its wait status.
Result<int> waitFor(pid_t pid, const CancelToken& cancel) {
  const FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  pollfd wait{.fd = process.get(), .events = POLLIN, .revents = 0};
  bool isCancelled = false;
  while (poll(&wait, 1, 20) <= 0) {
    if (!cancel.cancelled()) continue;
    kill(pid, SIGKILL);
    isCancelled = true;
    break;
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (isCancelled) return fail("cancelled", "cancelled");
  return status;
}

}  // namespace

Result<ChildEnd> runChild(std::vector<std::string> words, std::string_view input, const CancelToken& cancel) {
  const FileDescriptor in = memoryFile("input"), errors = memoryFile("errors");
  if (!in || !errors) return fail("no-worker", fmt::format("no files in memory: {}", std::strerror(errno)));
  TRY_STATUS(writeAll(in.get(), input));
  TRY(const pid_t pid, start(words, in.get(), errors.get()));
  TRY(const int status, waitFor(pid, cancel));
  ChildEnd end{.errors = lastOf(errors.get())};
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.exitCode = WEXITSTATUS(status);
  }
  return end;
}

std::string signalText(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

}  // namespace hilo
