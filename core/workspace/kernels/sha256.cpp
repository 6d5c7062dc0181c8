#include "core/workspace/kernels/sha256.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace hilo {
namespace {

using State = std::array<uint32_t, 8>;

// The first 32 bits of the fractions of square roots of the first primes, and of their cube roots.
struct Constants {
  State start;
  std::array<uint32_t, 64> rounds;
};

// floor(2^32 * fraction of prime^(1/root)), by whole numbers: the largest n with n^root <= prime
// * 2^(32 * root).
uint32_t fractionOfRoot(uint64_t prime, int root) {
  unsigned __int128 low = 0, high = (unsigned __int128){1} << 36;
  const auto isTooLarge = [&](unsigned __int128 n) {
    // n has up to 37 bits: its cube fits, and 2^96 * prime too.
    return root == 2 ? n * n > ((unsigned __int128){prime} << 64)
                     : n * n * n > ((unsigned __int128){prime} << 96);
  };
  while (low + 1 < high) {
    const unsigned __int128 middle = (low + high) / 2;
    (isTooLarge(middle) ? high : low) = middle;
  }
  return static_cast<uint32_t>(low);
}

const Constants& constants() {
  static const Constants made = [] {
    Constants all{};
    size_t found = 0;
    for (uint64_t n = 2; found < 64; ++n) {
      bool isPrime = true;
      for (uint64_t d = 2; d * d <= n; ++d) isPrime &= n % d != 0;
      if (!isPrime) continue;
      if (found < 8) all.start[found] = fractionOfRoot(n, 2);
      all.rounds[found++] = fractionOfRoot(n, 3);
    }
    return all;
  }();
  return made;
}

uint32_t bigEndian(const unsigned char* at) {
  return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3];
}

void addBlock(State& state, const unsigned char* block) {
  std::array<uint32_t, 64> w;
  for (size_t t = 0; t < 16; ++t) w[t] = bigEndian(block + 4 * t);
  for (size_t t = 16; t < 64; ++t) {
    const uint32_t a = w[t - 15], b = w[t - 2];
    w[t] = w[t - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[t - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  State s = state;
  for (size_t t = 0; t < 64; ++t) {
    const uint32_t sum1 = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
    const uint32_t first = s[7] + sum1 + ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants().rounds[t] + w[t];
    const uint32_t sum0 = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
    const uint32_t second = sum0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    s = {first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
  }
  for (size_t n = 0; n < 8; ++n) state[n] += s[n];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  State state = constants().start;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t at = 0;
  for (; at + 64 <= bytes.size(); at += 64) addBlock(state, data + at);
  // What is left, a bit, and the length in bits at the end of a block.
  unsigned char last[128] = {};
  const size_t left = bytes.size() - at;
  if (left > 0) std::memcpy(last, data + at, left);
  last[left] = 0x80;
  const size_t size = left + 9 <= 64 ? 64 : 128;
  const uint64_t bits = uint64_t{bytes.size()} * 8;
  for (size_t n = 0; n < 8; ++n) last[size - 1 - n] = static_cast<unsigned char>(bits >> (8 * n));
  for (size_t n = 0; n < size; n += 64) addBlock(state, last + n);
  std::string hash;
  for (const uint32_t word : state) {
    for (int shift = 24; shift >= 0; shift -= 8) hash += static_cast<char>(word >> shift);
  }
  return hash;
}

}  // namespace hilo
