// Which registers hold one number all the time, and that kernels which use them give what they must.
#include "core/compiler/codegen/simulate/constant_registers.h"

#include "core/runtime/ptx/read_ptx.h"
#include "tests/unit/compiler/codegen/simulate/simulated_run.h"

namespace hilo {
namespace {

const std::string kBegin =
    ".entry k(.param .u64 x) {\n.reg .pred %p<9>;\n.reg .b32 %r<30>;\n.reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd0, [x];\nmov.u32 %r20, %tid.x;\nmul.wide.u32 %rd1, %r20, 4;\n"
    "add.s64 %rd2, %rd0, %rd1;\nld.global.u32 %r1, [%rd2];\n";

// By register's name, those that are constant.
std::map<std::string, uint64_t> constantsOf(const std::string& body) {
  const auto module =
      readPtx(".version 8.5\n.target sm_90\n.address_size 64\n" + kBegin + body + "ret;\n}\n");
  EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
  std::map<std::string, uint64_t> found;
  if (!module) return found;
  const PtxFunction& function = module->functions.front();
  const auto constants = constantRegisters(function);
  for (size_t i = 0; i < constants.size(); ++i) {
    if (constants[i]) found[function.registers[i].name] = *constants[i];
  }
  return found;
}

TEST(ConstantRegisters, AreThoseThatOneMoveWrites) {
  using Constants = std::map<std::string, uint64_t>;
  EXPECT_EQ(constantsOf("mov.u32 %r2, 16;\nadd.s32 %r3, %r1, %r2;\n"), (Constants{{"%r2", 16}}));
  EXPECT_EQ(constantsOf("mov.f32 %r2, 0f3F800000;\n"), (Constants{{"%r2", 0x3f800000}}));
  EXPECT_EQ(constantsOf("mov.b32 %r2, %r1;\n"), Constants{}) << "of a register";
  EXPECT_EQ(constantsOf("mov.u32 %r2, 16;\nmov.u32 %r2, 17;\n"), Constants{}) << "two numbers";
  EXPECT_EQ(constantsOf("mov.u32 %r2, 16;\nL:\nadd.s32 %r2, %r2, 1;\n"), Constants{}) << "counted up";
  EXPECT_EQ(constantsOf("mov.u32 %r2, 16;\nmov.b64 {%r2, %r3}, %rd0;\n"), Constants{}) << "part of a pair";
  EXPECT_EQ(constantsOf("setp.eq.s32 %p1, %r1, 0;\n@%p1 mov.u32 %r2, 16;\n"), Constants{}) << "guarded";
  EXPECT_EQ(constantsOf("mov.u32 %r2, 16;\n@%p1 ld.global.u32 %r2, [%rd0];\n"), Constants{});
}

// What thread `i` of a warp gives that was given 100 + i.
std::vector<uint32_t> warpOf(const std::string& body) {
  std::vector<uint32_t> values(32);
  for (uint32_t i = 0; i < 32; ++i) values[i] = 100 + i;
  SimulatedRun::ofText(kBegin + body + "st.global.u32 [%rd2], %r0;\nret;\n}\n")
      .good({.kernel = "k", .block = {32}}, values);
  return values;
}

TEST(ConstantRegisters, MoveLanesOfAWarp) {
  const auto moved = warpOf(
      "mov.u32 %r2, 16;\nmov.u32 %r3, 31;\nmov.u32 %r4, -1;\n"
      "shfl.sync.bfly.b32 %r0|%p1, %r1, %r2, %r3, %r4;\n");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(moved[i], 100 + (i ^ 16));
}

TEST(ConstantRegisters, ARegisterOfTwoNumbersMovesLanesByTheOneOfItsTurn) {
  const auto moved = warpOf(
      "mov.u32 %r2, 16;\nmov.u32 %r3, 31;\nmov.u32 %r5, 0;\nmov.u32 %r0, %r1;\n"
      "L:\nshfl.sync.bfly.b32 %r0, %r0, %r2, %r3, -1;\nshr.u32 %r2, %r2, 1;\n"
      "setp.gt.u32 %p1, %r2, %r5;\n@%p1 bra L;\n");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(moved[i], 100 + (i ^ 31));
}

TEST(ConstantRegisters, FloatsAndNegativeNumbersKeepTheirBits) {
  const auto sums = warpOf(
      "mov.f32 %r2, 0f40000000;\nmov.s32 %r3, -3;\ncvt.rn.f32.s32 %r4, %r3;\n"
      "add.f32 %r5, %r2, %r4;\ncvt.rni.s32.f32 %r0, %r5;\n");
  for (const uint32_t sum : sums) EXPECT_EQ(sum, static_cast<uint32_t>(-1));
}

}  // namespace
}  // namespace hilo
