// Small appends that the printers share. Internal to hlo/text.
#pragma once

#include <charconv>
#include <span>
#include <string>
#include <string_view>

namespace hilo {

inline void appendInt(std::string& out, int64_t value) {
  char digits[24];
  const auto [end, status] = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, static_cast<size_t>(end - digits));
}

inline void appendIntList(std::string& out, std::span<const int64_t> values, std::string_view separator) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += separator;
    appendInt(out, values[i]);
  }
}

// "{0,1}".
inline void appendBraced(std::string& out, std::span<const int64_t> values) {
  out += '{';
  appendIntList(out, values, ",");
  out += '}';
}

// "{{0,1},{2}}".
inline void appendIntLists(std::string& out, std::span<const std::span<const int64_t>> lists) {
  out += '{';
  for (size_t i = 0; i < lists.size(); ++i) {
    if (i != 0) out += ',';
    appendBraced(out, lists[i]);
  }
  out += '}';
}

// "/*index=5*/".
inline void appendIndexComment(std::string& out, size_t index) {
  out += "/*index=";
  appendInt(out, static_cast<int64_t>(index));
  out += "*/";
}

// Six significant digits, as XLA prints an attribute's float.
inline void appendShortFloat(std::string& out, double value) {
  char digits[40];
  const auto [end, status] =
      std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::general, 6);
  out.append(digits, static_cast<size_t>(end - digits));
}

// Whether the text is one {...}, its braces balanced outside strings: what XLA prints without quotes.
bool isJsonObject(std::string_view text);

}  // namespace hilo
