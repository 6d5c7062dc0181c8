#include "core/hlo/text/log_prefix.h"

#include <algorithm>

#include "core/hlo/text/char_class.h"

namespace hilo {
namespace {

constexpr size_t kLongestPrefix = 256;

// Whether `line` starts as `pattern` says: 'd' is a digit, 'S' a severity letter, anything else itself.
bool startsLike(std::string_view line, std::string_view pattern) {
  if (line.size() < pattern.size()) return false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = line[i];
    const bool fits = pattern[i] == 'd'   ? hasClass(c, kCharDigit)
                      : pattern[i] == 'S' ? c == 'I' || c == 'W' || c == 'E' || c == 'F'
                                          : c == pattern[i];
    if (!fits) return false;
  }
  return true;
}

// The length of the prefix of `line`, its "] " included; 0 when there is none.
size_t prefixLength(std::string_view line) {
  line = line.substr(0, kLongestPrefix);
  if (!startsLike(line, "Sdddd dd:dd:") && !startsLike(line, "dddd-dd-dd dd:dd:")) return 0;
  const size_t close = line.find("] ");
  if (close != line.npos) return close + 2;
  // An empty line of the text: the logger's bracket is the last thing on it.
  return line.ends_with(']') ? line.size() : 0;
}

}  // namespace

bool hasLogPrefixes(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == text.npos) return false;
  const std::string_view rest = text.substr(start, 4 * kLongestPrefix);
  return prefixLength(rest.substr(0, rest.find('\n'))) != 0;
}

std::string withoutLogPrefixes(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const size_t prefix = prefixLength(line);
    // An empty line stays empty.
    if (prefix < line.size()) result.append(prefix, ' ').append(line.substr(prefix));
    if (end < text.size()) result += '\n';
    at = end + 1;
  }
  return result;
}

}  // namespace hilo
