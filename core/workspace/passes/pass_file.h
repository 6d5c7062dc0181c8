// Passes with their settings as a file: one a line as passText writes it, in the order they run; "#" begins a
// comment, empty lines mean nothing. The studio saves and opens them, `hilo opt --passes @FILE` runs them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hilo {

// Error kinds: "bad-pass-list", those of configuredPass, each with file and line; "no-passes".
Result<std::vector<std::string>> parsePassFile(std::string_view text, const std::string& file);
// The same of what the file holds; also the errors of reading it.
Result<std::vector<std::string>> readPassFile(const std::string& path);

std::string passFileText(std::span<const std::string> passes);

}  // namespace hilo
