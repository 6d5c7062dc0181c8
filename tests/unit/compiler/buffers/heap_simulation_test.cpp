// What a heap is asked for while a module runs: values that come, go, and take over the place of an operand.
// "+x" is a value allocated, "-x" one freed, "x=y" one that takes the place of another.
#include "core/compiler/buffers/heap_simulation.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

struct Simulated {
  const char* name;
  const char* events;
  const char* module;
};

std::string nameOf(const HloValue& value) {
  return std::string(value.instruction().name()) + (value.index().empty() ? "" : toString(value.index()));
}

// All values that have a live range but constants.
std::vector<ValueId> playable(const ValueLiveRanges& ranges) {
  std::vector<ValueId> values;
  for (const HloValue& value : ranges.aliases().dataflow().values()) {
    if (ranges.of(value.id) && value.instruction().opcode() != Opcode::Constant) values.push_back(value.id);
  }
  return values;
}

class HeapSimulation : public testing::TestWithParam<Simulated> {};

TEST_P(HeapSimulation, AsksForWhatXlaDoes) {
  auto module = parseModuleStrictly(std::string("HloModule m, is_scheduled=true\n") + GetParam().module);
  ASSERT_TRUE(module) << toString(module.error());
  const auto aliases = AliasAnalysis::run(**module);
  ASSERT_TRUE(aliases);
  const ValueLiveRanges ranges(*aliases);
  const auto values = playable(ranges);
  const SimulatedHeap heap = simulateHeap(ranges, values, [](BufferId) { return 8; }, {});
  std::string events;
  for (const HeapEvent& event : heap.trace.events) {
    const auto named = [&](int64_t id) {
      return nameOf(aliases->dataflow().value({static_cast<uint32_t>(id)}));
    };
    if (!events.empty()) events += ' ';
    if (event.kind == HeapEvent::Kind::Alloc) events += "+" + named(event.bufferId);
    if (event.kind == HeapEvent::Kind::Free) events += "-" + named(event.bufferId);
    if (event.kind == HeapEvent::Kind::ShareWith)
      events += named(event.bufferId) + "=" + named(event.sharedWithBufferId);
  }
  EXPECT_EQ(events, GetParam().events);
}

#define VECTORS                                                                                         \
  "a = f32[] parameter(0) x = f32[4] parameter(1) y = f32[4,4] parameter(2) ab = f32[4] broadcast(a), " \
  "dimensions={} "
#define DOT(name, of) name " = f32[4] dot(" of ", y), lhs_contracting_dims={0}, rhs_contracting_dims={0} "

const Simulated kRows[] = {
    {"ScalarConstant", "", "ENTRY e { ROOT c = f32[] constant(1) }"},
    {"OneParam", "+p -p", "ENTRY e { ROOT p = f32[] parameter(0) }"},
    {"Multiply", "+a +x +m -a -x -m",
     "ENTRY e { a = f32[4,4] parameter(0) x = f32[4] parameter(1) ROOT m = f32[4] dot(a, x), "
     "lhs_contracting_dims={0}, rhs_contracting_dims={0} }"},
    {"MultiplyAdd", "+a +x +y +m -m s=m -a -x -y -s",
     "ENTRY e { a = f32[4] parameter(0) x = f32[4] parameter(1) y = f32[4] parameter(2) m = f32[4] "
     "multiply(a, x) ROOT s = f32[4] add(m, y) }"},
    {"MultiplyDot", "+a +x +y +m +d -m -a -x -y -d",
     "ENTRY e { a = f32[4] parameter(0) x = f32[4] parameter(1) y = f32[4,4] parameter(2) m = f32[4] "
     "multiply(a, x) ROOT " DOT("d", "m") "}"},
    {"MultiplyDotAdd", "+a +x +y +m +d -m -d s=d -a -x -y -s",
     "ENTRY e { a = f32[4] parameter(0) x = f32[4] parameter(1) y = f32[4,4] parameter(2) m = f32[4] "
     "multiply(a, x) " DOT("d", "m") "ROOT s = f32[4] add(d, a) }"},
    {"MultiplyDotDot", "+a +x +y +m +d -m +g -d -a -x -y -g",
     "ENTRY e { a = f32[4] parameter(0) x = f32[4] parameter(1) y = f32[4,4] parameter(2) m = f32[4] "
     "multiply(a, x) " DOT("d", "m") "ROOT " DOT("g", "d") "}"},
    {"MultiplyDotDotTuple", "+a +x +y +m +d -m +g +t -a -x -y -d -g -t",
     "ENTRY e { a = f32[4] parameter(0) x = f32[4] parameter(1) y = f32[4,4] parameter(2) m = f32[4] "
     "multiply(a, x) " DOT("d", "m") DOT("g", "d") "ROOT t = (f32[4], f32[4]) tuple(d, g) }"},
    {"IndependentTupleElements", "+a +b +m +s +t +c -m +d -t +o -a -b -s -c -d -o",
     "ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) m = f32[] multiply(a, b) s = f32[] add(a, b) t "
     "= (f32[], f32[]) tuple(m, s) g = f32[] get-tuple-element(t), index=0 "
     "c = f32[4] broadcast(g), dimensions={} d = f32[] subtract(a, b) h = f32[] get-tuple-element(t), "
     "index=1 ROOT o = (f32[4], f32[], f32[]) tuple(c, d, h) }"},
    {"WholeModule", "+p +p{0} +p{1} +l -l -p -p{0} -p{1}",
     "test { q = (f32[], f32[]) parameter(0) i = f32[] get-tuple-element(q), index=0 j = f32[] "
     "get-tuple-element(q), index=1 ROOT l = pred[] compare(i, j), direction=LT }\n"
     "turn { ROOT x = (f32[], f32[]) parameter(0) }\nENTRY e { p = (f32[], f32[]) parameter(0) ROOT w = "
     "(f32[], f32[]) while(p), condition=test, body=turn }"},
    // A fusion gives two results and takes one of its operand's place, not both.
    {"BufferReusedOnce", "+p +n +f -n f{0}=n +f{1} -p -f -f{0} -f{1}",
     "two { x = f32[4] parameter(0) y = f32[4] exponential(x) z = f32[4] negate(x) ROOT t = (f32[4], f32[4]) "
     "tuple(y, z) }\n"
     "ENTRY e { p = f32[4] parameter(0) n = f32[4] negate(p) ROOT f = (f32[4], f32[4]) fusion(n), "
     "kind=kLoop, calls=two }"},
    {"FusionOutputsOnlyShareOnce", "+p +n +f -n f{0}=n +f{1} -f +r -f{0} -r +s -f{1} -s +o -p -o",
     "two { x = f32[4] parameter(0) y = f32[4] exponential(x) z = f32[4] negate(x) ROOT t = (f32[4], f32[4]) "
     "tuple(y, z) }\n"
     "ENTRY e { p = f32[4] parameter(0) n = f32[4] negate(p) f = (f32[4], f32[4]) fusion(n), kind=kLoop, "
     "calls=two g = f32[4] get-tuple-element(f), index=0 h = f32[4] get-tuple-element(f), index=1 "
     "r = f32[4] reverse(g), dimensions={0} s = f32[4] reverse(h), dimensions={0} ROOT o = () tuple() }"},
};

