// A program that is given all of its input at once, and whose output is taken as it comes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"

namespace hilo {

// Gives the exit status. `take` gets the output, part by part; what it refuses ends the program.
// `lastLines`: of its standard error. Kinds: "no-worker", "cancelled", "line-lost" where a signal ended the
// program, and those of `take`.
Result<int> runStream(std::vector<std::string> command, std::string_view input,
                      const std::function<Status(std::span<const std::byte>)>& take,
                      const CancelToken& cancel, std::vector<std::string>* lastLines = nullptr);

}  // namespace hilo
