// A program that was started with a line to it as its standard input and output.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/runtime/apart/byte_line.h"

namespace hilo {

class LineProcess {
 public:
  // Kind "no-worker" where it cannot be started. The first word is looked for along PATH.
  static Result<std::unique_ptr<LineProcess>> start(std::vector<std::string> command);
  // Ends it, at once.
  ~LineProcess();
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  ByteLine& line() { return line_; }
  // How it ended, once the line was lost: "ended by a signal: Segmentation fault", and the last lines that it
  // wrote to its standard error. Ends it where it still runs.
  struct End {
    bool bySignal = false;
    std::string how;
    std::vector<std::string> lastLines;
  };
  End end();

 private:
  LineProcess(pid_t pid, FileDescriptor in, FileDescriptor out, FileDescriptor errors)
      : pid_(pid), line_(std::move(in), std::move(out)), errors_(std::move(errors)) {}

  pid_t pid_;
  ByteLine line_;
  FileDescriptor errors_;  // a file in memory
};

}  // namespace hilo
