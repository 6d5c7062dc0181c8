// Dot algorithms from HLO to StableHLO and back.
#include <gmock/gmock.h>

#include "core/workspace/open/convert.h"
#include "tests/unit/plugins/stablehlo/open_text.h"

namespace hilo {
namespace {

std::string moduleWith(std::string_view algorithm) {
  return "HloModule t\nENTRY main { a = f32[4,3] parameter(0)\n  b = f32[3,2] parameter(1)\n"
         "  ROOT d = f32[4,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=" +
         std::string(algorithm) + " }\n";
}

TEST(StablehloDotAlgorithms, ComeBack) {
  for (const std::string_view algorithm :
       {"dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum", "dot_f16_f16_f16", "dot_f16_f16_f32",
        "dot_bf16_bf16_bf16", "dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6",
        "dot_bf16_bf16_f32_x9", "dot_tf32_tf32_f32", "dot_tf32_tf32_f32_x3", "dot_f32_f32_f32",
        "dot_f64_f64_f64"}) {
    const auto before = openBytes(moduleWith(algorithm), "t");
    ASSERT_TRUE(before.has_value()) << toString(before.error());
    const auto text = convertModule(**before, {.kind = OutputKind::StableHlo});
    ASSERT_TRUE(text.has_value()) << toString(text.error());
    const auto after = openBytes(*text, "t.mlir");
    ASSERT_TRUE(after.has_value()) << toString(after.error());
    const auto again = convertModule(**after, {.kind = OutputKind::Text});
    ASSERT_TRUE(again.has_value());
    EXPECT_THAT(*again, testing::HasSubstr("algorithm=" + std::string(algorithm) + ","));
  }
}

TEST(StablehloDotAlgorithms, AreWrittenAsStablehloNamesThem) {
  const auto file = openBytes(moduleWith("dot_bf16_bf16_f32_x9"), "t");
  ASSERT_TRUE(file.has_value());
  const auto text = convertModule(**file, {.kind = OutputKind::StableHlo});
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, testing::HasSubstr("lhs_precision_type = bf16, rhs_precision_type = bf16, "
                                        "accumulation_type = f32, lhs_component_count = 1, "
                                        "rhs_component_count = 1, num_primitive_operations = 9, "
                                        "allow_imprecise_accumulation = false>"));
}

}  // namespace
}  // namespace hilo
