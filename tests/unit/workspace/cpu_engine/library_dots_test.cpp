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

TEST(LibraryDots, OfOneMatrix) {
  const auto product = [](const char* lhs, const char* rhs, const char* result, const char* dims) {
    return fmt::format(
        "HloModule m\nENTRY e {{\n a = f32{} parameter(0)\n b = f32{} parameter(1)\n"
        " ROOT s = f32{} dot(a, b), {}\n}}\n",
        lhs, rhs, result, dims);
  };
  EXPECT_TRUE(expectTheSameBits(
      product("[128,96]", "[33,96]", "[128,33]", "lhs_contracting_dims={1}, rhs_contracting_dims={1}"),
      kDot));
  EXPECT_TRUE(expectTheSameBits(product("[1,64,96]", "[33,1,96]", "[1,64,33]",
                                        "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, "
                                        "rhs_contracting_dims={2}"),
                                kDot));
}

// The right side is brought into the library's order first, a stripe of columns at a time.
TEST(LibraryDots, OfLargeMatrices) {
  for (const char* layout : {"1,0", "0,1"}) {
    EXPECT_TRUE(
        expectTheSameBits(fmt::format("HloModule m\nENTRY e {{\n a = f32[800,510] parameter(0)\n"
                                      " b = f32[510,2200]{{{}}} parameter(1)\n ROOT s = f32[800,2200] dot(a, "
                                      "b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n}}\n",
                                      layout),
                          kDot));
  }
}

TEST(LibraryDots, OfRowsThatDoNotLieInOneLine) {
  const auto product = [](const char* layout, const char* resultLayout) {
    return fmt::format(
        "HloModule m\nENTRY e {{\n a = f32[5,140,72]{{{}}} parameter(0)\n b = f32[48,72] parameter(1)\n"
        " ROOT s = f32[5,140,48]{{{}}} dot(a, b), lhs_contracting_dims={{2}}, "
        "rhs_contracting_dims={{1}}\n}}\n",
        layout, resultLayout);
  };
  EXPECT_TRUE(expectTheSameBits(product("1,2,0", "2,1,0"), kDot));
  EXPECT_TRUE(expectTheSameBits(product("1,2,0", "1,2,0"), kDot));
  EXPECT_TRUE(expectTheSameBits(product("2,0,1", "2,1,0"), kDot));
}

class RandomDot {
 public:
  explicit RandomDot(uint64_t seed) : random_(seed) {}

  // Dimensions in any order, often in any order in memory too; where each went.
  std::pair<std::string, std::vector<size_t>> shuffled(std::vector<int64_t> sizes) {
    std::vector<size_t> order(sizes.size()), at(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random_);
    std::vector<int64_t> shown;
    for (size_t d = 0; d < order.size(); ++d) {
      at[order[d]] = d;
      shown.push_back(sizes[order[d]]);
    }
    return {fmt::format("[{}]{}", fmt::join(shown, ","), layout(sizes.size())), at};
  }
  std::string layout(size_t rank) {
    std::vector<size_t> layout(rank);
    std::iota(layout.rbegin(), layout.rend(), 0);
    if (random_() % 2 == 0) std::ranges::shuffle(layout, random_);
    return fmt::format("{{{}}}", fmt::join(layout, ","));
  }
  std::string text() {
    const auto [lhs, l] = shuffled({3, 4, 5, 24, 8, 7});  // two of batch, rows, sum each
    const auto [rhs, r] = shuffled({3, 4, 40, 8, 7});
    const size_t rows = l[2] < l[3] ? 0 : 1;
    return fmt::format(
        "HloModule m\nENTRY e {{\n a = f32{} parameter(0)\n b = f32{} parameter(1)\n"
        " ROOT s = f32[3,4,{},{},40]{} dot(a, b), lhs_batch_dims={{{},{}}}, lhs_contracting_dims={{{},{}}}, "
        "rhs_batch_dims={{{},{}}}, rhs_contracting_dims={{{},{}}}\n}}\n",
        lhs, rhs, rows == 0 ? 5 : 24, rows == 0 ? 24 : 5, layout(5), l[0], l[1], l[4], l[5], r[0], r[1], r[3],
        r[4]);
  }

 private:
  std::mt19937_64 random_;
};

TEST(LibraryDots, InAnyOrderGiveTheEvaluatorsBits) {
  int byLibrary = 0, tried = 0;
  for (; tried < 60 && !testing::Test::HasFailure(); ++tried)
    byLibrary += expectTheSameBits(RandomDot(static_cast<uint64_t>(tried)).text(), kDot);
  EXPECT_GT(byLibrary, 0);
  EXPECT_LT(byLibrary, tried);  // others are loops of our own
}

}  // namespace
}  // namespace hilo
