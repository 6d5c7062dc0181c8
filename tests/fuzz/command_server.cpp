// Runs command lines of `hilo`, each in a fork of this process: a start of the program, with LLVM's library
// to be linked, takes longer than most commands take on a small module.
//
// A line of the standard input is SECONDS, then the words after `hilo`, with tabs between. The answer is a
// line "STATUS BYTES" and that many bytes of what the command wrote to its standard error. STATUS is the exit
// status, minus the number of the signal that ended it, or "timeout": it was killed after SECONDS, with all
// that it had started.

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "core/base/check.h"
#include "core/workspace/run/engines_apart.h"
#include "core/workspace/run/worker.h"
#include "core/workspace/watch/pass_process.h"

namespace {

std::vector<std::string> wordsOf(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c == '\t') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

[[noreturn]] void runCommand(std::vector<std::string> words, int errors) {
  setpgid(0, 0);
  CHECK(std::freopen("/dev/null", "r", stdin) != nullptr &&
        std::freopen("/dev/null", "w", stdout) != nullptr);
  dup2(errors, STDERR_FILENO);
  words[0] = "hilo";  // In place of the seconds.
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::exit(hilo::cli::runCommandLine(static_cast<int>(words.size()), arguments.data()));
}

// Whether the process ended within the time.
bool endsWithin(pid_t process, int seconds) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  CHECK(handle >= 0);
  pollfd ended{handle, POLLIN, 0};
  const bool inTime = poll(&ended, 1, seconds * 1000) == 1;
  close(handle);
  return inTime;
}

std::string statusOf(pid_t process, int seconds) {
  const bool inTime = endsWithin(process, seconds);
  if (!inTime) kill(-process, SIGKILL);
  int status = 0;
  CHECK(waitpid(process, &status, 0) == process);
  kill(-process, SIGKILL);  // What it started and left.
  if (!inTime) return "timeout";
  return std::to_string(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
}

std::string contentOf(int file) {
  std::string content(static_cast<size_t>(lseek(file, 0, SEEK_END)), '\0');
  const ssize_t got = content.empty() ? 0 : pread(file, content.data(), content.size(), 0);
  content.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return content;
}

void answer(const std::vector<std::string>& words) {
  const int errors = memfd_create("errors", MFD_CLOEXEC);
  CHECK(errors >= 0);
  const pid_t process = fork();
  CHECK(process >= 0);
  if (process == 0) runCommand(words, errors);
  const std::string status = statusOf(process, std::stoi(words[0])), said = contentOf(errors);
  close(errors);
  std::cout << status << ' ' << said.size() << '\n' << said << std::flush;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = hilo::serveIfWorker(argc, argv)) return *status;
  if (const auto status = hilo::serveEnginesIfAsked(argc, argv)) return *status;
  if (const auto status = hilo::servePassesIfAsked(argc, argv)) return *status;
  for (std::string line; std::getline(std::cin, line);) answer(wordsOf(line));
  return 0;
}
