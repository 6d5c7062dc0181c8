#include "core/hlo/text/escape.h"

#include <array>
#include <cstdint>

namespace hilo {
namespace {

constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> table{};
  for (int c = 0x20; c < 0x7f; ++c) table[c] = c != '"' && c != '\'' && c != '\\';
  return table;
}();

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool appendUtf8(std::string& out, uint32_t code) {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
  return true;
}

char simpleEscape(char c) {
  switch (c) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case '\\':
    case '?':
    case '\'':
    case '"':
      return c;
    default:
      return '\0';
  }
}

// Reads up to `limit` digits of `base` (8 or 16) at `at`; moves `at` past them.
uint32_t readDigits(std::string_view text, size_t& at, int base, size_t limit, size_t* count) {
  uint32_t value = 0;
  *count = 0;
  while (*count < limit && at < text.size()) {
    const int digit = hexDigit(text[at]);
    if (digit < 0 || digit >= base) break;
    value = value * static_cast<uint32_t>(base) + static_cast<uint32_t>(digit);
    ++at;
    ++*count;
  }
  return value;
}

// One escape; `at` points after its backslash and is moved past it.
bool unescapeOne(std::string_view text, size_t& at, std::string& out) {
  if (at == text.size()) return false;
  const char c = text[at];
  size_t count = 0;
  if (c >= '0' && c <= '7') {
    const uint32_t value = readDigits(text, at, 8, 3, &count);
    out += static_cast<char>(value);
    return value <= 0xff;
  }
  if (c == 'x' || c == 'X') {
    ++at;
    const uint32_t value = readDigits(text, at, 16, 8, &count);
    out += static_cast<char>(value);
    return count > 0 && value <= 0xff;
  }
  if (c == 'u' || c == 'U') {
    ++at;
    const size_t wanted = c == 'u' ? 4 : 8;
    const uint32_t code = readDigits(text, at, 16, wanted, &count);
    return count == wanted && appendUtf8(out, code);
  }
  const char plain = simpleEscape(c);
  if (plain == '\0') return false;
  out += plain;
  ++at;
  return true;
}

}  // namespace

void appendEscaped(std::string& out, std::string_view text) {
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (kPlain[c]) continue;
    out.append(text, start, i - start);
    start = i + 1;
    out += '\\';
    switch (c) {
      case '\n':
        out += 'n';
        break;
      case '\r':
        out += 'r';
        break;
      case '\t':
        out += 't';
        break;
      case '"':
      case '\'':
      case '\\':
        out += static_cast<char>(c);
        break;
      default:
        out += static_cast<char>('0' + (c >> 6));
        out += static_cast<char>('0' + ((c >> 3) & 7));
        out += static_cast<char>('0' + (c & 7));
    }
  }
  out.append(text, start, text.size() - start);
}

std::optional<std::string> unescape(std::string_view escaped) {
  std::string out;
  out.reserve(escaped.size());
  for (size_t at = 0; at < escaped.size();) {
    if (escaped[at] != '\\') {
      out += escaped[at++];
      continue;
    }
    ++at;
    if (!unescapeOne(escaped, at, out)) return std::nullopt;
  }
  return out;
}

}  // namespace hilo
