#include "core/compiler/toolchain/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/base/file_descriptor.h"

namespace hilo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostBytes = size_t{16} << 20;

Result<pid_t> start(const std::vector<std::string>& words, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return fail("cannot-start", fmt::format("{} cannot be started: {}", words[0], std::strerror(error)));
  return pid;
}

// Until the program closes its end; the rest of its time is what is left.
Status readAll(int from, const std::string& program, Clock::time_point until, std::string& text) {
  std::array<char, 65536> piece;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd waited{from, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&waited, 1, static_cast<int>(left));
    if (ready == 0) return fail("took-too-long", fmt::format("{} took too long", program));
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t count = read(from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    text.append(piece.data(), static_cast<size_t>(count));
    if (text.size() > kMostBytes) return fail("too-large", fmt::format("{} said too much", program));
  }
}

}  // namespace

Result<ProcessOutput> runProcess(const std::vector<std::string>& words, std::chrono::milliseconds longest) {
  const Clock::time_point until = Clock::now() + longest;
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail("cannot-start", fmt::format("{}: {}", words[0], std::strerror(errno)));
  const FileDescriptor ours(ends[0]);
  FileDescriptor theirs(ends[1]);
  TRY(const pid_t pid, start(words, theirs.get()));
  theirs = FileDescriptor();
  ProcessOutput output;
  const Status read = readAll(ours.get(), words[0], until, output.text);
  if (!read) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!read) return std::unexpected(read.error());
  output.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace hilo
