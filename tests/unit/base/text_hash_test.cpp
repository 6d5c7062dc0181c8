#include "core/base/text_hash.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(TextHash, TextsAreTheSameByTheirBytes) {
  const std::string_view text = "abcdefghijklmnopqrstuvwxyz";
  for (size_t size = 0; size <= text.size(); ++size) {
    const std::string copy(text.substr(0, size));
    EXPECT_TRUE(sameText(text.substr(0, size), copy)) << size;
    EXPECT_EQ(textHash(text.substr(0, size)), textHash(copy)) << size;
    for (size_t i = 0; i < size; ++i) {
      std::string other = copy;
      other[i] ^= 1;
      EXPECT_FALSE(sameText(copy, other)) << size << " at " << i;
      EXPECT_NE(textHash(copy), textHash(other)) << size << " at " << i;
    }
  }
}

TEST(TextHash, TextsOfZeroBytesDifferByTheirLength) {
  absl::flat_hash_set<uint64_t> hashes;
  for (size_t size = 0; size < 40; ++size) hashes.insert(textHash(std::string(size, '\0')));
  EXPECT_EQ(hashes.size(), 40u);
}

// Names that differ in their last digits alone must not share the low bits, which choose the place
// in a table.
TEST(TextHash, NumberedNamesSpreadOverTheLowBits) {
  for (const char* base : {"add", "copy", "broadcast", "params__transformer__kernel"}) {
    absl::flat_hash_set<uint64_t> low;
    for (int i = 1000; i < 9192; ++i) low.insert(textHash(fmt::format("{}.{}", base, i)) & 0xffff);
    // 8,192 random values of 65,536 hit 7,701 different ones on average.
    EXPECT_GT(low.size(), 7'000u) << base;
  }
}

}  // namespace
}  // namespace hilo
