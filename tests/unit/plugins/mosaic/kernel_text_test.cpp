// Payloads given to layout inference, and attributes that no operation has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/workspace/kernels/found_kernels.h"
#include "core/workspace/kernels/inferred_kernel.h"

namespace hilo {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

Result<InferredKernel> inferred(const std::string& name) {
  TRY(const auto found, findKernels("tests/data/mosaic/payloads/" + name + ".hlo"));
  if (found.size() != 1) return fail("test", "no kernel");
  return inferPayload(found[0].bytes, found[0].path(), {.cancel = {}, .steps = 1000});
}

// Layouts by the name of what has them.
std::map<std::string, std::string> layoutsOf(const InferredKernel& kernel) {
  std::map<std::string, std::string> all;
  for (const auto& [id, set] : kernel.layouts.outcome.layouts)
    all[kernel.layouts.derived.variables[id].name] = toString(set.layout);
  return all;
}

// The line of a text, from 1 on.
std::string lineOf(const std::string& text, uint32_t line) {
  size_t at = 0;
  for (uint32_t n = 1; n < line && at != text.npos; ++n) at = text.find('\n', at) + 1;
  return text.substr(at, text.find('\n', at) - at);
}

TEST(KernelTextOfPayloads, EveryKernelOfWarpgroupsHasLayouts) {
  for (const auto& entry : std::filesystem::directory_iterator("tests/data/mosaic/payloads")) {
    const std::string name = entry.path().stem().string();
    const auto kernel = inferred(name);
    if (name.starts_with("lowered")) {
      ASSERT_FALSE(kernel);
      EXPECT_EQ(kernel.error().kind, "no-kernel-text");
      EXPECT_THAT(kernel.error().message, HasSubstr("single threads"));
      continue;
    }
    ASSERT_TRUE(kernel) << name << ": " << toString(kernel.error());
    ASSERT_TRUE(kernel->layouts.isFound())
        << name << ": " << toString(whyNoLayouts(kernel->kernel, kernel->layouts));
    EXPECT_FALSE(kernel->layouts.outcome.layouts.empty()) << name;
  }
}

TEST(KernelTextOfPayloads, OldAndNewSpellingsHaveTheSameLayouts) {
  for (const char* name : {"pointwise_f32", "matmul_f16_64x64x64_f32", "matmul_bf16_128x128x64_f32"}) {
    const auto now = inferred(name), before = inferred(std::string(name) + "_old");
    ASSERT_TRUE(now && before) << name;
    EXPECT_EQ(layoutsOf(*now), layoutsOf(*before)) << name;
  }
}

TEST(KernelTextOfPayloads, LinesAreThoseOfTheShownText) {
  const auto kernel = inferred("matmul_f16_64x64x64_f32");
  ASSERT_TRUE(kernel) << toString(kernel.error());
  ASSERT_TRUE(kernel->studied);
  size_t products = 0;
  for (const auto& op : kernel->kernel.ops) {
    ASSERT_GT(op.line, 0u) << op.opcode;
    const std::string line = lineOf(kernel->studied->text, op.line);
    if (op.opcode == "scf.yield" && op.operands.empty())  // not printed: where its region ends
      EXPECT_THAT(line, MatchesRegex(" *\\}( else \\{)?"));
    else
      EXPECT_THAT(line, HasSubstr(op.opcode.substr(op.opcode.find('.') + 1)));
    if (op.opcode != "mosaic_gpu.wgmma") continue;
    ++products;
    const auto id = static_cast<inference::OpId>(&op - kernel->kernel.ops.data());
    for (const auto& [site, layout] : kernel->layouts.layoutsOf(id, inference::ValueSite::Kind::Result))
      EXPECT_EQ(toString(layout), "WGMMA");
  }
  EXPECT_EQ(products, 1u);
}

TEST(UnknownAttributes, AreRefusedByName) {
  const auto read = [](const std::string& attributes) {
    return studyKernel(
        "module {\nfunc.func @f(%a: memref<64xf32>) {\n  %x = \"mosaic_gpu.vector_load\"(%a) " + attributes +
            " : (memref<64xf32>) -> vector<64xf32>\n  return\n}\n}\n",
        "test.mlir");
  };
  ASSERT_TRUE(read("<{optimized = true}>"));
  const auto refused = read("<{optimized = true, // swizzle = 1\n colour = #x<[\"}>\"]>, \"other\" = 1}>");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, "unknown-attribute");
  EXPECT_EQ(refused.error().message, "mosaic_gpu.vector_load has no attribute colour");
  EXPECT_EQ(refused.error().place.line, 4u);
  ASSERT_EQ(refused.error().notes.size(), 1u);
  EXPECT_THAT(refused.error().notes[0], HasSubstr("no attribute other"));
  // Those that MLIR keeps beside them are printed.
  const auto kept = read("{colour = 7 : i32}");
  ASSERT_TRUE(kept);
  EXPECT_THAT(kept->text, HasSubstr("colour = 7 : i32"));
}

}  // namespace
}  // namespace hilo
