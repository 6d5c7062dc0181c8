// Kernels of sm_100: a product of matrices in tensor memory, and what is refused of its resources.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/compiler/codegen/warpgroup/tensor_memory_checks.h"
#include "tests/unit/compiler/codegen/warpgroup/warpgroup_run_support.h"

namespace hilo::warpgroup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Blackwell {
  int64_t rows = 128, columns = 128, depth = 64;
  std::string factor = "bf16", sum = "f32";
  int64_t bytes = 2;
  std::string before = "", after = "mosaic_gpu.tmem_dealloc %sum\n", accumulate = "%false";
};

// Both factors by TMA, sums in tensor memory, from there to registers and out.
std::string product(const Blackwell& p) {
  const int64_t first = p.rows * p.depth * p.bytes, both = first + p.depth * p.columns * p.bytes;
  const std::string a = fmt::format("{}x{}x{}", p.rows, p.depth, p.factor),
                    b = fmt::format("{}x{}x{}", p.depth, p.columns, p.factor),
                    c = fmt::format("{}x{}x{}", p.rows, p.columns, p.sum);
  return fmt::format(
      "kernel sm_100\n"
      "func.func {{sym_name = product}} {{\n"
      "^(%a: memref<{0}>, %b: memref<{1}>, %c: memref<{2}>)\n"
      "%one = arith.constant {{value = 1}} : index\n"
      "%threads = arith.constant {{value = 128}} : index\n"
      "%first = arith.constant {{value = 0}} : i32\n"
      "%false = arith.constant {{value = 0}} : i1\n"
      "%true = arith.constant {{value = 1}} : i1\n"
      "%bytes = arith.constant {{value = {3}}} : i32\n"
      "gpu.launch %one, %one, %one, %threads, %one, %one {{\n"
      "%sa = mosaic_gpu.slice_smem {{offset = 0}} : memref<{0}, smem>\n"
      "%sb = mosaic_gpu.slice_smem {{offset = {4}}} : memref<{1}, smem>\n"
      "%full = mosaic_gpu.slice_smem {{offset = {3}}} : memref<1x!mosaic_gpu.barrier, smem>\n"
      "%done = mosaic_gpu.slice_smem {{offset = {5}}} : memref<1x!mosaic_gpu.barrier, smem>\n"
      "%place = mosaic_gpu.slice_smem {{offset = {6}}} : memref<i32, smem>\n"
      "%at = memref.extract_aligned_pointer_as_index %full : index\n"
      "%number = arith.index_cast %at : i64\n"
      "%pointer = llvm.inttoptr %number : !llvm.ptr\n"
      "mosaic_gpu.initialize_barrier %pointer {{arrival_count = 1, num_barriers = 1}}\n"
      "%at2 = memref.extract_aligned_pointer_as_index %done : index\n"
      "%number2 = arith.index_cast %at2 : i64\n"
      "%pointer2 = llvm.inttoptr %number2 : !llvm.ptr\n"
      "mosaic_gpu.initialize_barrier %pointer2 {{arrival_count = 1, num_barriers = 1, orders_tensor_core = "
      "true}}\n"
      "%sum = mosaic_gpu.tmem_alloc %place {{packing = 1}} : memref<{2}, tmem>\n"
      "mosaic_gpu.tmem_relinquish_alloc_permit\n"
      "{7}"
      "gpu.barrier\n"
      "%slot = memref.subview %full {{static_offsets = [0], static_sizes = [1]}} : "
      "memref<!mosaic_gpu.barrier, smem>\n"
      "%over = memref.subview %done {{static_offsets = [0], static_sizes = [1]}} : "
      "memref<!mosaic_gpu.barrier, smem>\n"
      "mosaic_gpu.arrive_expect_tx %slot, %bytes\n"
      "mosaic_gpu.async_load %a, %sa, %slot, %first, %first {{slice_lengths = [{8}, {9}], collective = []}}\n"
      "mosaic_gpu.async_load %b, %sb, %slot, %first, %first {{slice_lengths = [{9}, {10}], collective = "
      "[]}}\n"
      "mosaic_gpu.wait %slot, %false\n"
      "mosaic_gpu.tcgen05_mma %sum, %sa, %sb, {11}\n"
      "mosaic_gpu.tcgen05_commit_arrive %over\n"
      "mosaic_gpu.wait %over, %false\n"
      "%r = mosaic_gpu.async_load_tmem %sum : vector<{2}>\n"
      "mosaic_gpu.vector_store %r, %c\n"
      "{12}"
      "gpu.terminator\n}}\nfunc.return\n}}\n",
      a, b, c, both, first, both + 8, both + 16, p.before, p.rows, p.depth, p.columns, p.accumulate, p.after);
}

