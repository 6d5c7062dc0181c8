// Products that the library is given: batches in one dimension or several, between the others or not,
// whatever the order in memory.
#include <numeric>
#include <random>

#include "tests/unit/workspace/cpu_engine/same_bits.h"

namespace hilo {
namespace {

constexpr auto kDot = ThunkKind::Dot;

TEST(LibraryDots, OfAttentionWithHeadsBetweenOtherDimensions) {
  for (const char* type : {"f32", "bf16"}) {
    EXPECT_TRUE(expectTheSameBits(
        fmt::format(
            "HloModule m\nENTRY e {{\n q = f32[2,40,3,32] parameter(0)\n k = f32[2,48,3,32] parameter(1)\n"
            " cq = {0}[2,40,3,32] convert(q)\n ck = {0}[2,48,3,32] convert(k)\n"
            " ROOT s = f32[2,3,40,48] dot(cq, ck), lhs_batch_dims={{0,2}}, lhs_contracting_dims={{3}}, "
            "rhs_batch_dims={{0,2}}, rhs_contracting_dims={{3}}\n}}\n",
            type),
        kDot));
  }
}

TEST(LibraryDots, OfOneMatrixOrAVector) {
  const auto product = [](const char* lhs, const char* rhs, const char* result, const char* dims) {
    return fmt::format(
        "HloModule m\nENTRY e {{\n a = f32{} parameter(0)\n b = f32{} parameter(1)\n"
        " ROOT s = f32{} dot(a, b), {}\n}}\n",
        lhs, rhs, result, dims);
  };
  EXPECT_TRUE(expectTheSameBits(
      product("[64,96]", "[96,33]", "[64,33]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"), kDot));
  EXPECT_TRUE(expectTheSameBits(
      product("[96,400]", "[96]", "[400]", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"), kDot));
  EXPECT_TRUE(expectTheSameBits(product("[1,64,96]", "[33,1,96]", "[1,64,33]",
                                        "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, "
                                        "rhs_contracting_dims={2}"),
                                kDot));
}

// Each operand has its batch, rows and sum in any order, and any order in memory.
TEST(LibraryDots, OfBatchesInAnyOrderGiveTheEvaluatorsBits) {
  std::mt19937_64 random(1);
  const std::array<int64_t, 2> batch = {3, 4};
  int byLibrary = 0, tried = 0;
  for (; tried < 60 && !testing::Test::HasFailure(); ++tried) {
    std::string shapes[2], batches[2], sums[2];
    const bool transposed = random() % 2 == 0;
    for (const int side : {0, 1}) {
      const std::array<int64_t, 4> sizes = {batch[0], batch[1], side == 0 ? 24 : 40, 56};
      std::array<size_t, 4> order = {0, 1, 2, 3}, layout = {3, 2, 1, 0}, at{};
      std::ranges::shuffle(order, random);
      if (transposed) std::ranges::shuffle(layout, random);
      for (size_t d = 0; d < 4; ++d) at[order[d]] = d;
      shapes[side] = fmt::format("[{},{},{},{}]{{{}}}", sizes[order[0]], sizes[order[1]], sizes[order[2]],
                                 sizes[order[3]], fmt::join(layout, ","));
      batches[side] = fmt::format("{{{},{}}}", at[0], at[1]);
      sums[side] = fmt::format("{{{}}}", at[3]);
    }
    byLibrary += expectTheSameBits(
        fmt::format("HloModule m\nENTRY e {{\n a = f32{} parameter(0)\n b = f32{} parameter(1)\n"
                    " ROOT s = f32[3,4,24,40] dot(a, b), lhs_batch_dims={}, lhs_contracting_dims={}, "
                    "rhs_batch_dims={}, rhs_contracting_dims={}\n}}\n",
                    shapes[0], shapes[1], batches[0], sums[0], batches[1], sums[1]),
        kDot);
  }
  EXPECT_GT(byLibrary, tried / 6);
}

}  // namespace
}  // namespace hilo
