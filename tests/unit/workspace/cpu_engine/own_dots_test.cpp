// Products that kernels of our own do: tiles of every element type, about the edges of tiles, panels and
// chunks, and matrices by vectors. Elements are small integers, so that every sum is exact.
#include "tests/unit/workspace/cpu_engine/same_bits.h"

namespace hilo {
namespace {

constexpr auto kKernel = ThunkKind::Kernel;

struct Sizes {
  int64_t m, n, k;
};

// [m,k] by [k,n] of `type`, summed to `made`; either side may lie the other way round.
std::string product(const Sizes& s, std::string_view type, std::string_view made, bool turnsLhs = false,
                    bool turnsRhs = false) {
  const auto order = [](bool turns) { return turns ? "{0,1}" : "{1,0}"; };
  return fmt::format(
      "HloModule m\nENTRY e {{\n a = f32[{0},{2}]{5} parameter(0)\n b = f32[{2},{1}]{6} parameter(1)\n"
      " ta = {3}[{0},{2}]{5} convert(a)\n tb = {3}[{2},{1}]{6} convert(b)\n"
      " y = {4}[{0},{1}] dot(ta, tb), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
      " ROOT r = f32[{0},{1}] convert(y)\n}}\n",
      s.m, s.n, s.k, type, made, order(turnsLhs), order(turnsRhs));
}

TEST(OwnDots, OfEveryTypeGiveTheEvaluatorsBits) {
  const std::pair<const char*, const char*> types[] = {
      {"f64", "f64"}, {"s32", "s32"}, {"u32", "u32"}, {"s64", "s64"},       {"s8", "s32"},
      {"s16", "s16"}, {"f16", "f16"}, {"f16", "f32"}, {"f8e5m2", "f8e5m2"}, {"bf16", "f64"}};
  for (const auto& [type, made] : types) {
    for (const Sizes& sizes : {Sizes{15, 37, 9}, Sizes{33, 70, 40}, Sizes{130, 20, 31}})
      EXPECT_TRUE(expectTheSameBits(product(sizes, type, made), kKernel)) << type;
  }
}

TEST(OwnDots, AboutTheEdgesOfTilesAndChunks) {
  for (const int64_t m : {1, 14, 29}) {
    for (const int64_t n : {1, 16, 33}) {
      for (const int64_t k : {8, 257})
        EXPECT_TRUE(expectTheSameBits(product({m, n, k}, "f64", "f64"), kKernel));
    }
  }
}

// Past what near caches hold: both sides and the sums are kept in room of their own, in pieces.
TEST(OwnDots, InPieces) {
  for (const bool turnsLhs : {false, true}) {
    for (const bool turnsRhs : {false, true}) {
      for (const char* type : {"f64", "f16"})
        EXPECT_TRUE(expectTheSameBits(product({131, 530, 300}, type, type, turnsLhs, turnsRhs), kKernel))
            << type;
    }
  }
}

// Of f32, where a thread's cache holds both sides; the widest panels are those of few rows.
TEST(OwnDots, OfSidesReadInPlace) {
  for (const Sizes& sizes :
       {Sizes{100, 100, 100}, Sizes{3, 300, 200}, Sizes{9, 290, 64}, Sizes{513, 33, 70}}) {
    EXPECT_TRUE(expectTheSameBits(product(sizes, "f32", "f32"), kKernel));
    EXPECT_TRUE(expectTheSameBits(product(sizes, "f32", "f32"), kKernel, "haswell"));
  }
}

// A right side that no thread's cache holds is read once, as it lies.
TEST(OwnDots, OfFewRowsByALargeMatrix) {
  for (const Sizes& sizes : {Sizes{2, 1100, 530}, Sizes{5, 700, 600}})
    EXPECT_TRUE(expectTheSameBits(product(sizes, "f32", "f32"), kKernel));
  // One tile where there are 32 vector registers; the library's where there are 16.
  expectTheSameBits(product({14, 530, 601}, "f32", "f32"), kKernel);
  EXPECT_TRUE(expectTheSameBits(product({5, 700, 600}, "f32", "f32"), kKernel, "haswell"));
}

TEST(OwnDots, OfAMatrixAndAVector) {
  for (const char* type : {"f32", "f64", "s32"}) {
    for (const bool turns : {false, true}) {
      EXPECT_TRUE(expectTheSameBits(product({1, 531, 77}, type, type, false, turns), kKernel))
          << type << turns;
      EXPECT_TRUE(expectTheSameBits(product({1, 531, 1003}, type, type, false, turns), kKernel))
          << type << turns;
      EXPECT_TRUE(expectTheSameBits(product({1, 2070, 1003}, type, type, false, turns), kKernel))
          << type << turns;
      EXPECT_TRUE(expectTheSameBits(product({531, 1, 77}, type, type, turns, false), kKernel))
          << type << turns;
      EXPECT_TRUE(expectTheSameBits(product({2070, 1, 19}, type, type, turns, false), kKernel))
          << type << turns;
    }
  }
}

TEST(OwnDots, ForAProcessorOfNarrowerVectors) {
  for (const char* type : {"f64", "s32", "f16"}) {
    for (const Sizes& sizes : {Sizes{33, 70, 40}, Sizes{131, 300, 300}, Sizes{531, 1, 77}})
      EXPECT_TRUE(expectTheSameBits(product(sizes, type, type), kKernel, "haswell")) << type;
  }
}

TEST(OwnDots, OfNothing) {
  for (const bool turns : {false, true}) {
    for (const Sizes& sizes : {Sizes{0, 1, 16}, Sizes{1, 0, 16}, Sizes{20, 1, 0}, Sizes{20, 30, 0}})
      expectTheSameBits(product(sizes, "f64", "f64", turns, turns), kKernel);
  }
}

TEST(OwnDots, OfManyMatrices) {
  for (const char* type : {"f32", "f64"}) {
    EXPECT_TRUE(expectTheSameBits(
        fmt::format(
            "HloModule m\nENTRY e {{\n a = f32[3,2,40,33] parameter(0)\n b = f32[3,33,2,35] parameter(1)\n"
            " ta = {0}[3,2,40,33] convert(a)\n tb = {0}[3,33,2,35] convert(b)\n"
            " y = {0}[3,2,40,35] dot(ta, tb), lhs_batch_dims={{0,1}}, lhs_contracting_dims={{3}}, "
            "rhs_batch_dims={{0,2}}, rhs_contracting_dims={{1}}\n"
            " ROOT r = f32[3,2,40,35] convert(y)\n}}\n",
            type),
        kKernel));
  }
}

}  // namespace
}  // namespace hilo
