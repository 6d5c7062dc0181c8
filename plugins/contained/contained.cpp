#include "plugins/contained/contained.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

namespace hilo {
namespace {

rlim_t addressSpaceBytes() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void runChild(const std::function<std::string()>& work, size_t inputBytes, int to) {
  const rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  // A damaged count keeps the reader busy for ages; a whole file of a megabyte takes it a fraction
  // of a second.
  const rlim_t seconds = 1 + 2 * (inputBytes >> 20);
  const rlimit time{seconds, seconds};
  setrlimit(RLIMIT_CPU, &time);
  // Beside what the parent has already: a few parts of a file may name one another so that they spell out to
  // more than there is room for.
  const rlim_t room = addressSpaceBytes() + (rlim_t{512} << 20) + 64 * inputBytes;
  const rlimit memory{room, room};
  setrlimit(RLIMIT_AS, &memory);
  for (const int fatal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) std::signal(fatal, SIG_DFL);
  // What the library says before it gives up is not for the user.
  if (const int nothing = open("/dev/null", O_WRONLY); nothing >= 0) dup2(nothing, STDERR_FILENO);
  const std::string bytes = work();
  size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t wrote = write(to, bytes.data() + at, bytes.size() - at);
    if (wrote < 0 && errno != EINTR) _exit(1);
    if (wrote > 0) at += static_cast<size_t>(wrote);
  }
  _exit(0);
}

// Everything the child writes, until it ends. False when it was given up.
bool readAll(int from, const std::function<bool()>& isCancelled, std::string& bytes) {
  char buffer[65536];
  while (true) {
    pollfd ready{from, POLLIN, 0};
    const int polled = poll(&ready, 1, 100);
    if (isCancelled()) return false;
    if (polled == 0 || (polled < 0 && errno == EINTR)) continue;
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return false;
    if (got > 0) bytes.append(buffer, static_cast<size_t>(got));
  }
}

}  // namespace

Contained runContained(const std::function<std::string()>& work, size_t inputBytes,
                       const std::function<bool()>& isCancelled) {
  Contained result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return result;
  const pid_t child = fork();
  if (child == 0) runChild(work, inputBytes, ends[1]);
  close(ends[1]);
  const bool whole = child > 0 && readAll(ends[0], isCancelled, result.bytes);
  close(ends[0]);
  if (child < 0) return result;
  if (!whole) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool ended = whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  result.end = isCancelled() ? Contained::End::Cancelled
               : ended       ? Contained::End::Whole
                             : Contained::End::Damaged;
  return result;
}

void put(std::string& out, uint64_t number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void put(std::string& out, const std::string& text) {
  put(out, uint64_t{text.size()});
  out += text;
}

uint64_t Decoder::number() {
  uint64_t value = 0;
  if (rest_.size() < sizeof value) return good_ = false, 0;
  std::memcpy(&value, rest_.data(), sizeof value);
  rest_.remove_prefix(sizeof value);
  return value;
}

std::string Decoder::text() {
  const uint64_t size = number();
  if (size > rest_.size()) return good_ = false, "";
  std::string value(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return value;
}

}  // namespace hilo
