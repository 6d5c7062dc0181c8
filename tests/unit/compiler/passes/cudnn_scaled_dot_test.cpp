// Which scaled dots a fusion of cuDNN takes, and from which version it takes block-scaled dots.
#include "core/compiler/passes/dots/cudnn_scaled_dot.h"

#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::string refusalOf(const std::string& body) {
  const auto module = parseModuleStrictly("HloModule m\nENTRY e {\n" + body + "\n}");
  EXPECT_TRUE(module.has_value());
  return cudnnFusionRefusal(*(*module)->entry()->root()).value_or("");
}

std::string scaledDot(const std::string& lhs, const std::string& rhs, const std::string& lhsScale,
                      const std::string& rhsScale, const std::string& dims) {
  return "a = " + lhs + " parameter(0)\nb = " + rhs + " parameter(1)\ns = " + lhsScale +
         " parameter(2)\nt = " + rhsScale + " parameter(3)\nROOT d = f16[128,128] scaled-dot(a, b, s, t), " +
         dims;
}

constexpr auto kLast = "lhs_contracting_dims={1}, rhs_contracting_dims={1}";

TEST(CudnnScaledDot, CudnnFusionSupportedE4M3) {
  EXPECT_EQ(refusalOf(scaledDot("f8e4m3fn[128,256]", "f8e4m3fn[128,256]", "f8e8m0fnu[128,8]",
                                "f8e8m0fnu[128,8]", kLast)),
            "");
}

TEST(CudnnScaledDot, CudnnFusionUnsupportedE5M2) {
  EXPECT_EQ(refusalOf(scaledDot("f8e5m2[128,256]", "f8e5m2[128,256]", "f8e8m0fnu[128,8]", "f8e8m0fnu[128,8]",
                                kLast)),
            "both operands are f8e5m2");
}

TEST(CudnnScaledDot, CudnnFusionUnsupportedDimensions) {
  EXPECT_EQ(refusalOf(scaledDot("f8e4m3fn[128,256]", "f8e4m3fn[256,128]", "f8e8m0fnu[128,8]",
                                "f8e8m0fnu[8,128]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}")),
            "the summed dimension is not the last, or the batch dimension not the first");
}

TEST(CudnnScaledDot, CudnnFusionUnupportedLayout) {
  EXPECT_EQ(refusalOf(scaledDot("f8e4m3fn[128,128]{0,1}", "f8e4m3fn[128,128]{1,0}", "f8e8m0fnu[128,4]{1,0}",
                                "f8e8m0fnu[128,4]{1,0}", kLast)),
            "an operand is not row-major");
}

TEST(CudnnScaledDot, CudnnFusionUnsupportedInputs) {
  EXPECT_EQ(refusalOf("p = f8e4m3fn[128] parameter(0)\na = f8e4m3fn[128,256] broadcast(p), dimensions={0}\n"
                      "b = f8e4m3fn[128,256] parameter(1)\ns = f8e8m0fnu[128,8] parameter(2)\n"
                      "t = f8e8m0fnu[128,8] parameter(3)\nROOT d = f16[128,128] scaled-dot(a, b, s, t), " +
                      std::string(kLast)),
            "operand 0 is no parameter of that number, read once");
}

TEST(CudnnScaledDot, RefusesOneFormatWithAnother) {
  EXPECT_EQ(refusalOf(scaledDot("f8e4m3fn[128,256]", "f4e2m1fn[128,256]", "f8e8m0fnu[128,8]",
                                "f8e4m3fn[128,16]", kLast)),
            "one operand is MXFP8, the other NVFP4");
  EXPECT_EQ(refusalOf(scaledDot("f4e2m1fn[128,256]", "f4e2m1fn[128,256]", "f8e8m0fnu[128,8]",
                                "f8e8m0fnu[128,8]", kLast)),
            "f4e2m1fn with a scale f8e8m0fnu for 32 elements is neither MXFP8 nor NVFP4");
}

// The version is in the reason, so that one sees what another target would do.
TEST(CudnnScaledDot, SaysWhichVersionIsMissing) {
  auto module = parseModuleStrictly(
      "HloModule m\nENTRY e {\na = f8e4m3fn[128,128] parameter(0)\nb = f8e4m3fn[128,128] parameter(1)\n"
      "s = f8e8m0fnu[128,4] parameter(2)\nt = f8e8m0fnu[128,4] parameter(3)\n"
      "ROOT d = f32[128,128] custom-call(a, b, s, t), custom_call_target=\"__op$block_scaled_dot\"\n}");
  ASSERT_TRUE(module.has_value());
  const std::shared_ptr<const Module> before = std::move(*module);
  const auto remarkOf = [&](const std::string& version) {
    const auto passes = parsePassList("block-scaling-rewriter{cudnn_version=" + version + "}");
    const PassRun run = runPasses(before, *passes, {});
    const auto& remarks = run.steps.front().remarks;
    return remarks.size() == 1 ? remarks[0].kind + ": " + remarks[0].message : "";
  };
  EXPECT_NE(remarkOf("90700").find("cuDNN 9.10.0 is needed, the target has 9.7.0"), std::string::npos);
  EXPECT_NE(remarkOf("0").find("there is no cuDNN of a Blackwell GPU"), std::string::npos);
  EXPECT_TRUE(remarkOf("91000").starts_with("cudnn: "));
}

}  // namespace
}  // namespace hilo
