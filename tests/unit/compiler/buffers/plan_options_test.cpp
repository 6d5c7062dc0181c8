// Plans with places chosen beforehand, stacks of threads, memory spaces, and values put apart.
#include "core/compiler/buffers/buffer_table.h"
#include "tests/unit/compiler/buffers/plan_expectations.h"

namespace hilo {
namespace {

class PlanOptions : public PlanExpectations {};
TEST_P(PlanOptions, ArePlannedAsXlaDoes) { run(); }

constexpr PlannedFor kListed = PlannedFor::ListedOrder;

// What is made and used on the side thread alone is in memory space 1.
int64_t colorByThread(const AliasAnalysis& aliases, const HloValue& v) {
  for (const ValueId id : aliases.bufferOf(v.id).values) {
    const HloValue& value = aliases.dataflow().value(id);
    const auto isMain = [](const Instruction* i) {
      return i->parent().attributes().get<Attr::ExecutionThread>() != "side";
    };
    for (const HloPosition& position : value.positions) {
      if (isMain(position.instruction)) return 0;
    }
    for (const HloUse& use : value.uses) {
      if (isMain(use.instruction)) return 0;
    }
  }
  return 1;
}
void aStack(BufferAssignmentOptions& options, const Module& module) {
  options.colorOf = colorByThread;
  options.privateStacks[1] = {module.findComputation("f")};
}
void twoStacks(BufferAssignmentOptions& options, const Module& module) {
  options.colorOf = colorByThread;
  options.privateStacks[1] = {module.findComputation("f"), module.findComputation("g")};
}
void presetTwo(BufferAssignmentOptions& options, const Module& module) {
  options.presets = {{{module.findInstruction("m"), {}}, 100, 200},
                     {{module.findInstruction("a"), {}}, 350, 200}};
  options.presetBytes[1] = 550;
}
void presetState(BufferAssignmentOptions& options, const Module& module) {
  options.presets = {{{module.findInstruction("n"), {}}, 100, 12}};
  options.presetBytes[1] = 112;
}

#define WORK(name, n0, n1, n2, n3, r, thread)                                                                \
  "\n" name " { " n0 "x = f32[4] parameter(0) " n0 "y = f32[4] parameter(1) " n0 " = f32[4] negate(" n0      \
  "x) " n1 " = f32[4] negate(" n0 "y) " n2 " = f32[4] negate(" n1 ") " n3 " = f32[4] negate(" n2 ") ROOT " r \
  " = f32[4] add(" n0 ", " n3 ") }" thread
#define START(name, x, y, called, thread) \
  name " = ((f32[4], f32[4]), f32[4], u32[]) async-start(" x ", " y ")" thread ", calls=" called " "
#define DONE(name, start, called, thread) name " = f32[4] async-done(" start ")" thread ", calls=" called " "
#define SIDE ", execution_thread=\"side\""
#define ON_SIDE ", async_execution_thread=\"side\""
#define MEANWHILE                                                                                         \
  "m4 = f32[4] negate(a) m5 = f32[4] negate(b) m6 = f32[4] negate(m5) m7 = f32[4] negate(m6) s = f32[4] " \
  "add(m4, m7) "
#define APART_FROM_MAIN(n) n "!=m4 " n "!=m5 " n "!=m6 " n "!=m7 " n "!=s "

const PlanExpectation kRows[] = {
    {"AsyncCall",
     "n0x==a n0y==b r==d " APART_FROM_MAIN("n0") APART_FROM_MAIN("n1") APART_FROM_MAIN("n2")
         APART_FROM_MAIN("n3"),
     WORK("f", "n0", "n1", "n2", "n3", "r",
          "") "\nENTRY e { a = f32[4] parameter(0) b = f32[4] parameter(1) " START("st", "a", "b", "f", "")
         MEANWHILE DONE("d", "st", "f", "") "ROOT t = f32[4] add(s, d) }",
     kListed},
    {"AsyncCallPrivateStack",
     "n0x==a n0y==b r==d n0!=n1 n1==n2 n1==n3 n0.color=1 m4.color=0 " APART_FROM_MAIN("n0")
         APART_FROM_MAIN("n1"),
     WORK("f", "n0", "n1", "n2", "n3", "r",
          SIDE) "\nENTRY e { a = f32[4] parameter(0) b = f32[4] parameter(1) " START("st", "a", "b", "f",
                                                                                     ON_SIDE)
         MEANWHILE DONE("d", "st", "f", ON_SIDE) "ROOT t = f32[4] add(s, d) }",
     kListed, aStack},
    {"MultipleAsyncCallPrivateStack",
     "n0x==a n0y==b k0x==b k0y==a r==d q==h n0!=n1 n1==n2 n1==n3 k0~n0 k1~n0 n0.size=32 " APART_FROM_MAIN(
         "n0") APART_FROM_MAIN("k0") APART_FROM_MAIN("k1"),
     WORK("f", "n0", "n1", "n2", "n3", "r", SIDE)
         WORK("g", "k0", "k1", "k2", "k3", "q",
              SIDE) "\nENTRY e { a = f32[4] parameter(0) b = f32[4] parameter(1) " START("st", "a", "b", "f",
                                                                                         ON_SIDE)
             START("st2", "b", "a", "g", ON_SIDE) MEANWHILE DONE("d", "st", "f", ON_SIDE)
                 DONE("h", "st2", "g", ON_SIDE) "t = f32[4] add(s, d) ROOT u = f32[4] add(t, h) }",
     kListed, twoStacks},
    {"AsyncCallImplicitSharding", "p.bytes=32 u.bytes=32 u==p",
     "\nf { x = f32[4] parameter(0) c = f32[1] constant({1}) i = s32[] constant(1) u = f32[4] "
     "dynamic-update-slice(x, c, i) ROOT n = f32[4] negate(u) }"
     "\nENTRY e { p = f32[8] parameter(0) st = ((f32[8]), f32[8], s32[]) async-start(p), "
     "async_execution_thread=\"side\", calls=f ROOT d = f32[8] async-done(st) }",
     kListed},
    {"AsyncCustomCall", "n!=d",
     "\nENTRY e { a = f32[9] parameter(0) n = f32[9] negate(a) st = ((f32[9]), f32[9], u32[]) "
     "custom-call-start(n), custom_call_target=\"t\" d = f32[9] custom-call-done(st) ROOT r = f32[9] "
     "negate(d) }",
     kListed},
    {"AsyncCustomCallWithAliasing", "n==d",
     "\nENTRY e { a = f32[9] parameter(0) n = f32[9] negate(a) st = ((f32[9]), f32[9], u32[]) "
     "custom-call-start(n), custom_call_target=\"t\", output_to_operand_aliasing={{}: (0, {})} d = f32[9] "
     "custom-call-done(st) ROOT r = f32[9] negate(d) }",
     kListed},
    {"PresetAssignments",
     "s!~p p!~q s.color=0 p.color=0 m~a m!~p m.color=1 m.at=100 m.bytes=200 a.at=350 a.bytes=200 m.size=550 "
     "d:out",
     "\nENTRY e { s = f32[] parameter(0) b = f32[50]{0} broadcast(s), dimensions={} p = f32[50]{0} "
     "parameter(1) q = f32[50]{0} parameter(2) "
     "m = f32[50]{0:S(1)} multiply(b, p) a = f32[50]{0:S(1)} add(m, q) ROOT d = f32[50]{0} subtract(a, q) }",
     PlannedFor::ListedAndAnyOrder, presetTwo},
    {"PresetAssignmentsWhile",
     "n.at=100 n.bytes=12 n.color=1 w{1}.at=100 x{1}.at=100 y{1}.at=100 z.at=100 z~n",
     "\ntest { x = (s32[], f32[3]{0:S(1)}) parameter(0) i = s32[] get-tuple-element(x), index=0 k = s32[] "
     "constant(50) ROOT lt = pred[] compare(i, k), direction=LT }"
     "\nturn { y = (s32[], f32[3]{0:S(1)}) parameter(0) j = s32[] get-tuple-element(y), index=0 v = "
     "f32[3]{0:S(1)} get-tuple-element(y), index=1 c = f32[3]{0} constant({1,2,3}) z = f32[3]{0:S(1)} add(v, "
     "c) "
     "one = s32[] constant(1) o = s32[] add(j, one) ROOT r = (s32[], f32[3]{0:S(1)}) tuple(o, z) }"
     "\nENTRY e { it = s32[] parameter(0) data = f32[3]{0} parameter(1) ic = s32[] copy(it) n = "
     "f32[3]{0:S(1)} negate(data) t = (s32[], f32[3]{0:S(1)}) tuple(ic, n) "
     "w = (s32[], f32[3]{0:S(1)}) while(t), condition=test, body=turn g = f32[3]{0:S(1)} "
     "get-tuple-element(w), index=1 ROOT s = f32[3]{0} add(g, data) }",
     kListed, presetState},
};

INSTANTIATE_TEST_SUITE_P(All, PlanOptions, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

constexpr const char* kManySums = R"(HloModule m, is_scheduled=true
ENTRY e {
  p = s32[64] parameter(0)
  q = s32[64] parameter(1)
  m1 = s32[64] multiply(p, q)
  b1 = s32[4,64] broadcast(m1), dimensions={1}
  b2 = s32[4,64] broadcast(p), dimensions={1}
  m2 = s32[64] multiply(m1, p)
  a1 = s32[64] add(m1, m2)
  s2 = s32[64] subtract(m1, m2)
  m3 = s32[64] multiply(m2, a1)
  m4 = s32[64] multiply(m3, s2)
  b3 = s32[4,64] broadcast(m4), dimensions={1}
  a2 = s32[4,64] add(b3, b2)
  ROOT a3 = s32[4,64] add(a2, b1)
})";

const BufferAllocation& heapOf(const BufferAssignment& plan) {
  return *std::ranges::find_if(plan.allocations, &BufferAllocation::isPreallocatedTemp);
}

TEST(BufferIsolation, PutsTheFirstValuesBehindTheHeapAndMovesTheRest) {
  auto module = parseModuleStrictly(kManySums);
  ASSERT_TRUE(module);
  const BufferIsolation isolation{.baseOffsetBytes = 4096, .paddingBytes = 512, .fuel = 3, .colors = {0}};
  const auto plain = assignBuffers(**module, {.alignmentBytes = 1});
  const auto apart = assignBuffers(**module, {.alignmentBytes = 1, .isolation = isolation});
  ASSERT_TRUE(plain && apart);
  const auto& before = heapOf(*plain).assigned;
  const auto& after = heapOf(*apart).assigned;
  ASSERT_EQ(before.size(), after.size());
  ASSERT_GT(after.size(), isolation.fuel);
  int64_t expected = heapOf(*plain).sizeBytes + 4096 + 512;
  for (size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].bufferId, before[i].bufferId);
    if (i >= isolation.fuel) {
      EXPECT_EQ(after[i].offsetBytes, before[i].offsetBytes + 4096);
      continue;
    }
    EXPECT_EQ(after[i].offsetBytes, expected);
    expected += after[i].sizeBytes + 512;
  }
  const auto none = assignBuffers(
      **module, {.alignmentBytes = 1, .isolation = BufferIsolation{.baseOffsetBytes = 4096, .colors = {7}}});
  EXPECT_EQ(heapOf(*none).sizeBytes, heapOf(*plain).sizeBytes);
}

