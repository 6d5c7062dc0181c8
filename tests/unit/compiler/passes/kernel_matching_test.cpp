#include "core/compiler/passes/fusion/kernel_matching.h"

#include <gtest/gtest.h>

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/fusion/fusion_cost.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::unique_ptr<Module> parsed(std::string_view entry) {
  auto module = parseModuleStrictly(fmt::format(
      "HloModule m\nsum {{ x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }}\n"
      "ENTRY e {{ {} }}",
      entry));
  EXPECT_TRUE(module.has_value()) << (module ? "" : toString(module.error()));
  return module ? std::move(*module) : nullptr;
}

constexpr std::string_view kKernels = R"(
  p = f32[64,2048] parameter(0) z = f32[] constant(0)
  rows = f32[64] reduce(p, z), dimensions={1}, to_apply=sum
  rows.2 = f32[64] reduce(p, z), dimensions={1}, to_apply=sum
  columns = f32[2048] reduce(p, z), dimensions={0}, to_apply=sum
  turned = f32[2048,64] transpose(p), dimensions={1,0}
  along = f32[64,2048] negate(p)
  short = f32[64] negate(rows)
  ROOT t = (f32[64], f32[64], f32[2048], f32[2048,64], f32[64,2048], f32[64]) tuple(rows, rows.2, columns, turned, along, short)
)";

TEST(KernelMatching, KernelsGoTogetherThatReadTheSameElementsInTheSameWay) {
  const auto module = parsed(kKernels);
  const auto go = [&](const char* one, const char* other) {
    return goTogether(kernelFacts(*module->findInstruction(one)),
                      kernelFacts(*module->findInstruction(other)));
  };
  EXPECT_TRUE(go("rows", "rows.2"));
  EXPECT_TRUE(go("rows", "along"));  // the loop goes over what is reduced
  EXPECT_TRUE(go("along", "turned"));
  EXPECT_FALSE(go("rows", "columns"));
  EXPECT_FALSE(go("rows", "turned"));
  EXPECT_FALSE(go("rows", "short"));
}

// A column reduction keeps 32 x 129 values of 4 bytes: two fit into 48 KiB, three do not.
TEST(KernelMatching, SharedMemoryHoldsTwoReductionsOfColumns) {
  const auto module = parsed(kKernels);
  const Instruction& columns = *module->findInstruction("columns");
  EXPECT_EQ(sharedBytesOf(columns), 16'512);
  KernelFacts one = kernelFacts(columns), two = one;
  EXPECT_TRUE(fitOneKernel(columns, one, columns, two));
  two.sharedBytes *= 2;
  EXPECT_FALSE(fitOneKernel(columns, one, columns, two));
}

double costNs(const Module& module, std::vector<uint32_t> members) {
  const std::vector<Instruction*> all(module.entry()->instructions().begin(),
                                      module.entry()->instructions().end());
  return KernelCosts(all, GpuRates()).of(members).ns;
}

// 2^24 elements of 4 bytes, read and written at 3,350 bytes a nanosecond: 40,063 ns of memory; work is hidden
// behind it but for a twentieth.
TEST(KernelCosts, LargeElementwiseKernelsTakeTheirBytes) {
  const auto module = parsed("p = f32[16777216] parameter(0) ROOT n = f32[16777216] negate(p)");
  const double memory = 2.0 * 16777216 * 4 / 3350;
  EXPECT_GE(costNs(*module, {1}), memory);
  EXPECT_LE(costNs(*module, {1}), 1.05 * memory);
}

// Both read p along the same elements: once.
TEST(KernelCosts, ElementwiseUsersShareWhatTheyRead) {
  const auto module =
      parsed("p = f32[16777216] parameter(0) n = f32[16777216] negate(p) ROOT a = f32[16777216] add(n, p)");
  EXPECT_LT(costNs(*module, {2, 1}), 1.1 * 2 * 16777216 * 4 / 3350);
  EXPECT_GT(costNs(*module, {2}), 2.9 * 16777216 * 4 / 3350);
}

// One value of each line of 64 bytes is used.
TEST(KernelCosts, ATurnedMinorDimensionReadsLinesForOneValue) {
  const auto module =
      parsed("p = f32[4096,4096,7] parameter(0) ROOT t = f32[7,4096,4096] transpose(p), dimensions={2,0,1}");
  const double bytes = 4096.0 * 4096 * 7 * 4;
  EXPECT_GT(costNs(*module, {1}), 16 * bytes / 3350);
}

}  // namespace
}  // namespace hilo
