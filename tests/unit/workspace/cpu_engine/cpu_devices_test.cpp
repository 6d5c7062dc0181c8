// Modules of several devices: compiled once, run on each, and equal bit for bit to what the evaluator gives.
#include <gtest/gtest.h>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/devices.h"
#include "tests/support/module_text.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

Result<std::vector<Literal>> onCpu(std::shared_ptr<const Module> module, DeviceGrid grid,
                                   std::span<const std::vector<Literal>> arguments, bool passes) {
  TRY(CompiledModule compiled,
      compileProgram(std::move(module), {.usesCache = false, .runsPasses = passes}, {}));
  TRY(const auto executor, Executor::make(std::make_shared<const Program>(std::move(compiled.program))));
  return executor->runOnDevices(grid, arguments);
}

// Arguments of their own for each device, made from seeds.
void expectSame(DeviceGrid grid, const std::string& body) {
  SCOPED_TRACE(fmt::format("{} x {}: {}", grid.replicas, grid.partitions, body));
  const auto module = moduleWithReducers(body);
  if (module == nullptr) return;
  std::vector<std::vector<Literal>> arguments;
  for (int64_t d = 0; d < grid.count(); ++d)
    arguments.push_back(makeArguments(*module, static_cast<uint64_t>(d + 1))->arguments);
  const auto expected = evaluateOnDevices(*module, grid, arguments);
  for (const bool passes : {false, true}) {
    const auto got = onCpu(module, grid, arguments, passes);
    ASSERT_EQ(got.has_value(), expected.has_value())
        << toString(got.has_value() ? expected.error() : got.error());
    if (!expected) {
      EXPECT_EQ(got.error().kind, expected.error().kind);
      continue;
    }
    for (size_t d = 0; d < expected->size(); ++d) EXPECT_TRUE((*got)[d] == (*expected)[d]) << "device " << d;
  }
}

constexpr DeviceGrid kGrids[] = {{2, 1}, {4, 1}, {2, 2}, {8, 1}, {2, 4}, {1, 8}};

TEST(CpuDevices, IdsAreReadWhenTheProgramRuns) {
  for (const DeviceGrid grid : kGrids) {
    expectSame(grid, R"(r = u32[] replica-id()
p = u32[] partition-id()
s = u32[] add(r, p)
b = u32[5] broadcast(s), dimensions={}
ROOT t = (u32[], u32[], u32[5]) tuple(r, p, b))");
  }
}

// Copies that move only such dimensions are no copies: the passes drop them.
TEST(CpuDevices, WhereDimensionsOfOneStandDoesNotMatter) {
  expectSame({2, 1}, R"(p = f32[4,3,1]{2,1,0} parameter(0)
q = f32[4,6]{1,0} parameter(1)
a = f32[4,3,1]{1,2,0} copy(p)
g = f32[4,3,2]{1,2,0} all-gather(a), replica_groups={}, dimensions={2}
b = f32[4,3,1]{1,0,2} copy(p)
r = f32[4,3,1]{1,0,2} all-reduce(b), replica_groups={}, to_apply=addf
c = f32[1,4,6]{2,1,0} reshape(q)
d = f32[1,4,6]{2,0,1} copy(c)
t = f32[1,4,6]{2,0,1} all-to-all(d), replica_groups={}, dimensions={1}
ROOT o = (f32[4,3,2], f32[4,3,1], f32[1,4,6]) tuple(g, r, t))");
}

// Rows of a ragged all-to-all are moved as they lie.
TEST(CpuDevices, RowsThatLieOtherwiseAreRefused) {
  const auto module = moduleWithReducers(R"(p = s32[4,2,3]{2,1,0} parameter(0)
q = s32[4,2,3]{1,2,0} parameter(1)
n = s32[2] parameter(2)
ROOT r = s32[4,2,3]{1,2,0} ragged-all-to-all(p, q, n, n, n, n), replica_groups={{0,1}})");
  ASSERT_NE(module, nullptr);
  const Diagnostics obstacles = whyNotCompiled(*module);
  ASSERT_EQ(obstacles.size(), 1u);
  EXPECT_NE(obstacles[0].message.find("layout of its rows"), std::string::npos) << obstacles[0].message;
}

