// Known answers of the Random123 library (kat_vectors, threefry2x32 of 20 rounds): counter, key, result.
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

TEST(Threefry, KnownAnswers) {
  for (const std::string target : {"cu_threefry2x32_ffi", "cu_threefry2x32", "hip_threefry2x32_ffi"}) {
    expectEval(
        "k = u32[3] parameter(0)\nl = u32[3] parameter(1)\nx = u32[3] parameter(2)\ny = u32[3] parameter(3)\n"
        "ROOT c = (u32[3], u32[3]) custom-call(k, l, x, y), custom_call_target=\"" +
            target + "\", api_version=API_VERSION_TYPED_FFI",
        {"u32[3] {0,4294967295,320440878}", "u32[3] {0,4294967295,57701188}",
         "u32[3] {0,4294967295,608135816}", "u32[3] {0,4294967295,2242054355}"},
        {"u32[3] {1797259609,481924860,3297917596}", "u32[3] {2579123966,3137350631,1212020640}"});
  }
}

TEST(Threefry, OtherFormsAreRefused) {
  const auto module = parseModuleStrictly(
      "HloModule m\nENTRY e {\nk = u32[3] parameter(0)\nn = s64[1] parameter(1)\n"
      "ROOT c = (u32[3], u32[3]) custom-call(k, k, k, k, n), custom_call_target=\"cu_threefry2x32\"\n}\n");
  ASSERT_TRUE(module.has_value());
  const Diagnostics why = checkRunnable(**module);
  ASSERT_EQ(why.size(), 1u);
  EXPECT_EQ(why[0].message, "custom-call cu_threefry2x32 has a number of elements that is told when it runs");
}

}  // namespace
}  // namespace hilo
