// Counter-based generators (Salmon et al., Parallel random numbers: as easy as 1, 2, 3; SC 2011).
#include <bit>

#include "core/compiler/codegen/emit/scalars/scalars.h"

uint64_t hilo_threefry(uint64_t counter, uint64_t key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  const uint32_t schedule[3] = {k0, k1, k0 ^ k1 ^ 0x1bd11bdau};
  uint32_t a = static_cast<uint32_t>(counter) + k0, b = static_cast<uint32_t>(counter >> 32) + k1;
#pragma unroll
  for (uint32_t block = 0; block < 5; ++block) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      a += b;
      b = std::rotl(b, kRotations[block % 2][i]) ^ a;
    }
    a += schedule[(block + 1) % 3];
    b += schedule[(block + 2) % 3] + block + 1;
  }
  return a | static_cast<uint64_t>(b) << 32;
}

uint64_t hilo_philox(uint64_t counterLow, uint64_t counterHigh, uint64_t key, int32_t half) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  uint32_t c0 = static_cast<uint32_t>(counterLow), c1 = static_cast<uint32_t>(counterLow >> 32),
           c2 = static_cast<uint32_t>(counterHigh), c3 = static_cast<uint32_t>(counterHigh >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{c0} * 0xd2511f53u, b = uint64_t{c2} * 0xcd9e8d57u;
    c0 = static_cast<uint32_t>(b >> 32) ^ c1 ^ k0;
    c1 = static_cast<uint32_t>(b);
    c2 = static_cast<uint32_t>(a >> 32) ^ c3 ^ k1;
    c3 = static_cast<uint32_t>(a);
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return half == 0 ? c0 | static_cast<uint64_t>(c1) << 32 : c2 | static_cast<uint64_t>(c3) << 32;
}
