// A program run to its end, with what it said.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace hilo {

struct ProcessOutput {
  int exitCode = 0;  // 128 and the signal's number where one ended it
  std::string text;  // standard output and error together, as they came; 16 MiB at most
};

// words[0] is the program's path. Standard input is empty. The program is killed when it takes longer than
// `longest` or the text grows past its bound. Error kinds: "cannot-start", "took-too-long", "too-large".
Result<ProcessOutput> runProcess(const std::vector<std::string>& words, std::chrono::milliseconds longest);

}  // namespace hilo
