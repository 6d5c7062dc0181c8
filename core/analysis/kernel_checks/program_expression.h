// Numbers of a kernel program that depend on the turn of a loop: `i % 2`, `1 - i / 2 % 2`, `(i + 1) * 8`.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hilo {

// + - * / % and parentheses, on whole numbers, by the names in `values`. Kind "kernel-program".
Result<int64_t> programExpression(std::string_view text, const std::map<std::string, int64_t>& values);

}  // namespace hilo
