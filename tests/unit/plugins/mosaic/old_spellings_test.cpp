// What older versions of the dialect wrote is read, and printed as it is written now.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/workspace/kernels/studied_kernel.h"

namespace hilo {
namespace {

using testing::HasSubstr;

constexpr char kValues[] = R"(
  %pointer = builtin.unrealized_conversion_cast to !llvm.ptr<3>
  %slot = builtin.unrealized_conversion_cast to memref<!mosaic_gpu.barrier>
  %a = builtin.unrealized_conversion_cast to memref<4x8xf32>
  %b = builtin.unrealized_conversion_cast to memref<4x8xf32, #gpu.address_space<workgroup>>
  %i = builtin.unrealized_conversion_cast to i32
  %p = builtin.unrealized_conversion_cast to i1
  %v = builtin.unrealized_conversion_cast to vector<64x64xf32>
)";

// The text that a function with `operation` is printed as.
std::string now(const std::string& operation) {
  const auto kernel = studyKernel(
      "module {\nfunc.func @test() {" + std::string(kValues) + operation + "\nreturn\n}\n}\n", "test.mlir");
  if (!kernel) return toString(kernel.error());
  return kernel->problems.empty() ? kernel->text : toString(kernel->problems[0]) + kernel->text;
}

TEST(OldSpellings, BarriersWereResults) {
  const std::string text =
      now(R"(%bars = mosaic_gpu.initialize_barrier %pointer 3 : memref<2x!mosaic_gpu.barrier>
  %one = memref.subview %bars[1] [1] [1] : memref<2x!mosaic_gpu.barrier> to memref<!mosaic_gpu.barrier, strided<[], offset: 1>>)");
  EXPECT_THAT(text, HasSubstr("arrival_count = 3 : i64, num_barriers = 2 : i32, orders_tensor_core = false"));
  EXPECT_THAT(text, HasSubstr("builtin.unrealized_conversion_cast"));
}

TEST(OldSpellings, CopiesHadAFormOfTheirOwn) {
  EXPECT_THAT(
      now(R"(mosaic_gpu.async_load source(%a : memref<4x8xf32>) destination(%b : memref<4x8xf32, #gpu.address_space<workgroup>>) barrier(%slot : memref<!mosaic_gpu.barrier>) indices(%i, %i) predicate(%p) {slice_lengths = array<i64: 4, 8>, collective = []})"),
      HasSubstr("operandSegmentSizes = array<i32: 1, 1, 1, 2, 1, 0>"));
  EXPECT_THAT(
      now(R"(mosaic_gpu.async_store source(%b : memref<4x8xf32, #gpu.address_space<workgroup>>) destination(%a : memref<4x8xf32>) indices(%i, %i) predicate() {slice_lengths = array<i64: 4, 8>})"),
      HasSubstr("operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>"));
  EXPECT_THAT(
      now(R"(mosaic_gpu.async_prefetch source(%a : memref<4x8xf32>) indices(%i, %i) predicate() {slice_lengths = array<i64: 4, 8>, collective = []})"),
      HasSubstr("operandSegmentSizes = array<i32: 1, 2, 0>"));
}

TEST(OldSpellings, CopiesHadNoPeer) {
  const std::string text = now(
      R"("mosaic_gpu.async_load"(%a, %b, %slot, %i, %i) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 4, 8>}> : (memref<4x8xf32>, memref<4x8xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier>, i32, i32) -> ())");
  EXPECT_THAT(text, HasSubstr("operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>"));
  EXPECT_THAT(text, HasSubstr("oob_fill_mode = 2 : i32"));
}

TEST(OldSpellings, DimensionsHadAnAttribute) {
  EXPECT_THAT(
      now(R"("mosaic_gpu.async_load"(%a, %b, %slot, %i, %i) <{collective = [#mosaic_gpu.dim<y>], operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 4, 8>}> : (memref<4x8xf32>, memref<4x8xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier>, i32, i32) -> ())"),
      HasSubstr("collective = [1 : i32]"));
}

TEST(OldSpellings, ExpectedBytesWereANumber) {
  const std::string text =
      now("mosaic_gpu.arrive_expect_tx barrier(%slot : memref<!mosaic_gpu.barrier>) 4096");
  EXPECT_THAT(text, HasSubstr("arith.constant 4096 : i32"));
  EXPECT_THAT(text, HasSubstr("mosaic_gpu.arrive_expect_tx barrier("));
  EXPECT_THAT(text, Not(HasSubstr("expect_tx =")));
}

TEST(OldSpellings, PlacesInSharedMemoryWereValues) {
  EXPECT_THAT(now(R"(%at = arith.constant 512 : i32
  %s = "mosaic_gpu.slice_smem"(%at) : (i32) -> memref<4xf32, #gpu.address_space<workgroup>>)"),
              HasSubstr("\"mosaic_gpu.slice_smem\"() <{offset = 512 : i32}>"));
  EXPECT_THAT(
      now(R"(%s = "mosaic_gpu.slice_smem"(%i) : (i32) -> memref<4xf32, #gpu.address_space<workgroup>>)"),
      HasSubstr("kernel-upgrade"));
}

TEST(OldSpellings, LayoutsHadNamesAndOneWarpDimension) {
  EXPECT_THAT(now("%c = mosaic_gpu.layout_cast x(%v : vector<64x64xf32>) {new_layout = "
                  "#mosaic_gpu.TiledLayout<[[64, 8], "
                  "[16, 8], [8, 8], [1, 2]], warp_dim = -8, lane_dims = [-4, -3], vector_dim = -1>}"),
              HasSubstr("warp_dims = [-8]"));
  EXPECT_THAT(
      now("%c = \"mosaic_gpu.optimization_barrier\"(%v) {in_layouts = [#mosaic_gpu.WGMMAFragLayout]} : "
          "(vector<64x64xf32>) -> vector<64x64xf32>"),
      HasSubstr(
          "#mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], "
          "vector_dim = -1>"));
  EXPECT_THAT(
      now("%c = \"mosaic_gpu.optimization_barrier\"(%v) {in_layouts = [#mosaic_gpu.WGMMARowFragLayout]} : "
          "(vector<64x64xf32>) -> vector<64x64xf32>"),
      HasSubstr("lane_dims = [-2, #mosaic_gpu.Replicated<times = 4>]"));
}

TEST(OldSpellings, TransformsHadNoBracketsAndLayoutsHeldThem) {
  EXPECT_THAT(
      now("%w = \"mosaic_gpu.with_transforms\"(%b) {transforms = [#mosaic_gpu.tile<2, 4>, "
          "#mosaic_gpu.transpose<1, 0, 2, 3>, #mosaic_gpu.swizzle<swizzle_64>]} : (memref<4x8xf32, "
          "#gpu.address_space<workgroup>>) -> memref<4x8xf32, #gpu.address_space<workgroup>>"),
      HasSubstr("[#mosaic_gpu.tile<[2, 4]>, #mosaic_gpu.transpose<[1, 0, 2, 3]>, #mosaic_gpu.swizzle<64>]"));
  EXPECT_THAT(now("%w = builtin.unrealized_conversion_cast to memref<4x8xf32, #mosaic_gpu.layout<2, "
                  "#mosaic_gpu.tile<2, 4>>, 3>"),
              HasSubstr("#mosaic_gpu.layout<2,"));
}

TEST(OldSpellings, SumsOfTensorCoresWereResults) {
  const std::string text =
      now(R"(%acc = builtin.unrealized_conversion_cast to memref<128x160xf32, #mosaic_gpu.tmem>
  %x = builtin.unrealized_conversion_cast to memref<128x128xf16, #gpu.address_space<workgroup>>
  %y = builtin.unrealized_conversion_cast to memref<128x160xf16, #gpu.address_space<workgroup>>
  %r = "mosaic_gpu.tcgen05_mma"(%acc, %x, %y, %p) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (memref<128x160xf32, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x160xf16, #gpu.address_space<workgroup>>, i1) -> memref<128x160xf32, #mosaic_gpu.tmem>
  mosaic_gpu.tmem_dealloc tmem_ref(%r : memref<128x160xf32, #mosaic_gpu.tmem>))");
  EXPECT_THAT(text, HasSubstr("array<i32: 1, 1, 1, 1, 0, 0, 0>"));
  EXPECT_THAT(text, HasSubstr("-> ()"));
}

TEST(OldSpellings, NewerMlirLaunchesWithMoreArguments) {
  const std::string text = now(R"(%one = arith.constant 1 : index
  "gpu.launch"(%one, %one, %one, %one, %one, %one) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> ({
  ^bb0(%x0: index, %x1: index, %x2: index, %x3: index, %x4: index, %x5: index, %x6: index, %x7: index, %x8: index, %x9: index, %x10: index, %x11: index):
    gpu.terminator
  }) : (index, index, index, index, index, index) -> ())");
  EXPECT_THAT(text, HasSubstr("gpu.launch blocks("));
}

TEST(OldSpellings, WhatIsNotKnownIsSaidByName) {
  EXPECT_THAT(now("\"mosaic_gpu.teleport\"() : () -> ()"),
              HasSubstr("MLIR 22 has no operation mosaic_gpu.teleport"));
  const auto newer = studyKernel("module attributes {stable_mosaic_gpu.version = 99 : i64} {}", "k.mlir");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().kind, "kernel-version");
  EXPECT_THAT(newer.error().message, HasSubstr("is of version 99; known are versions 1 to 7"));
}

}  // namespace
}  // namespace hilo
