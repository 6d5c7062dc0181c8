// A program started, fed and waited for. Private to the room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"

namespace hilo {

struct ChildEnd {
  int exitCode = -1;   // -1: a signal ended it
  int signal = 0;      // 0: it exited
  std::string errors;  // what it wrote to standard error: the last 16 KiB
  bool crashed() const { return signal != 0; }
};

// Runs words[0], found as the shell finds it, with `input` as its standard input; its output goes nowhere.
// Ends it when cancelled. Kinds: "no-worker" where it cannot be started, "cancelled".
Result<ChildEnd> runChild(std::vector<std::string> words, std::string_view input, const CancelToken& cancel);

// "SIGSEGV"
std::string signalText(int signal);

}  // namespace hilo