// The tcgen05 instructions of a kernel's PTX, without operands; the same ones side by side as "x N".
std::vector<std::string> tensorInstructions(const std::string& text) {
  const auto lowered = loweredText(text);
  EXPECT_TRUE(lowered) << (lowered ? "" : toString(lowered.error()));
  if (!lowered) return {};
  expectAssembled(*lowered);
  const auto ptx = ptxOf(*lowered);
  EXPECT_TRUE(ptx) << (ptx ? "" : toString(ptx.error()));
  std::vector<std::pair<std::string, int>> found;
  for (size_t at = ptx ? ptx->find("tcgen05.") : std::string::npos; at != std::string::npos;
       at = ptx->find("tcgen05.", at + 1)) {
    const std::string name = ptx->substr(at, ptx->find_first_of(" \t;", at) - at);
    if (!found.empty() && found.back().first == name)
      ++found.back().second;
    else
      found.emplace_back(name, 1);
  }
  std::vector<std::string> lines;
  for (const auto& [name, times] : found)
    lines.push_back(times == 1 ? name : fmt::format("{} x {}", name, times));
  return lines;
}

// 64 of the sum are four steps of 32 bytes; 128 columns of the WGMMA-like layout are 16x256b moves.
TEST(TensorMemory, AProductIsTakenMultipliedReadAndFreed) {
  EXPECT_THAT(
      tensorInstructions(product({})),
      ElementsAre("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32",
                  "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned",
                  "tcgen05.fence::after_thread_sync",
                  "tcgen05.mma.cta_group::1.kind::f16.collector::a::discard x 4",
                  "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64",
                  "tcgen05.fence::after_thread_sync", "tcgen05.ld.sync.aligned.16x256b.x8.b32 x 4",
                  "tcgen05.wait::ld.sync.aligned", "tcgen05.fence::before_thread_sync",
                  "tcgen05.fence::after_thread_sync", "tcgen05.dealloc.cta_group::1.sync.aligned.b32"));
}

TEST(TensorMemory, EveryTypeOfFactorsHasItsKind) {
  const auto kindOf = [](const Blackwell& p) {
    for (const std::string& line : tensorInstructions(product(p)))
      if (line.starts_with("tcgen05.mma")) return line.substr(line.find("kind::") + 6);
    return std::string("none");
  };
  EXPECT_EQ(kindOf({.factor = "f16", .sum = "f16"}), "f16.collector::a::discard x 4");
  EXPECT_EQ(kindOf({.depth = 128, .factor = "f8E5M2", .bytes = 1}), "f8f6f4.collector::a::discard x 4");
  EXPECT_EQ(kindOf({.depth = 128, .factor = "i8", .sum = "i32", .bytes = 1}), "i8.collector::a::discard x 4");
  // 64 rows: two halves of the columns; 512 columns: two instructions of 256.
  EXPECT_EQ(kindOf({.rows = 64}), "f16.collector::a::discard x 8");
  EXPECT_EQ(kindOf({.columns = 512}), "f16.collector::a::discard x 8");
}

