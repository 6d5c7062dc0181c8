// Scatters: by atomic operations, without them where nothing meets, and in order where that decides.
#include <gtest/gtest.h>

#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

// 60 updates of rows of an array of 7 by 20: many meet.
std::string scatter(const std::string& type, const std::string& operation, const std::string& more = "") {
  return fmt::format(R"(combine {{ a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT r = {0}[] {1} }}
ENTRY e {{ p = {0}[7,20] parameter(0)
  n = s32[60,1] iota(), iota_dimension=0
  five = s32[] constant(5)
  fives = s32[60,1] broadcast(five), dimensions={{}}
  i = s32[60,1] remainder(n, fives)
  u = {0}[60,20] parameter(1)
  ROOT r = {0}[7,20] scatter(p, i, u), update_window_dims={{1}}, inserted_window_dims={{0}},
    scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=combine{2} }})",
                     type, operation, more);
}

TEST(GpuScatter, IntegersMeetInAtomicInstructions) {
  for (const auto& [operation, instruction] :
       {std::pair("add(a, b)", "add"), std::pair("maximum(a, b)", "max.s32"),
        std::pair("and(a, b)", "and.b32")}) {
    const auto done = expectChecked(moduleWithReducers(scatter("s32", operation)));
    EXPECT_TRUE(done.ptx.back().contains("atom.") || done.ptx.back().contains("red.")) << done.ptx.back();
    EXPECT_TRUE(done.ptx.back().contains(instruction)) << done.ptx.back();
    EXPECT_EQ(done.counters.back().threads, 5u * 256);
  }
}

TEST(GpuScatter, SumsOfFloatsAreAtomicUnlessAskedOtherwise) {
  const auto atomic = expectChecked(moduleWithReducers(scatter("f32", "add(a, b)")), 1e-4);
  EXPECT_TRUE(atomic.ptx.back().contains("add.f32")) << atomic.ptx.back();
  EXPECT_TRUE(atomic.ptx.back().contains("atom.") || atomic.ptx.back().contains("red."));
  const auto ordered = expectChecked(
      moduleWithReducers(scatter("f32", "add(a, b)", ", frontend_attributes={hilo_deterministic=\"true\"}")),
      1e-4);
  EXPECT_FALSE(ordered.ptx.back().contains("atom.") || ordered.ptx.back().contains("red."));
  EXPECT_EQ(ordered.counters.back().threads, 20u);
}

TEST(GpuScatter, OtherOperationsCompareAndSwap) {
  const auto done = expectChecked(moduleWithReducers(scatter("f32", "maximum(a, b)")));
  EXPECT_TRUE(done.ptx.back().contains("atom.") && done.ptx.back().contains("cas")) << done.ptx.back();
  (void)expectChecked(moduleWithReducers(scatter("u32", "multiply(a, b)")));
}

// The last one stays.
TEST(GpuScatter, WhatOverwritesGoesInOrder) {
  const auto done = expectChecked(moduleWithReducers(scatter("f32", "copy(b)")));
  EXPECT_FALSE(done.ptx.back().contains("atom."));
  EXPECT_EQ(done.counters.back().threads, 20u);
}

TEST(GpuScatter, UniquePlacesNeedNoAtomics) {
  const auto done = expectChecked(moduleWithReducers(R"(put { a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT r = bf16[] copy(b) }
ENTRY e { p = bf16[50,8] parameter(0)
  i = s32[30,1] iota(), iota_dimension=0
  u = bf16[30,8] parameter(1)
  ROOT r = bf16[50,8] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=put, unique_indices=true })"));
  EXPECT_FALSE(done.ptx.back().contains("atom."));
  EXPECT_EQ(done.counters.back().threads, 240u);
}

}  // namespace
}  // namespace hilo
