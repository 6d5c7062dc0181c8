// Hash and comparison of short texts: names, keywords, spellings of shapes. Inline and without a call of
// memcmp, which costs more than the few words there are to compare: with them the look-ups of a parse take a
// third of the instructions that absl's and the standard library's hash took. Salted with an address, so that
// a file cannot be written to make its names collide; the numbers are no format, and differ between runs.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace hilo {
namespace text_hash_detail {

inline uint64_t loadWord(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

// The bytes of a text shorter than eight as one number; another number for another text of that size.
inline uint64_t shortWord(std::string_view text) {
  if (text.size() >= 4) {
    uint32_t head, tail;
    std::memcpy(&head, text.data(), 4);
    std::memcpy(&tail, text.data() + text.size() - 4, 4);
    return head | uint64_t{tail} << 32;
  }
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  return static_cast<uint64_t>(byte(0) | byte(text.size() / 2) << 8 | byte(text.size() - 1) << 16);
}

// Both halves of the product: names differ in their last bytes, which only its upper half depends on.
inline uint64_t mix(uint64_t a) {
  const auto product = static_cast<unsigned __int128>(a) * 0x9e3779b97f4a7c15ull;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline constexpr char kSalt = 0;

}  // namespace text_hash_detail

inline uint64_t textHash(std::string_view text) {
  using namespace text_hash_detail;
  uint64_t hash = reinterpret_cast<uintptr_t>(&kSalt) ^ text.size() << 56;
  if (text.size() < 8) return mix(hash ^ shortWord(text));
  for (size_t i = 0; i + 8 < text.size(); i += 8) hash = mix(hash ^ loadWord(text.data() + i));
  return mix(hash ^ loadWord(text.data() + text.size() - 8));
}

inline bool sameText(std::string_view a, std::string_view b) {
  using namespace text_hash_detail;
  if (a.size() != b.size()) return false;
  if (a.size() < 8) return shortWord(a) == shortWord(b);
  for (size_t i = 0; i + 8 < a.size(); i += 8) {
    if (loadWord(a.data() + i) != loadWord(b.data() + i)) return false;
  }
  return loadWord(a.data() + a.size() - 8) == loadWord(b.data() + b.size() - 8);
}

// For hash maps keyed by texts.
struct TextHash {
  size_t operator()(std::string_view text) const { return textHash(text); }
};
struct TextEqual {
  bool operator()(std::string_view a, std::string_view b) const { return sameText(a, b); }
};

}  // namespace hilo