TEST(TensorMemory, ResourcesAreHeldAgainstWhatThereIs) {
  EXPECT_THAT(refusalOf(product({.after = ""})), HasSubstr("its 128 columns are not freed (tmem_dealloc)"));
  EXPECT_THAT(refusalOf(product({.after = "mosaic_gpu.tmem_dealloc %sum\nmosaic_gpu.tmem_dealloc %sum\n"})),
              HasSubstr("%sum was freed before"));
  const std::string second =
      "%more = mosaic_gpu.tmem_alloc %place {packing = 1} : memref<128x256xf32, tmem>\n";
  EXPECT_THAT(refusalOf(product({.before = second})),
              HasSubstr("after tmem_relinquish_alloc_permit nothing more is taken"));
  std::string two = product({.columns = 512});
  two.insert(two.find("%sum = "), second);
  EXPECT_THAT(refusalOf(two), HasSubstr("it takes 512 columns of tensor memory; 256 of 512 are left"));
  EXPECT_THAT(refusalOf(product({.sum = "f16"})), HasSubstr("sums of f16 of products of bf16 and bf16"));
  EXPECT_THAT(refusalOf(product({.columns = 272})),
              HasSubstr("272 columns of 128 rows: a multiple of 16 up to 256, or 512"));
  EXPECT_EQ(allocatedColumns(1), 32);
  EXPECT_EQ(allocatedColumns(33), 64);
  EXPECT_EQ(allocatedColumns(512), 512);
}

TEST(TensorMemory, OtherGpusAndTheSimulatorAreRefusedBeforeAnythingRuns) {
  const auto lowered = loweredText(product({}));
  ASSERT_TRUE(lowered) << toString(lowered.error());
  EXPECT_EQ(lowered->gpu, "sm_100a");
  const auto elsewhere = ptxOf(*lowered, "sm_90a");
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(elsewhere.error().message, "mosaic_gpu.tmem_alloc is of sm_100a: sm_90a does not have it");
  const auto run = runOnSimulatedGpu(*lowered, {}, true);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message,
            "mosaic_gpu.tmem_alloc is of sm_100a, which is not simulated: --ptx sm_100a prints its code");
  std::string before = product({});
  before.replace(0, std::string("kernel sm_100").size(), "kernel sm_90");
  EXPECT_THAT(refusalOf(before), HasSubstr("mosaic_gpu.tmem_alloc is not lowered: sm_90 does not have it"));
}

// Sixteen bits of a column each are unpacked while they are stored; two of them in a column as they are.
TEST(TensorMemory, ArraysGoToTensorMemoryAndBack) {
  const auto moves = [](int64_t packing, const std::string& element) {
    return tensorInstructions(
        fmt::format("kernel sm_100\n"
                    "%in, %out = llvm.mlir.undef : memref<128x64x{0}>, memref<128x64x{0}>\n"
                    "%place = mosaic_gpu.slice_smem {{offset = 0}} : memref<i32, smem>\n"
                    "%m = mosaic_gpu.tmem_alloc %place {{packing = {1}}} : memref<128x64x{0}, tmem>\n"
                    "%t = mosaic_gpu.tmem_layout_cast %m {{new_layout = TMEM_DEFAULT(packing={1})}} : "
                    "memref<128x64x{0}, tmem>\n"
                    "%x = mosaic_gpu.vector_load %in : vector<128x64x{0}>\n"
                    "%l = mosaic_gpu.layout_cast %x {{new_layout = TCGEN05}} : vector<128x64x{0}>\n"
                    "mosaic_gpu.async_store_tmem %l, %t\n"
                    "%s = mosaic_gpu.slice_tmem %t {{offset = 0}} : memref<128x64x{0}, tmem>\n"
                    "%h = mosaic_gpu.tmem_layout_cast %s {{new_layout = TMEM_DEFAULT(packing={1})}} : "
                    "memref<128x64x{0}, tmem>\n"
                    "%y = mosaic_gpu.async_load_tmem %h : vector<128x64x{0}>\n"
                    "mosaic_gpu.vector_store %y, %out\n"
                    "mosaic_gpu.tmem_dealloc %m\n",
                    element, packing));
  };
  EXPECT_THAT(moves(1, "f32"), testing::Contains(HasSubstr("tcgen05.st.sync.aligned.16x256b.x8.b32")));
  EXPECT_THAT(moves(2, "bf16"), testing::Contains(HasSubstr("tcgen05.st.sync.aligned.16x128b.x8.b32")));
  EXPECT_THAT(moves(1, "bf16"),
              testing::Contains(HasSubstr("tcgen05.st.sync.aligned.16x128b.x8.unpack::16b.b32")));
}

}  // namespace
}  // namespace hilo::warpgroup
