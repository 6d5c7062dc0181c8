// Floats with a scale a block. Numbers worked out by hand: f8e4m3fn reaches 448 = 1.75 * 2^8, f4e2m1fn 6
// = 1.5 * 2^2; f8e8m0fnu has powers of two alone.
#include "core/hlo/expand/block_scaling.h"

#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

std::string call(const std::string& target, const std::string& result,
                 const std::vector<std::string>& operands, const std::string& config = "") {
  std::string text, names;
  for (size_t n = 0; n < operands.size(); ++n) {
    text += "p" + std::to_string(n) + " = " + operands[n] + " parameter(" + std::to_string(n) + ")\n";
    names += (n == 0 ? "p" : ", p") + std::to_string(n);
  }
  return text + "ROOT c = " + result + " custom-call(" + names + "), custom_call_target=\"" + target + "\"" +
         (config.empty()
              ? ""
              : ", backend_config={\"block_scaled_dot_backend_config\":{\"block_size\":" + config + "}}");
}

// 512 over 2^8 is 2; 3 over 2^8 is 2^-6.4, rounded to 2^-6: 3 * 64 = 192.
TEST(BlockScaling, QuantizesByTheLargestMagnitude) {
  expectEval(call("__op$quantize", "(f8e4m3fn[1,4], f8e8m0fnu[1,2])", {"f32[1,4]"}),
             {"f32[1,4] {{-512,64,3,-1}}"},
             {"f8e4m3fn[1,4] {{-256,32,192,-64}}", "f8e8m0fnu[1,2] {{2,0.015625}}"});
  expectEval(call("__op$quantize", "(f4e2m1fn[2], f8e4m3fn[1])", {"f32[2]"}), {"f32[2] {12,-2}"},
             {"f4e2m1fn[2] {4,-0.5}", "f8e4m3fn[1] {3}"});
}

// A scale of zero is NaN in f8e8m0fnu, which has no zero.
TEST(BlockScaling, QuantizesABlockOfZerosToNan) {
  expectEval(call("__op$quantize", "(f8e4m3fn[2], f8e8m0fnu[1])", {"f32[2]"}), {"f32[2] {0,0}"},
             {"f8e4m3fn[2] {nan,nan}", "f8e8m0fnu[1] {nan}"});
}

TEST(BlockScaling, MultipliesByTheScaleOfTheBlock) {
  expectEval(call("__op$dequantize", "f32[2,4]", {"f4e2m1fn[2,4]", "f8e8m0fnu[2,2]"}),
             {"f4e2m1fn[2,4] {{1,2,3,4},{-1,6,0.5,0}}", "f8e8m0fnu[2,2] {{2,0.5},{1,4}}"},
             {"f32[2,4] {{2,4,1.5,2},{-1,6,2,0}}"});
}

// Rows [2,4,1.5,2] and [1,1,1,1]: 9.5; the padding of scales is not read.
TEST(BlockScaling, DotsScaledOperands) {
  const std::vector<std::string> values = {"f8e4m3fn[1,4] {{1,2,3,4}}", "f8e4m3fn[1,4] {{1,1,1,1}}"};
  expectEval(call("__op$block_scaled_dot", "f32[1,1]",
                  {"f8e4m3fn[1,4]", "f8e4m3fn[1,4]", "f8e8m0fnu[1,2]", "f8e8m0fnu[1,2]", "f32[]"}),
             {values[0], values[1], "f8e8m0fnu[1,2] {{2,0.5}}", "f8e8m0fnu[1,2] {{1,1}}", "f32[] 10"},
             {"f32[1,1] {{95}}"});
  expectEval(
      call("__op$block_scaled_dot", "f32[1,1]", {"f8e4m3fn[1,4]", "f8e4m3fn[1,4]", "f8e8m0fnu[2,4]"}, "2"),
      {values[0], values[1], "f8e8m0fnu[2,4] {{2,0.5,64,64},{64,64,64,64}}"}, {"f32[1,1] {{9.5}}"});
}

TEST(BlockScaling, RefusesWhatIsNoSuchDot) {
  const std::string kind = "malformed-instruction";
  const std::vector<std::string> ones = {"f8e4m3fn[1,4] {{1,1,1,1}}", "f8e4m3fn[1,4] {{1,1,1,1}}"};
  const auto kindOf = [&](const std::string& shape, const std::string& scale, const std::string& config) {
    return errorKind(
        call("__op$block_scaled_dot", "f32[1,1]", {"f8e4m3fn[1,4]", "f8e4m3fn[1,4]", shape}, config),
        {ones[0], ones[1], scale});
  };
  EXPECT_EQ(kindOf("f32[1,3]", "f32[1,3] {{1,1,1}}", ""), kind);
  EXPECT_EQ(kindOf("f32[1]", "f32[1] {1}", ""), kind);
  EXPECT_EQ(kindOf("f32[1,1]", "f32[1,1] {{1}}", "2"), kind);
  EXPECT_EQ(kindOf("f32[1,2]", "f32[1,2] {{1,1}}", "0"), kind);
  EXPECT_EQ(errorKind(call("__op$quantize", "(s8[2], f32[1])", {"f32[2]"}), {"f32[2] {1,1}"}), kind);
}

// The place of each scale in cuDNN's tiles, from PTX's picture of scale_vec::1X: row r of 128 lies at
// (r mod 32) * 16 + (r / 32) * 4, a tile of 4 blocks after the other.
TEST(BlockScaling, SwizzlesAsTensorMemoryHoldsScales) {
  const auto swizzle = library::scaleSwizzle(Shape::array(ElementType::F8E8M0FNU, {128, 8}));
  const auto& [plain, swizzled] = swizzle;
  std::vector<int64_t> strides(6, 1);
  for (size_t d = 5; d-- > 0;) strides[d] = strides[d + 1] * swizzled[d + 1];
  for (int64_t row = 0; row < 128; ++row) {
    for (int64_t block = 0; block < 8; ++block) {
      const std::vector<int64_t> at = {0, row / 128, row / 32 % 4, row % 32, block / 4, block % 4};
      int64_t place = 0;
      for (size_t d = 0; d < 6; ++d)
        place += at[static_cast<size_t>(library::ScaleSwizzle::kOrder[d])] * strides[d];
      EXPECT_EQ(place, block / 4 * 512 + row % 32 * 16 + row / 32 * 4 + block % 4);
    }
  }
  for (size_t d = 0; d < 6; ++d)
    EXPECT_EQ(swizzled[d], plain[static_cast<size_t>(library::ScaleSwizzle::kOrder[d])]);
}

}  // namespace
}  // namespace hilo
