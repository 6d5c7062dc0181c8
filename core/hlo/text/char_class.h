// What each byte may be in HLO text, as one table look-up.
#pragma once

#include <array>
#include <cstdint>

namespace hilo {

enum CharClass : uint8_t {
  kCharSpace = 1,      // space, tab, newline, carriage return
  kCharName = 2,       // [a-zA-Z0-9_.-]: what a name or keyword is made of
  kCharNameStart = 4,  // [a-zA-Z_]
  kCharDigit = 8,      // [0-9]
  kCharTrivia = 16,    // may start what a lexer skips: space, '/' and '#'
};

inline constexpr std::array<uint8_t, 256> kCharClass = [] {
  std::array<uint8_t, 256> table{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') table[c] |= kCharSpace | kCharTrivia;
    if (c == '/' || c == '#') table[c] |= kCharTrivia;
    if (letter) table[c] |= kCharNameStart;
    if (digit) table[c] |= kCharDigit;
    if (letter || digit || c == '.' || c == '-') table[c] |= kCharName;
  }
  return table;
}();

inline bool hasClass(char c, uint8_t classes) {
  return (kCharClass[static_cast<unsigned char>(c)] & classes) != 0;
}

}  // namespace hilo