INSTANTIATE_TEST_SUITE_P(All, HeapSimulation, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

// The least a sequence needs: as much as is live at once.
TEST(HeapSimulation, MinimumMemoryOfALoop) {
  auto module = parseModuleStrictly(R"(HloModule m, is_scheduled=true
test { q = (f32[], f32[]) parameter(0) i = f32[] get-tuple-element(q), index=0 j = f32[] get-tuple-element(q), index=1 ROOT l = pred[] compare(i, j), direction=LT }
turn { ROOT x = (f32[], f32[]) parameter(0) }
ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) t = (f32[], f32[]) tuple(a, b) ROOT w = (f32[], f32[]) while(t), condition=test, body=turn })");
  ASSERT_TRUE(module);
  const auto aliases = AliasAnalysis::run(**module);
  const ValueLiveRanges ranges(*aliases);
  const auto sizeOf = [&](BufferId id) {
    return bufferBytes(aliases->dataflow().value(aliases->buffers()[id.value].values[0]).shape, 8);
  };
  // Two scalars, the table of pointers to them, and the condition's result.
  EXPECT_EQ(simulateHeap(ranges, playable(ranges), sizeOf, {}).peakBytes, 4 + 4 + 16 + 1);
}

// A place that is handed on is as large as the largest that takes it.
TEST(HeapSimulation, APlaceGrowsWithWhatTakesItOver) {
  auto module = parseModuleStrictly(R"(HloModule m, is_scheduled=true
ENTRY e { p = f32[10] parameter(0) a = f32[10] negate(p) b = f32[10] negate(a) ROOT c = f32[10] negate(b) })");
  ASSERT_TRUE(module);
  const auto aliases = AliasAnalysis::run(**module);
  const ValueLiveRanges ranges(*aliases);
  const auto sizeOf = [&](BufferId id) -> int64_t {
    const std::string name = nameOf(aliases->dataflow().value(aliases->buffers()[id.value].values[0]));
    return name == "c" ? 30 : name == "b" ? 20 : 10;
  };
  const SimulatedHeap heap = simulateHeap(ranges, playable(ranges), sizeOf, {});
  ASSERT_EQ(heap.blocks.size(), 2u);
  EXPECT_EQ(heap.values[1].size(), 3u);
  EXPECT_EQ(heap.blocks[1].sizeBytes, 30);
}

// What a called computation takes counts where it is called.
TEST(HeapSimulation, MinimumMemoryWithSubcomputations) {
  auto module = parseModuleStrictly(R"(HloModule m, is_scheduled=true
test { q = f32[4] parameter(0) s = f32[1] slice(q), slice={[0:1]} r = f32[] reshape(s) z = f32[] constant(0) ROOT l = pred[] compare(r, z), direction=NE }
turn { x = f32[4] parameter(0) k = f32[4] constant({1,1,1,1}) ROOT d = f32[4] subtract(x, k) }
ENTRY e { c = f32[4] constant({1,1,1,1}) i = f32[4] copy(c) w = f32[4] while(i), condition=test, body=turn b = f32[2,4] broadcast(w), dimensions={1}
  m = f32[2,4] constant({{1,2,3,4},{1,2,3,4}}) t = f32[2,4] transpose(m), dimensions={0,1} ROOT s = f32[2,4] add(t, b) })");
  ASSERT_TRUE(module);
  const auto aliases = AliasAnalysis::run(**module);
  const ValueLiveRanges ranges(*aliases);
  const auto sizeOf = [&](BufferId id) {
    return bufferBytes(aliases->dataflow().value(aliases->buffers()[id.value].values[0]).shape, 8);
  };
  // The broadcast and the transposed matrix; the sum is written over one of them.
  EXPECT_EQ(simulateHeap(ranges, playable(ranges), sizeOf, {}).peakBytes, 64);
}

}  // namespace
}  // namespace hilo
