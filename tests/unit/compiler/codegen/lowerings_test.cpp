// The tables of lowerings: lower/lowerings.def for every engine, and an engine's own.
#include "core/compiler/codegen/lower/codegen_engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/compiler/codegen/cpu/cpu_codegen.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

const std::vector<Opcode>& allOpcodes() {
  static const std::vector<Opcode> kOpcodes = {
#define OP(name, ...) Opcode::name,
#include "core/hlo/ir/ops.def"
  };
  return kOpcodes;
}

std::vector<std::string> obstaclesOf(std::string_view text, const CodegenEngine& engine) {
  const auto module = parseModuleStrictly(std::string(text));
  EXPECT_TRUE(module.has_value());
  std::vector<std::string> messages;
  for (const Diagnostic& found : codegenObstacles(**module, engine)) messages.push_back(found.message);
  return messages;
}

TEST(Lowerings, EveryOpcodeButOpaqueHasOne) {
  for (const Opcode opcode : allOpcodes())
    EXPECT_EQ(loweringOf(opcode, cpuCodegen()).has_value(), opcode != Opcode::Opaque) << opcodeName(opcode);
}

TEST(Lowerings, NoOpcodeOfAnEngineIsEveryEnginesToo) {
  const CodegenEngine none{.name = "none", .lowerings = {}};
  for (const OpcodeLowering& own : cpuCodegen().lowerings) {
    EXPECT_FALSE(isElementwise(own.opcode)) << opcodeName(own.opcode);
    EXPECT_FALSE(loweringOf(own.opcode, none).has_value()) << opcodeName(own.opcode);
  }
}

TEST(Lowerings, AnEngineWithoutALineRefusesByItsName) {
  const auto nothing = [](const Instruction&, const HasHandler&) -> std::optional<Diagnostic> { return {}; };
  const CodegenEngine bare{.name = "bare", .lowerings = {}, .findObstacle = nothing};
  constexpr std::string_view kText = R"(HloModule m
ENTRY e {
  a = f32[2,3] parameter(0)
  n = f32[2,3] negate(a)
  ROOT t = f32[3,2] transpose(n), dimensions={1,0}
}
)";
  EXPECT_EQ(obstaclesOf(kText, bare),
            std::vector<std::string>{"the bare engine has no emitter for transpose"});
  EXPECT_EQ(obstaclesOf(kText, cpuCodegen()), std::vector<std::string>{});
}

// An element has no device: the id is an array of its own.
TEST(Lowerings, DeviceIdsAreNotApplied) {
  constexpr std::string_view kText = R"(HloModule m
f {
  a = u32[] parameter(0)
  r = u32[] replica-id()
  ROOT s = u32[] add(a, r)
}
ENTRY e {
  p = u32[4] parameter(0)
  ROOT m = u32[4] map(p), dimensions={0}, to_apply=f
}
)";
  EXPECT_EQ(obstaclesOf(kText, cpuCodegen()),
            std::vector<std::string>{"map applies f, whose r is no operation on single elements"});
}

// Its thunk has one reduction an array: without a computation there is none to write.
TEST(Lowerings, AReducingCollectiveNamesItsComputation) {
  constexpr std::string_view kText = R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(p), replica_groups={}
}
)";
  EXPECT_EQ(obstaclesOf(kText, cpuCodegen()),
            std::vector<std::string>{"all-reduce names no computation to reduce with (to_apply)"});
}

TEST(Lowerings, AReducingCollectiveAppliesItsComputationToTwoNumbers) {
  EXPECT_EQ(obstaclesOf("HloModule m\nsum {\n a = f32[] parameter(0)\n b = f32[] constant(1)\n"
                        " ROOT s = f32[] add(a, b)\n}\nENTRY e {\n p = f32[8] parameter(0)\n"
                        " ROOT r = f32[8] all-reduce(p), replica_groups={}, to_apply=sum\n}\n",
                        cpuCodegen()),
            std::vector<std::string>{"all-reduce applies sum, which makes no scalar of two"});
}

TEST(Lowerings, AProgramIsForOneToAThousandDevices) {
  const auto of = [](int partitions) {
    return fmt::format("HloModule m, num_partitions={}\nENTRY e {{ ROOT p = f32[4] parameter(0) }}\n",
                       partitions);
  };
  EXPECT_EQ(obstaclesOf(of(1024), cpuCodegen()), std::vector<std::string>{});
  EXPECT_EQ(obstaclesOf(of(1025), cpuCodegen()),
            std::vector<std::string>{
                "the module is for 1 replicas of 1025 partitions, a program for 1 to 1024 of each"});
  EXPECT_EQ(obstaclesOf(of(0), cpuCodegen()),
            std::vector<std::string>{
                "the module is for 1 replicas of 0 partitions, a program for 1 to 1024 of each"});
}

TEST(Lowerings, ALineOfArraysRefusesTuples) {
  constexpr std::string_view kText = R"(HloModule m
ENTRY e {
  t = (f32[2], f32[2]) parameter(0)
  ROOT c = (f32[2], f32[2]) reverse(t), dimensions={0}
}
)";
  EXPECT_EQ(obstaclesOf(kText, cpuCodegen()), std::vector<std::string>{"reverse of a tuple is not compiled"});
}

}  // namespace
}  // namespace hilo
