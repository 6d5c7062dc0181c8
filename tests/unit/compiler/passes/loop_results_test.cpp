// Passes over loops that communicate: what moved where, and the same answers on every device.
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/devices.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

// A loop of `trips` over (counter, a, b, c): a is stored into or added to, b and c are read. `work` computes
// %na; %i is the counter, %own differs from device to device.
std::string loopModule(int trips, const std::string& work) {
  return R"(HloModule m, num_partitions=2
add {
  x = s32[] parameter(0)
  y = s32[] parameter(1)
  ROOT z = s32[] add(x, y)
}
add64 {
  x = s64[] parameter(0)
  y = s64[] parameter(1)
  ROOT z = s64[] add(x, y)
}
condition {
  p = (s32[], s32[5,8], s32[5,8], s32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant()" +
         std::to_string(trips) + R"()
  ROOT c = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], s32[5,8], s32[5,8], s32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = s32[5,8] get-tuple-element(p), index=1
  b = s32[5,8] get-tuple-element(p), index=2
  c = s32[8] get-tuple-element(p), index=3
  one = s32[] constant(1)
  zero = s32[] constant(0)
  next = s32[] add(i, one)
  slice = s32[1,8] dynamic-slice(b, i, zero), dynamic_slice_sizes={1,8}
  id = u32[] partition-id()
  sid = s32[] convert(id)
  ids = s32[1,8] broadcast(sid), dimensions={}
  own = s32[1,8] multiply(slice, ids)
)" + work +
         R"(
  ROOT t = (s32[], s32[5,8], s32[5,8], s32[8]) tuple(next, na, b, nc)
}
ENTRY e {
  z = s32[] constant(0)
  a = s32[5,8] parameter(0)
  b = s32[5,8] parameter(1)
  c = s32[8] parameter(2)
  init = (s32[], s32[5,8], s32[5,8], s32[8]) tuple(z, a, b, c)
  ROOT w = (s32[], s32[5,8], s32[5,8], s32[8]) while(init), condition=condition, body=body
}
)";
}

constexpr const char* kGroups = "channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true";

std::string storedReduction() {
  return fmt::format(R"(  r = s32[1,8] all-reduce(own), {}, to_apply=add
  na = s32[5,8] dynamic-update-slice(a, r, i, zero)
  nc = s32[8] add(c, c))",
                     kGroups);
}
// Rounds of formatting between the collective and its store.
std::string formattedReduction() {
  return fmt::format(R"(  r = s32[1,8] all-reduce(own), {}, to_apply=add
  flat = s32[2,4] reshape(r)
  turned = s32[4,2] transpose(flat), dimensions={{1,0}}
  k = s32[] constant(3)
  ks = s32[4,2] broadcast(k), dimensions={{}}
  more = s32[4,2] multiply(turned, ks)
  iv = s32[4,2] broadcast(i), dimensions={{}}
  most = s32[4,2] add(more, iv)
  row = s32[1,8] reshape(most)
  na = s32[5,8] dynamic-update-slice(a, row, i, zero)
  nc = s32[8] negate(c))",
                     kGroups);
}
std::string rearrangedReduction() {
  return fmt::format(R"(  r = s32[1,8] all-reduce(own), {}, to_apply=add
  flat = s32[2,4] reshape(r)
  turned = s32[4,2] transpose(flat), dimensions={{1,0}}
  row = s32[1,8] reshape(turned)
  na = s32[5,8] dynamic-update-slice(a, row, i, zero)
  nc = s32[8] negate(c))",
                     kGroups);
}
std::string gathered() {
  return fmt::format(R"(  mine = s32[1,8] dynamic-slice(b, i, zero), dynamic_slice_sizes={{1,8}}
  half = s32[1,4] slice(mine), slice={{[0:1], [0:4]}}
  g = s32[1,8] all-gather(half), {}, dimensions={{1}}
  na = s32[5,8] dynamic-update-slice(a, g, i, zero)
  gv = s32[8] reshape(g)
  nc = s32[8] add(c, gv))",
                     kGroups);
}
std::string accumulated() {
  return fmt::format(R"(  v = s32[8] reshape(own)
  r = s32[8] all-reduce(v), {}, to_apply=add
  na = s32[5,8] negate(a)
  nc = s32[8] add(c, r))",
                     kGroups);
}
std::string scattered() {
  return fmt::format(R"(  v = s32[8] reshape(own)
  vv = s32[16] concatenate(v, v), dimensions={{0}}
  r = s32[8] reduce-scatter(vv), {}, dimensions={{0}}, to_apply=add
  na = s32[5,8] negate(a)
  nc = s32[8] add(r, c))",
                     kGroups);
}