TEST(BufferAssignmentOptions, AreRefusedWhereTheyCannotHold) {
  auto module = parseModuleStrictly(kManySums);
  ASSERT_TRUE(module);
  BufferAssignmentOptions preset{.presets = {{{(*module)->findInstruction("m1"), {}}, 0, 256}}};
  EXPECT_EQ(assignBuffers(**module, preset).error().kind, "bad-preset");
  preset.presetBytes[0] = 100;
  EXPECT_EQ(assignBuffers(**module, preset).error().kind, "bad-preset");
  auto donated = parseModuleStrictly(R"(HloModule m, input_output_alias={ {}: (0, {}) }
ENTRY e { p = f32[4] parameter(0) ROOT n = f32[4] negate(p) })");
  BufferAssignmentOptions mixed;
  mixed.colorOf = [](const AliasAnalysis&, const HloValue& v) -> int64_t { return v.id.value; };
  EXPECT_EQ(assignBuffers(**donated, mixed).error().kind, "mixed-colors");
}

TEST(BufferTable, NamesPlacesTimesAndUses) {
  auto module = parseModuleStrictly(R"(HloModule m, is_scheduled=true
ENTRY e {
  p = s32[16] parameter(0)
  q = s32[16] parameter(1)
  m = s32[16] multiply(p, q)
  a = s32[16] add(m, p)
  ROOT b = s32[16,16] broadcast(a), dimensions={0}
})");
  ASSERT_TRUE(module);
  const auto plan = assignBuffers(**module);
  const auto aliases = AliasAnalysis::run(**module);
  EXPECT_EQ(printBufferTable(ValueLiveRanges(*aliases), *plan),
            "buffer_id,buffer_name,offset,size,definition_time,end_time,num_uses,use_times,use_names\n"
            "0,\"<0 p @0>\",0,64,0,5,2,\"2;3\",\"m, operand 0;a, operand 1\"\n"
            "1,\"<1 q @0>\",0,64,1,5,1,\"2\",\"m, operand 1\"\n"
            "2,\"<2 m @0>\",0,64,2,3,1,\"3\",\"a, operand 0\"\n"
            "3,\"<3 a @0>\",0,64,3,4,1,\"4\",\"b, operand 0\"\n"
            "4,\"<4 b @0>\",0,1024,4,5,0,\"\",\"\"\n");
}

}  // namespace
}  // namespace hilo
