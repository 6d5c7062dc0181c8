#include "core/compiler/passes/fusion/kernel_emitter.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

KernelEmitter emitterOf(std::string_view body) {
  const auto module = parseModuleStrictly(fmt::format(
      "HloModule m\nsum {{ x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }}\n"
      "ENTRY e {{ {} }}",
      body));
  EXPECT_TRUE(module.has_value()) << (module ? "" : toString(module.error()));
  return module ? kernelEmitter(*(*module)->entry()) : KernelEmitter::Loop;
}

TEST(KernelEmitter, RowsOfAWarpAreReducedTogether) {
  const auto rows = [](int64_t size) {
    return emitterOf(
        fmt::format("p = f32[50,{}] parameter(0) z = f32[] constant(0) "
                    "ROOT r = f32[50] reduce(p, z), dimensions={{1}}, to_apply=sum",
                    size));
  };
  EXPECT_EQ(rows(64), KernelEmitter::Reduction);
  EXPECT_EQ(rows(8), KernelEmitter::Reduction);  // a power of two below a warp
  EXPECT_EQ(rows(3), KernelEmitter::Loop);
}

TEST(KernelEmitter, OnlyElementwiseWorkMayFollowAReduction) {
  constexpr std::string_view kReduce =
      "p = f32[50,64] parameter(0) z = f32[] constant(0) r = f32[50] reduce(p, z), dimensions={1}, "
      "to_apply=sum ";
  EXPECT_EQ(emitterOf(std::string(kReduce) + "ROOT n = f32[50] negate(r)"), KernelEmitter::Reduction);
  EXPECT_EQ(emitterOf(std::string(kReduce) + "ROOT b = f32[50,2] broadcast(r), dimensions={0}"),
            KernelEmitter::Loop);
}

TEST(KernelEmitter, TransposesAreTiledWhereBothSidesAreLong) {
  const auto transpose = [](int64_t rows, int64_t columns) {
    return emitterOf(
        fmt::format("p = f32[{0},{1}] parameter(0) ROOT t = f32[{1},{0}] transpose(p), dimensions={{1,0}}",
                    rows, columns));
  };
  EXPECT_EQ(transpose(16, 16), KernelEmitter::Transpose);
  EXPECT_EQ(transpose(8, 1024), KernelEmitter::Transpose);
  EXPECT_EQ(transpose(8, 64), KernelEmitter::Loop);
  // Dimensions of one element are no dimensions.
  EXPECT_EQ(emitterOf("p = f32[1,64] parameter(0) ROOT t = f32[64,1] transpose(p), dimensions={1,0}"),
            KernelEmitter::Loop);
}

TEST(KernelEmitter, TwoTransposesOfDifferentOrdersAreALoop) {
  constexpr std::string_view kFirst =
      "p = f32[32,32,32] parameter(0) t = f32[32,32,32] transpose(p), dimensions={2,1,0} ";
  EXPECT_EQ(emitterOf(std::string(kFirst) + "u = f32[32,32,32] transpose(p), dimensions={2,1,0} ROOT r = "
                                            "(f32[32,32,32], f32[32,32,32]) tuple(t, u)"),
            KernelEmitter::Transpose);
  EXPECT_EQ(emitterOf(std::string(kFirst) + "u = f32[32,32,32] transpose(p), dimensions={0,2,1} ROOT r = "
                                            "(f32[32,32,32], f32[32,32,32]) tuple(t, u)"),
            KernelEmitter::Loop);
}

TEST(KernelEmitter, ConcatenatesOfFourAndScatters) {
  EXPECT_EQ(emitterOf("p = f32[4] parameter(0) ROOT c = f32[8] concatenate(p, p), dimensions={0}"),
            KernelEmitter::Concatenate);
  EXPECT_EQ(emitterOf("p = f32[4] parameter(0) ROOT c = f32[20] concatenate(p, p, p, p, p), dimensions={0}"),
            KernelEmitter::Loop);
}

}  // namespace
}  // namespace hilo
