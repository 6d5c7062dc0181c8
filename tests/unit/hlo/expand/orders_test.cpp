#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

TEST(Orders, RadixSortOfKeys) {
  expectEval(
      "k = s32[2,3] parameter(0)\nROOT c = (s32[2,3], u8[2]) custom-call(k), "
      "custom_call_target=\"__cub$DeviceRadixSort\", backend_config={\"descending\":false}",
      {"s32[2,3] {{3,-1,2},{0,5,4}}"}, {"s32[2,3] {{-1,2,3},{0,4,5}}", "u8[2] {0,0}"});
}

// Equal keys keep the order of their values, also where the largest come first.
TEST(Orders, RadixSortOfPairsIsStable) {
  expectEval(
      "k = u8[4] parameter(0)\nv = f32[4] parameter(1)\nROOT c = (u8[4], f32[4], u8[1]) custom-call(k, v), "
      "custom_call_target=\"xla.gpu.ext.cub_sort_pairs\", api_version=API_VERSION_TYPED_FFI, "
      "backend_config={batch_size = 1 : i64, descending = true}",
      {"u8[4] {1,200,1,200}", "f32[4] {1,2,3,4}"}, {"u8[4] {200,200,1,1}", "f32[4] {2,4,1,3}", "u8[1] {0}"});
}

TEST(Orders, LargestElements) {
  for (const char* target : {"TopK", "__gpu$TopK"}) {
    expectEval(
        "t = f32[2,3] parameter(0)\nROOT c = (f32[2,2], s32[2,2]) custom-call(t), custom_call_target=\"" +
            std::string(target) + "\"",
        {"f32[2,3] {{3,9,5},{1,1,0}}"}, {"f32[2,2] {{9,5},{1,1}}", "s32[2,2] {{1,2},{0,1}}"});
  }
}

TEST(Orders, RefusesWhatHasNoOrder) {
  EXPECT_EQ(errorKind("k = c64[2] parameter(0)\nROOT c = (c64[2], u8[1]) custom-call(k), "
                      "custom_call_target=\"__cub$DeviceRadixSort\"",
                      {"c64[2] {(1,0),(0,1)}"}),
            "malformed-instruction");
}

}  // namespace
}  // namespace hilo
