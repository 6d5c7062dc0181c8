// Kinds of processors: which of them a name belongs to, and object code of a kind that is not this machine's.
#include "core/compiler/codegen/emit/codegen_targets.h"

#include <gtest/gtest.h>

#include "core/compiler/codegen/cpu/cpu_codegen.h"
#include "core/compiler/codegen/cpu/cpu_target.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

constexpr const char* kArm = "neoverse-n1";

Result<CompiledModule> compiledFor(const char* cpu, const std::string& instructions) {
  const auto module = moduleWithReducers(instructions);
  auto target = processorTarget(cpu);
  if (!target) return std::unexpected(target.error());
  return compileModule(*module, cpuCodegen(), {.target = *target, .threads = 1});
}

// The field e_machine of an ELF file.
int machineOf(const KernelObject& object) {
  return static_cast<int>(object.code[18]) | static_cast<int>(object.code[19]) << 8;
}

TEST(CodegenTarget, FeaturesAreSortedAndHoldWhatIsNeeded) {
  for (const CodegenTarget* target : codegenTargets()) {
    EXPECT_TRUE(std::ranges::is_sorted(target->features)) << target->triple;
    for (const std::string_view needed : target->needed)
      EXPECT_TRUE(std::ranges::binary_search(target->features, needed)) << needed;
    EXPECT_EQ(findCodegenTarget(target->triple), target);
  }
  EXPECT_EQ(findCodegenTarget("nvptx64-nvidia-cuda"), nullptr);
}

TEST(CodegenTarget, IsFoundByTheNameOfAProcessor) {
  EXPECT_EQ(processorTarget("skylake-avx512")->triple, "x86_64-pc-linux-gnu");
  EXPECT_EQ(processorTarget(kArm)->triple, "aarch64-unknown-linux-gnu");
  EXPECT_TRUE(std::ranges::count(processorTarget(kArm)->features, "neon"));
  EXPECT_EQ(processorTarget("pentium4").error().kind, "unsupported-cpu");
  EXPECT_EQ(processorTarget("nosuch").error().kind, "unknown-cpu");
}

// 62 is EM_X86_64, 183 EM_AARCH64.
TEST(CodegenTarget, CompilesForAnotherKindThatIsNotRunHere) {
  const std::string body =
      "p = f32[64,32] parameter(0)\nz = f32[] constant(0)\nt = f32[64,32] tanh(p)\n"
      "ROOT r = f32[64] reduce(t, z), dimensions={1}, to_apply=addf";
  const auto here = compiledFor("x86-64-v3", body), there = compiledFor(kArm, body);
  ASSERT_TRUE(here) << toString(here.error());
  ASSERT_TRUE(there) << toString(there.error());
  EXPECT_EQ(machineOf(here->program.objects[0]), 62);
  EXPECT_EQ(machineOf(there->program.objects[0]), 183);
  const Status refused = checkMachine(there->program.target);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, "wrong-machine");
  EXPECT_TRUE(refused.error().message.contains("aarch64")) << refused.error().message;
}

// Complex functions of the C library are called as x86-64 does.
TEST(CodegenTarget, RefusesCallsThatAreOnlyTheHosts) {
  const auto refused = compiledFor(kArm, "p = c128[4] parameter(0)\nROOT r = c128[4] tan(p)");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, "unsupported-cpu");
}

}  // namespace
}  // namespace hilo