// Parts of a sum, turned, and of another type than the accumulator.
std::string scatteredAndTurned() {
  return fmt::format(R"(  v = s32[8] reshape(own)
  rows = s32[2,5,8] broadcast(v), dimensions={{2}}
  counts = s32[2,5,8] iota(), iota_dimension=0
  all = s32[2,5,8] add(rows, counts)
  flat = s32[8,10] reshape(all)
  small = s64[8,10] convert(flat)
  r = s64[8,5] reduce-scatter(small), {}, dimensions={{1}}, to_apply=add64
  turned = s64[5,8] transpose(r), dimensions={{1,0}}
  narrow = s32[5,8] convert(turned)
  na = s32[5,8] add(narrow, a)
  nc = s32[8] negate(c))",
                     kGroups);
}
// Added to a slice of %a, in a place that a table has for the device: `table` of two, `groups` of devices.
std::string addedToASlice(const std::string& table, const std::string& groups) {
  return fmt::format(R"(  table = s32[2] constant({{{}}})
  entry = s32[1] dynamic-slice(table, id), dynamic_slice_sizes={{1}}
  place = s32[] reshape(entry)
  r = s32[1,8] all-reduce(own), channel_id=1, replica_groups={}, use_global_device_ids=true, to_apply=add
  before = s32[1,8] dynamic-slice(a, place, zero), dynamic_slice_sizes={{1,8}}
  sum = s32[1,8] add(r, before)
  na = s32[5,8] dynamic-update-slice(a, sum, place, zero)
  nc = s32[8] negate(c))",
                     table, groups);
}

std::vector<Literal> run(const Module& module) {
  const auto arguments = makeArguments(module, 5);
  EXPECT_TRUE(arguments);
  const DeviceGrid grid{.replicas = 1, .partitions = 2};
  auto outputs = evaluateOnDevices(module, grid, {&arguments->arguments, 1});
  EXPECT_TRUE(outputs) << (outputs ? "" : toString(outputs.error()));
  return outputs ? *std::move(outputs) : std::vector<Literal>();
}

int64_t countIn(const Computation& computation, Opcode opcode) {
  return std::ranges::count_if(computation.instructions(),
                               [&](const Instruction* i) { return i->opcode() == opcode; });
}

struct Counts {
  int64_t inLoop, outside;
  friend bool operator==(const Counts&, const Counts&) = default;
};

// Runs passes, expects the same answers, and counts an opcode in the loop (if there is one left)
// and around it.
Counts countAfter(const std::string& text, std::initializer_list<std::string_view> names, Opcode opcode) {
  auto parsed = parseModuleStrictly(text);
  EXPECT_TRUE(parsed) << toString(parsed.error());
  if (!parsed) return {-1, -1};
  const std::shared_ptr<const Module> before = std::move(*parsed);
  const auto passes = parsePassList(fmt::format("{}", fmt::join(names, ",")));
  EXPECT_TRUE(passes) << toString(passes.error());
  if (!passes) return {-1, -1};
  const PassRun result = runPasses(before, *passes, {});
  EXPECT_TRUE(result.completed()) << toString(result.steps.back().problems[0]);
  for (const PassStep& step : result.steps) EXPECT_EQ(step.outcome, PassOutcome::Changed) << step.pass;
  const Module& after = *result.output();
  EXPECT_TRUE(run(*before) == run(after)) << *names.begin() << " changes the answer";
  Counts counts{0, countIn(*after.entry(), opcode)};
  for (const Instruction* i : after.entry()->instructions()) {
    if (i->opcode() == Opcode::While) counts.inLoop += countIn(*i->get<Attr::Body>(), opcode);
  }
  return counts;
}

TEST(LoopResults, ForwardLeavesTheLastCollectiveBehindTheLoop) {
  EXPECT_EQ(countAfter(loopModule(5, storedReduction()), {"collective-pipeliner-forward"}, Opcode::AllReduce),
            (Counts{1, 1}));
  EXPECT_EQ(countAfter(loopModule(4, rearrangedReduction()), {"collective-pipeliner"}, Opcode::AllReduce),
            (Counts{1, 1}));
}

TEST(LoopResults, BackwardStartsTheFirstCollectiveInFrontOfTheLoop) {
  EXPECT_EQ(countAfter(loopModule(5, gathered()), {"collective-pipeliner-backward"}, Opcode::AllGather),
            (Counts{1, 1}));
}

TEST(LoopResults, SinkingLeavesOneCollectiveForAllIterations) {
  EXPECT_EQ(
      countAfter(loopModule(5, storedReduction()), {"collective-pipeliner-forward-sink"}, Opcode::AllReduce),
      (Counts{0, 1}));
  EXPECT_EQ(countAfter(loopModule(5, formattedReduction()), {"collective-pipeliner-forward-sink"},
                       Opcode::AllReduce),
            (Counts{0, 1}));
}

TEST(LoopResults, SinkingStaysWhenSlicesAreLeftOut) {
  auto parsed = parseModuleStrictly(loopModule(4, storedReduction()));  // four of five slices
  ASSERT_TRUE(parsed);
  PassContext context;
  EXPECT_FALSE(findPass("collective-pipeliner-forward-sink")->run(**parsed, context).value());
  ASSERT_FALSE(context.remarks().empty());
  EXPECT_EQ(context.remarks()[0].message, "not pipelined: its 4 iterations do not store a slice each");
}

