// What the options of the verifier switch.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> kindsIn(const char* text, const VerifyOptions& options) {
  const auto parsed = parseModuleStrictly(text);
  std::vector<std::string> kinds;
  for (const Diagnostic& d : verify(**parsed, options)) kinds.push_back(d.kind);
  return kinds;
}

TEST(VerifyOptions, MixedPrecision) {
  const char* text = R"(
ENTRY e {
  a = f32[4] parameter(0)
  b = bf16[4] parameter(1)
  ROOT s = f32[4] add(a, b)
})";
  EXPECT_THAT(kindsIn(text, {}), IsEmpty());
  EXPECT_THAT(kindsIn(text, {.allowMixedPrecision = false}), ElementsAre("mixed-precision"));
}

// A result that is another than declared is in the way of whoever reads the module; a name that comes
// twice is not.
TEST(VerifyOptions, OnlyBreaking) {
  const char* text = R"(
ENTRY e {
  a = f32[4] parameter(0), sharding={devices=[2,2]0,1,2,3}
  ROOT s = f32[5] negate(a)
})";
  EXPECT_THAT(kindsIn(text, {}), testing::Contains("sharding-invalid"));
  EXPECT_THAT(kindsIn(text, {.onlyBreaking = true}), ElementsAre("result-shape"));
}

TEST(VerifyOptions, UnboundedShapes) {
  const char* text = "ENTRY e {\n  a = f32[?,3] parameter(0)\n  ROOT n = f32[?,3] negate(a)\n}";
  EXPECT_THAT(kindsIn(text, {}), ElementsAre("unbounded-shape", "unbounded-shape"));
  EXPECT_THAT(kindsIn(text, {.allowUnboundedShapes = true}), IsEmpty());
}

TEST(VerifyOptions, LayoutsHandedOn) {
  const char* text = R"(
ENTRY e {
  a = (f32[2,3]{1,0}) parameter(0)
  ROOT g = f32[2,3]{0,1} get-tuple-element(a), index=0
})";
  EXPECT_THAT(kindsIn(text, {}), IsEmpty());
  EXPECT_THAT(kindsIn(text, {.layoutSensitive = true}), ElementsAre("layout-changed"));
}

TEST(VerifyOptions, LayoutsIntoCalls) {
  const char* text = R"(
f {
  ROOT q = f32[2,3]{0,1} parameter(0)
}
ENTRY e {
  a = f32[2,3]{1,0} parameter(0)
  ROOT c = f32[2,3]{0,1} call(a), to_apply=f
})";
  EXPECT_THAT(kindsIn(text, {}), IsEmpty());
  EXPECT_THAT(kindsIn(text, {.layoutSensitive = true}), ElementsAre("layout-changed"));
}

TEST(VerifyOptions, BitcastStaysOnItsSideOfHostMemory) {
  const char* text = R"(
ENTRY e {
  a = f32[6]{0:S(5)} parameter(0)
  ROOT b = f32[2,3]{1,0} bitcast(a)
})";
  EXPECT_THAT(kindsIn(text, {}), IsEmpty());
  EXPECT_THAT(kindsIn(text, {.layoutSensitive = true}), ElementsAre("memory-space"));
}

}  // namespace
}  // namespace hilo
