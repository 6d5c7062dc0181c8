#include "core/hlo/proto/gzip.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(Gzip, InflatesWhatItDeflated) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += fmt::format("line {}\n", i * 7919);
  const std::string packed = deflateGzip(text);
  ASSERT_TRUE(isGzip(packed));
  const auto inflated = inflateGzip(packed);
  ASSERT_TRUE(inflated) << toString(inflated.error());
  EXPECT_EQ(*inflated, text);
}

TEST(Gzip, InflatesSeveralMembersAndIgnoresPadding) {
  const auto inflated = inflateGzip(deflateGzip("one ") + deflateGzip("two") + std::string(16, '\0'));
  ASSERT_TRUE(inflated) << toString(inflated.error());
  EXPECT_EQ(*inflated, "one two");
}

TEST(Gzip, EmptyMember) {
  const auto inflated = inflateGzip(deflateGzip(""));
  ASSERT_TRUE(inflated);
  EXPECT_EQ(*inflated, "");
}

TEST(Gzip, RefusesABomb) {
  const std::string bomb = deflateGzip(std::string(size_t{80} << 20, 'a'));
  ASSERT_LT(bomb.size(), 100'000u);
  const auto inflated = inflateGzip(bomb);
  ASSERT_FALSE(inflated);
  EXPECT_EQ(inflated.error().kind, "gzip-too-large");
}

TEST(Gzip, CapHoldsOverAllMembers) {
  const InflateLimits limits{.maxBytes = 1000};
  const std::string member = deflateGzip(std::string(600, 'x'));
  EXPECT_TRUE(inflateGzip(member, limits));
  const auto inflated = inflateGzip(member + member, limits);
  ASSERT_FALSE(inflated);
  EXPECT_EQ(inflated.error().kind, "gzip-too-large");
}

TEST(Gzip, TruncatedAndCorruptAreToldApart) {
  std::string packed = deflateGzip("some text that is long enough to be cut in the middle of it");
  const auto truncated = inflateGzip(std::string_view(packed).substr(0, packed.size() / 2));
  ASSERT_FALSE(truncated);
  EXPECT_EQ(truncated.error().kind, "gzip-truncated");
  packed[packed.size() - 6] ^= 0x55;  // the checksum
  const auto corrupt = inflateGzip(packed);
  ASSERT_FALSE(corrupt);
  EXPECT_EQ(corrupt.error().kind, "gzip-corrupt");
}

}  // namespace
}  // namespace hilo
