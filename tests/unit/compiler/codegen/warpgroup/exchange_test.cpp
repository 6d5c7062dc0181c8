// What threads do with each other's elements: reductions, broadcasts, other layouts, transposes.
#include <algorithm>

#include "tests/unit/compiler/codegen/warpgroup/warpgroup_run_support.h"

namespace hilo::warpgroup {
namespace {

constexpr size_t kRows = 64, kColumns = 64;

std::vector<float> reduced(const std::vector<float>& in, bool alongColumns, bool isMaximum) {
  std::vector<float> out(kRows, isMaximum ? -100.0f : 1.0f);
  for (size_t i = 0; i < in.size(); ++i) {
    float& sum = out[alongColumns ? i / kColumns : i % kColumns];
    sum = isMaximum ? std::max(sum, in[i]) : sum + in[i];
  }
  return out;
}

// Along the columns lanes of a warp hold a row; along the rows all warps do.
TEST(WarpgroupReductions, GoThroughLanesAndWarps) {
  const auto in = smallNumbers<float>(kRows * kColumns, 97, -40);
  for (const bool alongColumns : {true, false}) {
    for (const bool isMaximum : {true, false}) {
      const std::string text =
          "%in, %out = llvm.mlir.undef : memref<64x64xf32>, memref<64xf32>\n"
          "%a = mosaic_gpu.vector_load %in : vector<64x64xf32>\n"
          "%x = mosaic_gpu.layout_cast %a {new_layout = WGMMA} : vector<64x64xf32>\n"
          "%z = arith.constant {value = " +
          std::string(isMaximum ? "-100" : "1") +
          "} : vector<64xf32>\n"
          "%r = vector.multi_reduction %x, %z {kind = " +
          (isMaximum ? "maximumf" : "add") + ", reduction_dims = [" + (alongColumns ? "1" : "0") +
          "]} : vector<64xf32>\n"
          "mosaic_gpu.vector_store %r, %out\n";
      const auto arrays = runText(text, {literalOf(ElementType::F32, {64, 64}, in),
                                         literalOf(ElementType::F32, {64}, std::vector<float>(64))});
      ASSERT_EQ(arrays.size(), 2u);
      EXPECT_EQ(valuesOf<float>(arrays[1]), reduced(in, alongColumns, isMaximum))
          << alongColumns << isMaximum;
    }
  }
}

TEST(WarpgroupReductions, AllElementsOfADealtArrayBecomeOne) {
  const std::string text =
      "%in, %out = llvm.mlir.undef : memref<64x64xi32>, memref<64x64xi32>\n"
      "%a = mosaic_gpu.vector_load %in : vector<64x64xi32>\n"
      "%x = mosaic_gpu.layout_cast %a {new_layout = WGStridedFragLayout(shape=(64, 64), vec_size=2)} : "
      "vector<64x64xi32>\n"
      "%s = vector.reduction %x {kind = add} : i32\n"
      "%b = vector.broadcast %s : vector<64x64xi32>\n"
      "%y = arith.subi %x, %b : vector<64x64xi32>\n"
      "mosaic_gpu.vector_store %y, %out\n";
  const auto in = smallNumbers<int32_t>(kRows * kColumns, 53);
  const auto arrays = runText(text, {literalOf(ElementType::S32, {64, 64}, in),
                                     literalOf(ElementType::S32, {64, 64}, std::vector<int32_t>(in.size()))});
  ASSERT_EQ(arrays.size(), 2u);
  const auto out = valuesOf<int32_t>(arrays[1]);
  int32_t sum = 0;
  for (const int32_t x : in) sum += x;
  for (size_t i = 0; i < in.size(); ++i) ASSERT_EQ(out[i], in[i] - sum) << i;
}

// The rows' maxima are taken off each row: the beginning of a softmax.
TEST(WarpgroupShapes, ReductionsAreBroadcastBack) {
  const std::string text =
      "%in, %out = llvm.mlir.undef : memref<64x64xf32>, memref<64x64xf32>\n"
      "%a = mosaic_gpu.vector_load %in : vector<64x64xf32>\n"
      "%x = mosaic_gpu.layout_cast %a {new_layout = WGMMA} : vector<64x64xf32>\n"
      "%z = arith.constant {value = -1000} : vector<64xf32>\n"
      "%r = vector.multi_reduction %x, %z {kind = maximumf, reduction_dims = [1]} : vector<64xf32>\n"
      "%b = mosaic_gpu.broadcast_in_dim %r {broadcast_dimensions = [0]} : vector<64x64xf32>\n"
      "%y = arith.subf %x, %b : vector<64x64xf32>\n"
      "mosaic_gpu.vector_store %y, %out\n";
  const auto in = smallNumbers<float>(kRows * kColumns, 89, -30);
  const auto arrays = runText(text, {literalOf(ElementType::F32, {64, 64}, in),
                                     literalOf(ElementType::F32, {64, 64}, std::vector<float>(in.size()))});
  ASSERT_EQ(arrays.size(), 2u);
  const auto out = valuesOf<float>(arrays[1]);
  const auto most = reduced(in, true, true);
  for (size_t i = 0; i < in.size(); ++i) ASSERT_EQ(out[i], in[i] - most[i / kColumns]) << i;
}

TEST(WarpgroupShapes, SlicesAreCutAndPutTogether) {
  const std::string text =
      "%in, %out = llvm.mlir.undef : memref<128x64xf32>, memref<128x64xf32>\n"
      "%a = mosaic_gpu.vector_load %in : vector<128x64xf32>\n"
      "%x = mosaic_gpu.layout_cast %a {new_layout = WGMMA} : vector<128x64xf32>\n"
      "%u = vector.extract_strided_slice %x {offsets = [0, 0], sizes = [64, 64], strides = [1, 1]} : "
      "vector<64x64xf32>\n"
      "%l = vector.extract_strided_slice %x {offsets = [64, 0], sizes = [64, 64], strides = [1, 1]} : "
      "vector<64x64xf32>\n"
      "%n = arith.negf %u : vector<64x64xf32>\n"
      "%y = mosaic_gpu.vector_concat %l, %n {dimension = 0} : vector<128x64xf32>\n"
      "mosaic_gpu.vector_store %y, %out\n";
  const auto in = smallNumbers<float>(128 * 64, 89);
  const auto arrays = runText(text, {literalOf(ElementType::F32, {128, 64}, in),
                                     literalOf(ElementType::F32, {128, 64}, std::vector<float>(in.size()))});
  ASSERT_EQ(arrays.size(), 2u);
  const auto out = valuesOf<float>(arrays[1]);
  for (size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(out[i], i < 64 * 64 ? in[i + 64 * 64] : -in[i - 64 * 64]) << i;
}

// Threads exchange elements through shared memory where another layout wants it.
TEST(WarpgroupLayouts, AnArrayIsTransposedOnItsWay) {
  const std::string text =
      "%in, %out = llvm.mlir.undef : memref<64x64xf32>, memref<64x64xf32>\n"
      "%a = mosaic_gpu.vector_load %in : vector<64x64xf32>\n"
      "%x = mosaic_gpu.layout_cast %a {new_layout = WGMMA} : vector<64x64xf32>\n"
      "%y = mosaic_gpu.layout_cast %x {new_layout = WGMMA_TRANSPOSED} : vector<64x64xf32>\n"
      "%t = memref.transpose %out {permutation = [1, 0]} : memref<64x64xf32, strided[1, 64]>\n"
      "mosaic_gpu.vector_store %y, %t\n";
  const auto in = smallNumbers<float>(kRows * kColumns, 1021, -500);
  const auto arrays = runText(text, {literalOf(ElementType::F32, {64, 64}, in),
                                     literalOf(ElementType::F32, {64, 64}, std::vector<float>(in.size()))});
  ASSERT_EQ(arrays.size(), 2u);
  const auto out = valuesOf<float>(arrays[1]);
  for (size_t i = 0; i < in.size(); ++i) ASSERT_EQ(out[i % 64 * 64 + i / 64], in[i]) << i;
}

// Through tiles with a swizzle, written by rows and read by columns.
TEST(WarpgroupLayouts, SharedMemoryTransposes) {
  const std::string text =
      "%in, %out = llvm.mlir.undef : memref<64x64xbf16>, memref<64x64xbf16>\n"
      "%s = mosaic_gpu.slice_smem {offset = 0} : memref<64x64xbf16, smem>\n"
      "%m = mosaic_gpu.with_transforms %s {transforms = tile(8, 64) swizzle(128)} : memref<64x64xbf16, "
      "smem>\n"
      "%a = mosaic_gpu.vector_load %in : vector<64x64xbf16>\n"
      "%x = mosaic_gpu.layout_cast %a {new_layout = WGMMA} : vector<64x64xbf16>\n"
      "mosaic_gpu.vector_store %x, %m\n"
      "%t = memref.transpose %m {permutation = [1, 0]} : memref<64x64xbf16, strided[1, 64], smem>\n"
      "%b = mosaic_gpu.vector_load %t {optimized = false} : vector<64x64xbf16>\n"
      "%y = mosaic_gpu.layout_cast %b {new_layout = WGMMA} : vector<64x64xbf16>\n"
      "mosaic_gpu.vector_store %y, %out\n";
  const auto in = smallNumbers<BF16>(kRows * kColumns, 127, -60);
  const auto arrays = runText(text, {literalOf(ElementType::BF16, {64, 64}, in),
                                     literalOf(ElementType::BF16, {64, 64}, std::vector<BF16>(in.size()))});
  ASSERT_EQ(arrays.size(), 2u);
  const auto out = valuesOf<BF16>(arrays[1]);
  for (size_t i = 0; i < in.size(); ++i) ASSERT_EQ(out[i % 64 * 64 + i / 64].bits, in[i].bits) << i;
}

}  // namespace
}  // namespace hilo::warpgroup
