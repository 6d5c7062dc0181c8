// Sizes that XLA wrote into a fusion: read, laid on its dimensions, and refused by name.
#include "core/analysis/tiling/fusion_config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/hlo/ir/module.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

// A dot with batches, transposed; `config` in the fusion, `ofDot` in the dot.
std::string sizesFor(const std::string& config, const std::string& ofDot = "") {
  const auto module = moduleOf(fmt::format(
      R"(f {{ a = f32[2,64,96] parameter(0)
  b = f32[2,96,80] parameter(1)
  ROOT d = f32[2,64,80] dot(a, b), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{1}}{} }}
ENTRY e {{ a = f32[2,64,96] parameter(0)
  b = f32[2,96,80] parameter(1)
  ROOT r = f32[2,64,80] fusion(a, b), kind=kCustom, calls=f, backend_config={} }})",
      ofDot, config));
  if (!module) return "no module";
  const auto read = fusionConfig(*module->entry()->root());
  if (!read) return read.error().message;
  if (!*read) return "none";
  const auto space = tilingSpace(*module->entry()->root());
  const auto sizes = sizesOf(**read, *space);
  return sizes ? fmt::format("{}", fmt::join(*sizes, ",")) : sizes.error().message;
}

std::string gemm(const std::string& fields) {
  return R"({"fusion_backend_config":{"kind":"__triton_gemm","triton_gemm_config":{)" + fields + "}}}";
}

std::string tiles(const std::string& fields) {
  return R"({"fusion_backend_config":{"kind":"__triton","block_level_fusion_config":{)" + fields + "}}}";
}

TEST(FusionConfig, IsLaidOnTheDimensions) {
  EXPECT_EQ(sizesFor(gemm(R"("block_m":"16","block_n":"32","block_k":"8","num_warps":"4")")), "1,16,32,8");
  EXPECT_EQ(sizesFor(tiles(R"("output_tiles":[{"sizes":["1","16","40"]}],"num_warps":"2")")), "1,16,40,96");
  EXPECT_EQ(
      sizesFor(tiles(R"("output_tiles":[{"sizes":["2","8","8"]}])"), R"(, backend_config={sizes:[32]})"),
      "2,8,8,32");
  EXPECT_EQ(sizesFor(R"({"fusion_backend_config":{"kind":"__custom_fusion"}})"), "none");
}

TEST(FusionConfig, IsRefusedByName) {
  EXPECT_EQ(sizesFor(gemm(R"("block_m":"12","block_n":"32","block_k":"8")")),
            "block_m is 12: it has to be a power of two");
  EXPECT_EQ(sizesFor(gemm(R"("block_m":"16","block_k":"8")")), "triton_gemm_config has no block_n");
  EXPECT_EQ(sizesFor(gemm(R"("block_m":"16","block_n":"x","block_k":"8")")), "block_n is no number: \"x\"");
  EXPECT_EQ(sizesFor(tiles(R"("num_warps":"0","output_tiles":[])")),
            "num_warps is 0: it has to be 1 or more");
  EXPECT_EQ(sizesFor(tiles(R"("num_warps":"3","output_tiles":[])")),
            "num_warps is 3: it has to be a power of two, 32 at most");
  EXPECT_EQ(sizesFor(tiles(R"("output_tiles":[{"sizes":["1","16"]}])")),
            "output_tiles has 2 sizes for %d, which has 3 dimensions");
  EXPECT_EQ(sizesFor(tiles(R"("output_tiles":[{"sizes":["1","-4","8"]}])")),
            "a tile size is \"-4\": it has to be 1 or more");
  EXPECT_EQ(sizesFor(tiles(R"("output_tiles":[{"sizes":["1"]},{"sizes":["1"]}])")),
            "output_tiles has 2 tiles, the fusion has 1 results");
  EXPECT_EQ(sizesFor(tiles(R"("output_tiles":[{"sizes":["64","9223372036854775807","8"]}])")),
            "a tile of %d of (64, 9223372036854775807, 8) has more than 1048576 elements");
  EXPECT_EQ(sizesFor(tiles(R"("output_tiles":[{"sizes":["1","8","8"]}])"),
                     R"(, backend_config={"sizes":["8","8"]})"),
            "%d has 2 sizes, and folds 1 dimensions");
}

constexpr const char* kNested = R"(
left {{ x = f32[64,96] parameter(0)
  ROOT n = f32[64,96] negate(x) }}
right {{ y = f32[96,80] parameter(0)
  ROOT m = f32[96,80] negate(y) }}
f {{ a = f32[64,96] parameter(0)
  b = f32[96,80] parameter(1)
  l = f32[64,96] fusion(a), kind=kCustom, calls=left, backend_config={{"fusion_backend_config":{{"kind":"__triton_nested_gemm_fusion","block_level_fusion_config":{{"output_tiles":[{{"sizes":["16","8"]}}]}}}}}}
  r = f32[96,80] fusion(b), kind=kCustom, calls=right, backend_config={{"fusion_backend_config":{{"kind":"__triton_nested_gemm_fusion","block_level_fusion_config":{{"output_tiles":[{{"sizes":["{}","32"]}}]}}}}}}
  ROOT d = f32[64,80] dot(l, r), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}
ENTRY e {{ a = f32[64,96] parameter(0)
  b = f32[96,80] parameter(1)
  ROOT z = f32[64,80] fusion(a, b), kind=kCustom, calls=f, backend_config={{"fusion_backend_config":{{"kind":"__triton_nested_gemm_fusion","block_level_fusion_config":{{"output_tiles":[{{"sizes":["16","32"]}}]}}}}}} }})";

TEST(FusionConfig, OfNestedFusionsSaysWhatADotFolds) {
  const auto sizesOfNested = [](int folded) {
    const auto module = moduleOf(fmt::format(fmt::runtime(kNested), folded));
    const Instruction& fusion = *module->entry()->root();
    const auto sizes = sizesOf(**fusionConfig(fusion), *tilingSpace(fusion));
    return sizes ? fmt::format("{}", fmt::join(*sizes, ",")) : sizes.error().message;
  };
  EXPECT_EQ(sizesOfNested(8), "16,32,8");
  EXPECT_EQ(sizesOfNested(4), "output_tiles of %r says 4 for s0, which has 8 already");
}

}  // namespace
}  // namespace hilo
