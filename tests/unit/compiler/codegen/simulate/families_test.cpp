// Each family of ptx_ops.def is simulated, or refused by its name before anything runs.
#include <set>

#include "core/runtime/ptx/ptx_ops.h"
#include "core/runtime/ptx/read_ptx.h"
#include "tests/unit/compiler/codegen/simulate/simulated_run.h"

namespace hilo {
namespace {

const std::set<std::string> kRefused = {"alloca",
                                        "clusterlaunchcontrol",
                                        "cp.reduce.async.bulk",
                                        "cp.reduce.async.bulk.tensor",
                                        "createpolicy",
                                        "cvt.pack",
                                        "dp2a",
                                        "mma.sp",
                                        "multimem",
                                        "red.async",
                                        "st.async",
                                        "st.bulk",
                                        "stackrestore",
                                        "stacksave",
                                        "suld",
                                        "suq",
                                        "sured",
                                        "sust",
                                        "tcgen05",
                                        "tensormap.replace",
                                        "tex",
                                        "tld4",
                                        "txq"};

// What is said of the opcode alone, with a modifier that no instruction has.
std::string obstacleOf(const std::string& opcode) {
  const auto module =
      readPtx(".version 8.5\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .b32 %r<3>;\n" + opcode +
              ".odd %r1, %r2;\nret;\n}\n");
  if (!module) return module.error().kind;
  const Diagnostics problems = simulationObstacles(*module, {});
  return problems.empty() ? ""
                          : problems.front().kind + " at " + std::to_string(problems.front().place.line) +
                                ": " + problems.front().message;
}

TEST(SimulatedFamilies, EachIsSimulatedOrRefusedByName) {
  std::set<std::string> refused;
  for (const std::string& opcode : {
#define PTX_OP(op, name) std::string(name),
#include "core/runtime/ptx/ptx_ops.def"
       }) {
    if (opcode.empty() || opcode == "bra" || opcode == "call") continue;
    const std::string said = obstacleOf(opcode);
    if (said == "unsupported-instruction at 6: " + opcode + ".odd in k is not simulated")
      refused.insert(opcode);
  }
  // What is simulated and wants a type or other operands says more than that.
  for (const std::string& name : kRefused) EXPECT_TRUE(refused.contains(name)) << name;
  EXPECT_EQ(obstacleOf("tcgen05"), "unsupported-instruction at 6: tcgen05.odd in k is not simulated");
  EXPECT_EQ(obstacleOf("add"), "unsupported-instruction at 6: add.odd in k is not simulated: it has no type");
}

TEST(SimulatedFamilies, AllThatIsRefusedIsToldAtOnce) {
  const auto module = readPtx(
      ".version 8.5\n.target sm_100a\n.address_size 64\n.entry k() {\n.reg .b32 "
      "%r<3>;\ntcgen05.wait::ld.sync.aligned;\n"
      "mov.u32 %r1, 0;\ntensormap.replace.tile.rank.global.b1024.b32 [%r1], 2;\nret;\n}\n");
  ASSERT_TRUE(module);
  const auto code = simulatePtx(*module, {.file = "k.ptx"});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().kind, "unsupported-instruction");
  EXPECT_EQ(code.error().place.line, 6u);
  ASSERT_EQ(code.error().notes.size(), 1u);
  EXPECT_EQ(code.error().notes[0].substr(0, 25), "line 8: tensormap.replace");
}

TEST(SimulatedFamilies, AFunctionThatWaitsAndCallsItselfIsRefused) {
  const auto module = readPtx(
      ".version 8.5\n.target sm_90\n.address_size 64\n"
      ".func f() {\nbar.sync 0;\ncall f;\nret;\n}\n.entry k() {\ncall f;\nret;\n}\n");
  ASSERT_TRUE(module) << toString(module.error());
  const auto code = simulatePtx(*module, {});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().kind, "unsupported-ptx");
  EXPECT_NE(code.error().message.find("f waits for other threads and calls itself"), std::string::npos)
      << code.error().message;
}

}  // namespace
}  // namespace hilo
