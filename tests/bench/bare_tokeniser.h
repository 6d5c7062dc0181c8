// The least work that finds the tokens of HLO text: where each one starts, and nothing about it. The
// yardstick that parsing is put against, so as fast as the bytes can be looked at: 64 at a time, one bit a
// byte, strings and comments stepped over. Finds what Lexer::next finds (the benchmark compares the counts)
// in text without bad bytes, lines that start with '#', and '+' in exponents.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/hlo/text/char_class.h"

namespace hilo {

class BareTokeniser {
 public:
  // Calls token(position) for every token, in order. `text` must be followed by a NUL.
  template <typename F>
  static void run(std::string_view text, F&& token) {
    const char* const end = text.data() + text.size();
    const char* p = text.data();
    Carry carry;
    while (p < end) {
      char padded[65];
      const char* bytes = p;
      if (end - p < 64) {
        std::memset(padded, ' ', sizeof(padded));
        std::memcpy(padded, p, static_cast<size_t>(end - p));
        bytes = padded;
      }
      const Masks masks = classify(bytes);
      uint64_t starts = tokenStarts(masks, bytes[64], carry);
      const int stop = std::countr_zero(masks.stops);
      if (stop < 64) starts &= (uint64_t{1} << stop) - 1;
      for (; starts != 0; starts &= starts - 1) token(p + std::countr_zero(starts));
      p += stop;
      if (stop == 64) continue;
      // What follows a string or a comment is classified afresh.
      carry = {};
      if (*p != '/') token(p);
      p = behindStop(p, end);
    }
  }

 private:
  // One bit a byte of a block of 64.
  struct Masks {
    uint64_t names = 0;  // of names, words and numbers; '%' is apart
    uint64_t spaces = 0, percents = 0, minuses = 0, greaters = 0, lesses = 0, equals = 0;
    uint64_t stops = 0;  // quotes and slashes
  };
  // What the block before ended in.
  struct Carry {
    uint64_t name = 0, minus = 0, less = 0;
  };

  static uint64_t tokenStarts(const Masks& masks, char next, Carry& carry) {
    // "->" and "<=" are one token; their first byte may have been the last of the block before.
    const uint64_t arrows = masks.minuses & (masks.greaters >> 1 | uint64_t{next == '>'} << 63);
    const uint64_t seconds = (masks.greaters & (masks.minuses << 1 | carry.minus)) |
                             (masks.equals & (masks.lesses << 1 | carry.less));
    const uint64_t runs = (masks.names & ~arrows) | masks.percents;
    const uint64_t others = ~(runs | masks.spaces | seconds);
    const uint64_t starts = (runs & ~(runs << 1 | carry.name)) | masks.percents | others;
    carry = {runs >> 63, masks.minuses >> 63, masks.lesses >> 63};
    return starts;
  }

  static Masks classify(const char* bytes) {
    Masks masks;
    for (int i = 0; i < 64; i += kStep) {
      const Masks part = classifyStep(bytes + i);
      masks.names |= part.names << i;
      masks.spaces |= part.spaces << i;
      masks.percents |= part.percents << i;
      masks.minuses |= part.minuses << i;
      masks.greaters |= part.greaters << i;
      masks.lesses |= part.lesses << i;
      masks.equals |= part.equals << i;
      masks.stops |= part.stops << i;
    }
    return masks;
  }

#ifdef __SSE2__
  static constexpr int kStep = 16;
  static Masks classifyStep(const char* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto bits = [](__m128i match) {
      return static_cast<uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(match)));
    };
    const auto equal = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const __m128i upToSpace = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes);
    return {nameBytes(bytes), bits(upToSpace),
            bits(equal('%')), bits(equal('-')),
            bits(equal('>')), bits(equal('<')),
            bits(equal('=')), bits(_mm_or_si128(_mm_or_si128(equal('"'), equal('\'')), equal('/')))};
  }
#else
  static constexpr int kStep = 1;
  static Masks classifyStep(const char* p) {
    const char c = *p;
    return {hasClass(c, kCharName),
            hasClass(c, kCharSpace),
            c == '%',
            c == '-',
            c == '>',
            c == '<',
            c == '=',
            c == '"' || c == '\'' || c == '/'};
  }
#endif

  // Behind the string or comment that starts at `p`.
  static const char* behindStop(const char* p, const char* end) {
    const std::string_view rest(p, static_cast<size_t>(end - p));
    size_t length = 1;
    if (rest.starts_with("/*")) {
      length = rest.find("*/");
      if (length != rest.npos) length += 2;
    } else if (rest.starts_with("//")) {
      length = rest.find('\n');
    } else if (rest[0] != '/') {
      do length = rest.find(rest[0], length) + 1;
      while (length != 0 && isEscaped(rest, length - 1));
      if (length == 0) length = rest.npos;
    }
    return length == rest.npos ? end : p + length;
  }

  static bool isEscaped(std::string_view text, size_t at) {
    size_t backslashes = 0;
    while (text[at - 1 - backslashes] == '\\') ++backslashes;
    return backslashes % 2 == 1;
  }
};

}  // namespace hilo