TEST(CpuDevices, EveryGroupModeOfEveryReduction) {
  for (const DeviceGrid grid : kGrids) {
    for (const char* groups :
         {"replica_groups={}", "replica_groups={}, channel_id=1", "replica_groups={{0},{1}}, channel_id=1",
          "replica_groups={{0,1}}", "replica_groups={{1,0},{3,2}}, channel_id=1, use_global_device_ids=true",
          "replica_groups=[2,2]<=[2,2]T(1,0), channel_id=1, use_global_device_ids=true"}) {
      expectSame(grid, fmt::format(R"(p = f32[37] parameter(0)
q = s32[4,6] parameter(1)
a = f32[37] all-reduce(p), to_apply=addf, {0}
b = s32[4,6] all-reduce(q), to_apply=max, {0}
ROOT t = (f32[37], s32[4,6]) tuple(a, b))",
                                   groups));
    }
  }
}

TEST(CpuDevices, AChannelThatIsWrittenCounts) {
  expectSame({2, 2}, R"(p = s32[4,6] parameter(0)
g = s32[8,6] all-gather(p), channel_id=0, replica_groups={{0,3},{2,1}}, use_global_device_ids=true, dimensions={0}
h = s32[16,6] all-gather(p), channel_id=0, replica_groups={}, dimensions={0}
ROOT t = (s32[8,6], s32[16,6]) tuple(g, h))");
}

TEST(CpuDevices, PartsAlongEveryDimensionAndLayout) {
  for (const char* layout : {"{2,1,0}", "{0,1,2}", "{1,2,0}"}) {
    for (const int64_t n : {2, 4}) {
      for (int d = 0; d < 3; ++d) {
        std::array<int64_t, 3> gathered = {4, 4, 8}, scattered = gathered;
        gathered[static_cast<size_t>(d)] *= n;
        scattered[static_cast<size_t>(d)] /= n;
        expectSame({n, 1}, fmt::format(R"(p = s32[4,4,8]{0} parameter(0)
g = s32[{1}]{0} all-gather(p), replica_groups={{}}, dimensions={{{3}}}
s = s32[{2}]{0} reduce-scatter(p), replica_groups={{}}, dimensions={{{3}}}, to_apply=add
a = s32[4,4,8]{0} all-to-all(p), replica_groups={{}}, dimensions={{{3}}}
ROOT t = (s32[{1}]{0}, s32[{2}]{0}, s32[4,4,8]{0}) tuple(g, s, a))",
                                       layout, fmt::join(gathered, ","), fmt::join(scattered, ","), d));
      }
    }
  }
}

TEST(CpuDevices, PermutesBroadcastsAndTupleForms) {
  expectSame({3, 1}, R"(p = s32[5] parameter(0)
q = f32[2] parameter(1)
a = s32[5] collective-permute(p), source_target_pairs={{0,1},{1,2},{2,0}}
b = s32[5] collective-permute(p), source_target_pairs={{2,1}}
c = f32[2] collective-broadcast(q), replica_groups={{2,1}}
ROOT t = (s32[5], s32[5], f32[2]) tuple(a, b, c))");
  expectSame({2, 1}, R"(p = s32[1] parameter(0)
n = s32[1] negate(p)
x = (s32[1], s32[1]) all-to-all(p, n), replica_groups={{1,0}}
a = (s32[1], s32[1]) all-reduce(p, n), replica_groups={{1,0}}, to_apply=max
ROOT t = ((s32[1], s32[1]), (s32[1], s32[1])) tuple(x, a))");
  expectSame({3, 1},
             "p = s32[4] parameter(0)\nROOT r = s32[2] reduce-scatter(p), replica_groups={}, dimensions={0}, "
             "to_apply=add");
}

TEST(CpuDevices, RaggedParts) {
  expectSame({2, 1}, R"(input = s32[4,3] parameter(0)
output = s32[4,3] parameter(1)
starts = s64[4] constant({0, 1, 2, 3})
rows = s64[4] constant({1, 1, 1, 1})
id = u32[] replica-id()
first = s64[] convert(id)
shift = s64[4] broadcast(first), dimensions={}
places = s64[4] constant({0, 2, 0, 2})
targets = s64[4] add(places, shift)
ROOT r = s32[4,3] ragged-all-to-all(input, output, starts, rows, targets, rows), replica_groups={{0,1}})");
}

