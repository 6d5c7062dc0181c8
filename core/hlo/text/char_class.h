// What each byte may be in HLO text, as one table look-up, and the two scans over many bytes: to the end of a
// name, and to the next of a few bytes. Both go sixteen bytes at a time where the processor can.
#pragma once

#include <array>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

#ifdef __SSE2__
// One bit a byte: set where the byte is a name's, as kCharName says.
inline unsigned nameBytes(__m128i bytes) {
  const auto between = [](__m128i x, char low, char high) {
    const __m128i fromLow = _mm_sub_epi8(x, _mm_set1_epi8(low));
    return _mm_cmpeq_epi8(_mm_min_epu8(fromLow, _mm_set1_epi8(static_cast<char>(high - low))), fromLow);
  };
  const __m128i letters = between(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z');
  const __m128i minusToNine = between(bytes, '-', '9');  // - . / and the digits
  const __m128i slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/'));
  const __m128i underscore = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_'));
  return static_cast<unsigned>(_mm_movemask_epi8(
      _mm_or_si128(_mm_or_si128(letters, underscore), _mm_andnot_si128(slash, minusToNine))));
}
#endif

// The first byte at or after `p` that is no name's. `end` is the end of the text, where a NUL stands. Sixteen
// bytes at a time: names are a third of a module's text, and byte by byte they took a tenth of a parse.
inline const char* nameEnd(const char* p, [[maybe_unused]] const char* end) {
#ifdef __SSE2__
  while (end - p >= 16) {
    const unsigned others = 0xffff & ~nameBytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    if (others != 0) return p + __builtin_ctz(others);
    p += 16;
  }
#endif
  while (hasClass(*p, kCharName)) ++p;
  return p;
}

// The first byte at or after `p` that is one of the three, or `end`.
inline const char* findAny(const char* p, const char* end, char a, char b, char c) {
#ifdef __SSE2__
  while (end - p >= 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto equal = [&](char x) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(x)); };
    const int found = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(equal(a), equal(b)), equal(c)));
    if (found != 0) return p + __builtin_ctz(static_cast<unsigned>(found));
    p += 16;
  }
#endif
  while (p != end && *p != a && *p != b && *p != c) ++p;
  return p;
}

}  // namespace hilo