TEST(LoopResults, SumsLeaveLoops) {
  EXPECT_EQ(countAfter(loopModule(5, accumulated()), {"all-reduce-code-motion"}, Opcode::AllReduce),
            (Counts{0, 1}));
  EXPECT_EQ(countAfter(loopModule(5, scattered()), {"all-reduce-code-motion{enable_reduce_scatter=true}"},
                       Opcode::ReduceScatter),
            (Counts{0, 1}));
  EXPECT_EQ(countAfter(loopModule(5, scatteredAndTurned()),
                       {"all-reduce-code-motion{enable_reduce_scatter=true}"}, Opcode::ReduceScatter),
            (Counts{0, 1}));
}

TEST(LoopResults, SumsLeaveLoopsWhereEachGroupHasOnePlace) {
  const auto outside = Counts{0, 1};
  EXPECT_EQ(countAfter(loopModule(5, addedToASlice("3, 3", "{{0,1}}")), {"all-reduce-code-motion"},
                       Opcode::AllReduce),
            outside);
  EXPECT_EQ(countAfter(loopModule(5, addedToASlice("1, 4", "{{0},{1}}")), {"all-reduce-code-motion"},
                       Opcode::AllReduce),
            outside);
  const auto apart = parseModuleStrictly(loopModule(5, addedToASlice("1, 4", "{{0,1}}")));
  ASSERT_TRUE(apart);
  PassContext context;
  EXPECT_FALSE(findPass("all-reduce-code-motion")->run(**apart, context).value());
}

TEST(LoopResults, StoredReductionsLeaveLoops) {
  // All five slices, and three of them: the others stay what they were.
  EXPECT_EQ(countAfter(loopModule(5, storedReduction()), {"all-reduce-code-motion"}, Opcode::AllReduce),
            (Counts{0, 1}));
  EXPECT_EQ(countAfter(loopModule(3, storedReduction()), {"all-reduce-code-motion"}, Opcode::AllReduce),
            (Counts{0, 1}));
}

TEST(LoopResults, UnrolledLoops) {
  EXPECT_EQ(countAfter(loopModule(5, storedReduction()), {"while-loop-unroller"}, Opcode::AllReduce),
            (Counts{0, 5}));
  EXPECT_EQ(countAfter(loopModule(4, gathered()), {"double-buffer-loop-unrolling"}, Opcode::AllGather),
            (Counts{2, 0}));
  EXPECT_EQ(countAfter(loopModule(5, gathered()), {"double-buffer-loop-unrolling"}, Opcode::AllGather),
            (Counts{2, 1}));
}

TEST(LoopResults, PassesAfterEachOther) {
  countAfter(loopModule(5, gathered()), {"collective-pipeliner-backward", "double-buffer-loop-unrolling"},
             Opcode::AllGather);
  countAfter(loopModule(5, rearrangedReduction()),
             {"collective-pipeliner-forward", "double-buffer-loop-unrolling", "async-collective-creator"},
             Opcode::AllReduceStart);
}

TEST(LoopResults, CopiesHaveChannelsAndGroupsOfTheirOwn) {
  auto parsed = parseModuleStrictly(loopModule(
      4,
      fmt::format(
          R"(  r = s32[1,8] all-reduce(own), {}, to_apply=add, frontend_attributes={{_scheduling_group_id="7"}}
  na = s32[5,8] dynamic-update-slice(a, r, i, zero)
  nc = s32[8] add(c, c))",
          kGroups)));
  ASSERT_TRUE(parsed) << toString(parsed.error());
  PassContext context;
  ASSERT_TRUE(findPass("while-loop-unroller")->run(**parsed, context).value());
  std::set<int64_t> channels;
  std::set<std::string> groups;
  for (const Instruction* i : (*parsed)->entry()->instructions()) {
    if (i->opcode() != Opcode::AllReduce) continue;
    channels.insert(*i->get<Attr::ChannelId>());
    groups.insert(std::string(i->get<Attr::FrontendAttributes>()[0].value));
  }
  EXPECT_EQ(channels.size(), 4U);
  EXPECT_EQ(groups.size(), 4U);
}

TEST(LoopResults, SynchronousAgain) {
  EXPECT_EQ(countAfter(loopModule(5, storedReduction()),
                       {"async-collective-creator", "disable-async-collectives"}, Opcode::AllReduce),
            (Counts{1, 0}));
  // With nothing but the start and the done around it, nothing is hidden.
  EXPECT_EQ(countAfter(loopModule(5, scattered()),
                       {"async-collective-creator", "memory-scheduler", "convert-async-collectives-to-sync"},
                       Opcode::ReduceScatter),
            (Counts{1, 0}));
}

}  // namespace
}  // namespace hilo
