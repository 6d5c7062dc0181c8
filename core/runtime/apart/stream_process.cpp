#include "core/runtime/apart/stream_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/base/file_descriptor.h"
#include "core/runtime/apart/last_lines.h"

namespace hilo {
namespace {

// Killed and waited for with its owner.
struct Child {
  pid_t pid = -1;
  FileDescriptor in, out, errors;
  ~Child() {
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  int wait() {
    int status = 0;
    waitpid(std::exchange(pid, -1), &status, 0);
    return status;
  }
};

Status start(Child& child, std::vector<std::string>& command) {
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  // Sockets, so that a program that is gone is an error and no signal.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0 ||
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out) != 0)
    return fail("no-worker", fmt::format("cannot start {}: {}", command[0], std::strerror(errno)));
  child.in = FileDescriptor(in[0]);
  child.out = FileDescriptor(out[0]);
  child.errors = FileDescriptor(memfd_create("errors", MFD_CLOEXEC));
  const FileDescriptor theirIn(in[1]), theirOut(out[1]);
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirIn.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, theirOut.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, child.errors.get(), STDERR_FILENO);
  const int error = posix_spawnp(&child.pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return {};
  child.pid = -1;
  return fail("no-worker", fmt::format("cannot start {}: {}", command[0], std::strerror(error)));
}

// Some of the input, as much as is taken now; all of it sent or refused, the end is told.
void feed(Child& child, std::string_view& input) {
  const ssize_t sent = ::send(child.in.get(), input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) input.remove_prefix(static_cast<size_t>(sent));
  if (sent < 0 && errno != EAGAIN && errno != EINTR) input = {};
  if (input.empty()) child.in = FileDescriptor();
}

}  // namespace

Result<int> runStream(std::vector<std::string> command, std::string_view input,
                      const std::function<Status(std::span<const std::byte>)>& take,
                      const CancelToken& cancel, std::vector<std::string>* lastLines) {
  constexpr int kLookMs = 50;
  Child child;
  TRY_STATUS(start(child, command));
  if (input.empty()) child.in = FileDescriptor();
  std::array<std::byte, size_t{1} << 16> part;
  while (true) {
    if (cancel.cancelled()) return fail("cancelled", "cancelled");
    std::array<pollfd, 2> ready = {pollfd{child.out.get(), POLLIN, 0}, pollfd{child.in.get(), POLLOUT, 0}};
    if (poll(ready.data(), child.in ? 2 : 1, kLookMs) <= 0) continue;
    if (child.in && ready[1].revents != 0) feed(child, input);
    if (ready[0].revents == 0) continue;
    const ssize_t got = ::recv(child.out.get(), part.data(), part.size(), MSG_DONTWAIT);
    if (got > 0) TRY_STATUS(take(std::span(part).first(static_cast<size_t>(got))));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) break;
  }
  const int status = child.wait();
  if (lastLines != nullptr) *lastLines = lastLinesOf(child.errors.get());
  if (WIFSIGNALED(status))
    return fail("line-lost",
                fmt::format("{} was ended by a signal: {}", command[0], strsignal(WTERMSIG(status))));
  return WEXITSTATUS(status);
}

}  // namespace hilo
