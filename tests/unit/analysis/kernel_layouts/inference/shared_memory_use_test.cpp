// Bytes of shared memory over the operations of a kernel.
#include "core/analysis/kernel_layouts/inference/shared_memory_use.h"

#include <gmock/gmock.h>

#include "core/analysis/kernel_layouts/inference/kernel_text.h"

namespace hilo::inference {
namespace {

using testing::ElementsAre;
using testing::Pair;

SharedMemoryUse useOf(std::string_view text) {
  const auto kernel = parseKernel(text);
  EXPECT_TRUE(kernel) << (kernel ? "" : toString(kernel.error()));
  return kernel ? sharedMemoryUse(*kernel) : SharedMemoryUse{};
}

std::vector<std::pair<OpId, int64_t>> changesOf(const SharedMemoryUse& use) {
  std::vector<std::pair<OpId, int64_t>> changes;
  for (const SharedMemoryChange& one : use.changes) changes.emplace_back(one.op, one.bytes);
  return changes;
}

// 4096 bytes twice in one place one after the other, beside 2048 that are used at the beginning and the end.
TEST(SharedMemoryUse, ArraysThatFollowEachOtherInOnePlaceCountOnce) {
  const auto use = useOf(
      "%a = mosaic_gpu.slice_smem {offset = 0} : memref<32x64xbf16, smem>\n"     // 0
      "%b = mosaic_gpu.slice_smem {offset = 0} : memref<16x64xf32, smem>\n"      // 1
      "%c = mosaic_gpu.slice_smem {offset = 4096} : memref<16x64xbf16, smem>\n"  // 2
      "%z = arith.constant {value = 0} : index\n"                                // 3
      "%x = mosaic_gpu.vector_load %c : vector<16x64xbf16>\n"                    // 4
      "%y = mosaic_gpu.vector_load %a : vector<32x64xbf16>\n"                    // 5
      "%v = memref.subview %b {static_offsets = [0, 0], static_sizes = [8, 64]} : memref<8x64xf32, "
      "smem>\n"                                              // 6
      "%w = mosaic_gpu.vector_load %v : vector<8x64xf32>\n"  // 7
      "mosaic_gpu.vector_store %x, %c\n");                   // 8
  ASSERT_EQ(use.arrays.size(), 3u);
  EXPECT_THAT(changesOf(use), ElementsAre(Pair(4, 2048), Pair(5, 6144), Pair(8, 2048)));
  EXPECT_EQ(use.peakBytes, 6144);
  EXPECT_EQ(use.peakAt, 5u);
  EXPECT_EQ(use.reachBytes, 6144);
  EXPECT_EQ(use.arrays[0].first, 4u);
  EXPECT_EQ(use.arrays[0].last, 8u);
}

// What a turn leaves the next one may read.
TEST(SharedMemoryUse, ALoopKeepsWhatItUses) {
  const auto use = useOf(
      "%a = mosaic_gpu.slice_smem {offset = 0} : memref<16x64xf32, smem>\n"  // 0
      "%n = arith.constant {value = 2} : index\n"                            // 1
      "%before = arith.constant {value = 2} : index\n"                       // 2
      "scf.for %n, %n, %n {\n"                                               // 3
      "  ^(%i: index)\n"
      "  %j = arith.addi %i, %n : index\n"                                     // 4
      "  %b = mosaic_gpu.slice_smem {offset = 8192} : memref<16xf32, smem>\n"  // 5
      "  %x = mosaic_gpu.vector_load %a : vector<16x64xf32>\n"                 // 6
      "  %y = mosaic_gpu.vector_load %b : vector<16xf32>\n"                    // 7
      "  scf.yield\n"                                                          // 8
      "}\n"
      "%after = arith.constant {value = 2} : index\n");  // 9
  ASSERT_EQ(use.arrays.size(), 2u);
  EXPECT_EQ(use.arrays[0].first, 3u);
  EXPECT_EQ(use.arrays[0].last, 8u);
  EXPECT_THAT(changesOf(use), ElementsAre(Pair(3, 4096), Pair(7, 4160), Pair(8, 4096), Pair(9, 0)));
  EXPECT_EQ(use.reachBytes, 8256);
}

}  // namespace
}  // namespace hilo::inference