TEST(CpuDevices, StartsAndDones) {
  expectSame({4, 1}, R"(p = f32[8,2] parameter(0)
s = f32[8,2] all-reduce-start(p), replica_groups={}, to_apply=addf
g = (f32[8,2], f32[32,2]) all-gather-start(p), replica_groups={}, dimensions={0}
c = (f32[8,2], f32[8,2], u32[], u32[]) collective-permute-start(p), source_target_pairs={{0,1},{1,0}}
n = f32[8,2] negate(p)
c.done = f32[8,2] collective-permute-done(c)
g.done = f32[32,2] all-gather-done(g)
s.done = f32[8,2] all-reduce-done(s)
ROOT t = (f32[8,2], f32[8,2], f32[32,2], f32[8,2]) tuple(n, s.done, g.done, c.done))");
}

TEST(CpuDevices, AsyncAroundAnyComputation) {
  expectSame({2, 1}, R"(
wrapped { p = s32[4] parameter(0)
  ROOT r = s32[2] reduce-scatter(p), replica_groups={{0,1}}, dimensions={0}, to_apply=add }
ENTRY e { p = s32[4] parameter(0)
  s = ((s32[4]), s32[2], u32[]) async-start(p), calls=wrapped
  u = ((s32[4]), s32[2], u32[]) async-update(s)
  d = s32[2] async-done(u)
  ROOT n = s32[2] negate(d) })");
}

// Each turn every device adds what its left neighbour has, and what it received the turn before.
TEST(CpuDevices, LoopsMeetAgainAndAgain) {
  expectSame({3, 1},
             countingLoop("s32[]", 100,
                          R"(left = s32[] collective-permute(v), source_target_pairs={{0,1},{1,2},{2,0}}
  token = token[] after-all()
  send = (s32[], u32[], token[]) send(left, token), channel_id=0,
    frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2}}"}
  sent = token[] send-done(send), channel_id=0
  recv = (s32[], u32[], token[]) recv(token), channel_id=0,
    frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2}}"}
  received = (s32[], token[]) recv-done(recv), channel_id=0
  mail = s32[] get-tuple-element(received), index=0
  u = s32[] add(v, left)
  w = s32[] add(u, mail))") +
                 R"(
ENTRY e { p = s32[] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], s32[]) tuple(zero, p)
  w = (s32[], s32[]) while(t), condition=condition, body=body
  ROOT r = s32[] get-tuple-element(w), index=1 })");
}

// Sums are checked by the rounding: 2^24 + 1 + 1 + 1 one by one stays 2^24.
TEST(CpuDevices, EveryElementTypeIsMovedAndReduced) {
  for (int t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<ElementType>(t);
    if (!isArrayElement(type)) continue;
    for (const char* reducer : {"add", "maximum"}) {
      if (isComplex(type) && std::string_view(reducer) == "maximum") continue;
      if (type == ElementType::Pred && std::string_view(reducer) == "add") continue;
      expectSame({4, 1}, fmt::format(R"(
f {{ a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT r = {0}[] {1}(a, b) }}
ENTRY e {{ p = {0}[6] parameter(0)
  g = {0}[24] all-gather(p), replica_groups={{}}, dimensions={{0}}
  a = {0}[6] all-reduce(p), replica_groups={{}}, to_apply=f
  ROOT t = ({0}[24], {0}[6]) tuple(g, a) }})",
                                     elementTypeName(type), reducer));
    }
  }
}

// Devices 0 and 1 come to different collectives.
TEST(CpuDevices, DevicesThatWaitForDifferentThingsAreNamed) {
  const auto module = moduleWithReducers(R"(
here { p = s32[] parameter(0)
  ROOT r = s32[] all-reduce(p), replica_groups={}, to_apply=add, channel_id=1 }
there { p = s32[] parameter(0)
  ROOT r = s32[] all-reduce(p), replica_groups={}, to_apply=add, channel_id=2 }
ENTRY e { p = s32[] parameter(0)
  id = u32[] replica-id()
  zero = u32[] constant(0)
  first = pred[] compare(id, zero), direction=EQ
  ROOT r = s32[] conditional(first, p, p), true_computation=here, false_computation=there })");
  const std::vector<std::vector<Literal>> arguments = {{Literal(Shape::scalar(ElementType::S32))}};
  const auto got = onCpu(module, {2, 1}, arguments, false);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, "deadlock");
  ASSERT_EQ(got.error().notes.size(), 2u);
  EXPECT_EQ(got.error().notes[0], "device 0 (replica 0, partition 0) waits at r (all-reduce) for device 1");
  EXPECT_EQ(got.error().notes[1], "device 1 (replica 1, partition 0) waits at r (all-reduce) for device 0");
}

}  // namespace
}  // namespace hilo
