// C escapes of quoted strings, as XLA prints and reads them (absl::CEscape and CUnescape).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hilo {

// Appends `text` with \n \r \t \" \' \\ escaped and every other byte outside 0x20..0x7e as
// three octal digits.
void appendEscaped(std::string& out, std::string_view text);

// The bytes an escaped string stands for: \n and its like, octal, \x.., \u.... and \U........ (as UTF-8).
// nullopt on an escape that means nothing.
std::optional<std::string> unescape(std::string_view escaped);

}  // namespace hilo
