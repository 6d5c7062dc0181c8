// Devices that run programs of their own: sends and receives, infeed, and what happens when they
// wait in vain.
#include <thread>

#include "core/hlo/eval/devices.h"
#include "core/hlo/eval/exchange.h"
#include "tests/support/module_text.h"
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

// A grid of as many replicas as there are modules, each running its own.
Result<std::vector<Literal>> runEach(const std::vector<std::shared_ptr<Module>>& modules,
                                     const EvalOptions& options = {}) {
  std::vector<DeviceProgram> programs;
  for (const auto& module : modules) programs.push_back({.entry = module->entry()});
  return evaluateOnDevices({static_cast<int64_t>(modules.size()), 1}, programs, options);
}

const std::string kSend = R"(t = token[] after-all()
  c = s32[2] constant({3, 4})
  s = (s32[2], u32[], token[]) send(c, t), channel_id=7
  ROOT d = token[] send-done(s), channel_id=7)";
const std::string kReceive = R"(t = token[] after-all()
  s = (s32[2], u32[], token[]) recv(t), channel_id=7
  ROOT d = (s32[2], token[]) recv-done(s), channel_id=7)";

TEST(EvalExchange, AMessageFromOneProgramToAnother) {
  for (const bool senderFirst : {true, false}) {
    const auto outputs =
        runEach(senderFirst ? std::vector{moduleWithReducers(kSend), moduleWithReducers(kReceive)}
                            : std::vector{moduleWithReducers(kReceive), moduleWithReducers(kSend)});
    ASSERT_TRUE(outputs.has_value()) << toString(outputs.error());
    EXPECT_TRUE((*outputs)[senderFirst ? 1 : 0].elements()[0] == literalOf("s32[2] {3, 4}"));
  }
}

// A ring by send and receive, the receive first: what XLA makes of a collective-permute.
TEST(EvalExchange, PairsInAFrontendAttribute) {
  const std::string pairs =
      "channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,2}}\"}";
  const auto module = moduleWithReducers(R"(id = u32[] partition-id()
  t = token[] after-all()
  r = (u32[], u32[], token[]) recv(t), )" +
                                         pairs + R"(
  s = (u32[], u32[], token[]) send(id, t), )" +
                                         pairs + R"(
  rd = (u32[], token[]) recv-done(r), channel_id=1
  sd = token[] send-done(s), channel_id=1
  ten = u32[] constant(10)
  v = u32[] get-tuple-element(rd), index=0
  ROOT sum = u32[] add(v, ten))");
  const std::vector<std::vector<Literal>> none(1);
  const auto outputs = evaluateOnDevices(*module, {1, 3}, none);
  ASSERT_TRUE(outputs.has_value()) << toString(outputs.error());
  EXPECT_EQ((*outputs)[0].data<uint32_t>()[0], 10u);  // nobody sends to device 0
  EXPECT_EQ((*outputs)[1].data<uint32_t>()[0], 10u);
  EXPECT_EQ((*outputs)[2].data<uint32_t>()[0], 11u);
}

TEST(EvalExchange, InfeedAndOutfeed) {
  const auto module = moduleWithReducers(R"(t = token[] after-all()
  a = (s32[], token[]) infeed(t)
  t2 = token[] get-tuple-element(a), index=1
  b = (s32[], token[]) infeed(t2)
  x = s32[] get-tuple-element(a), index=0
  y = s32[] get-tuple-element(b), index=0
  d = s32[] subtract(x, y)
  o = token[] outfeed(d, t2), outfeed_shape=s32[]
  ROOT r = s32[] add(d, x))");
  std::vector<Literal> outfeed;
  DeviceProgram program{.entry = module->entry(),
                        .infeed = {{literalOf("s32[] 9"), literalOf("s32[] 2")}},
                        .outfeed = &outfeed};
  const auto outputs = evaluateOnDevices({}, std::span(&program, 1));
  ASSERT_TRUE(outputs.has_value()) << toString(outputs.error());
  EXPECT_TRUE((*outputs)[0] == literalOf("s32[] 16"));
  ASSERT_EQ(outfeed.size(), 1u);
  EXPECT_TRUE(outfeed[0] == literalOf("s32[] 7"));
  program.infeed.values.pop_back();
  EXPECT_EQ(evaluateOnDevices({}, std::span(&program, 1)).error().kind, "infeed-empty");
  EXPECT_EQ(evaluate(*module, {}).error().kind, "infeed-empty");
}

std::string collectiveNamed(const std::string& name, const std::string& opcode, int channel) {
  return fmt::format(
      "c = s32[] constant(1)\nROOT {} = s32[] {}(c), channel_id={}, replica_groups={{}}, to_apply=add", name,
      opcode, channel);
}

TEST(EvalExchange, DisagreementIsADeadlockThatNamesWhoWaitsWhere) {
  const auto outputs = runEach({moduleWithReducers(collectiveNamed("first", "all-reduce", 1)),
                                moduleWithReducers(collectiveNamed("second", "all-reduce", 2)),
                                moduleWithReducers("ROOT c = s32[] constant(1)")});
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().kind, "deadlock");
  EXPECT_EQ(outputs.error().place.instruction, "first");
  EXPECT_EQ(outputs.error().notes,
            (std::vector<std::string>{
                "device 0 (replica 0, partition 0) waits at first (all-reduce) for devices 1, 2",
                "device 1 (replica 1, partition 0) waits at second (all-reduce) for devices 0, 2",
                "device 2 (replica 2, partition 0) has finished"}));
}

TEST(EvalExchange, AReceiveNobodySendsToIsADeadlock) {
  const auto outputs =
      runEach({moduleWithReducers(kReceive), moduleWithReducers("ROOT c = s32[] constant(1)")});
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().notes[0],
            "device 0 (replica 0, partition 0) waits at d (recv-done) for something to be sent");
}

TEST(EvalExchange, OneDevicesErrorStopsAll) {
  const auto outputs =
      runEach({moduleWithReducers(collectiveNamed("r", "all-reduce", 1)),
               moduleWithReducers("p = f32[2] constant({1, 2})\nROOT r = f32[2] custom-call(p), "
                                  "custom_call_target=\"unheard_of\"")});
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().kind, "unsupported-opcode");
  EXPECT_EQ(outputs.error().notes.back(), "on device 1 (replica 1, partition 0)");
}

TEST(EvalExchange, DifferentShapesAreRefused) {
  const auto outputs =
      runEach({moduleWithReducers(collectiveNamed("r", "all-reduce", 1)),
               moduleWithReducers("c = s32[2] constant({1, 2})\nROOT r = s32[2] all-reduce(c), channel_id=1, "
                                  "replica_groups={}, to_apply=add")});
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().kind, "malformed-instruction");
}

TEST(EvalExchange, SendsThatNobodyReceivesAreBounded) {
  const auto module = moduleWithReducers(kSend);
  const Instruction& send = *module->entry()->root()->operand(0);
  DeviceExchange exchange({.replicas = 1, .partitions = 2}, {}, /*unreceivedLimitBytes=*/10);
  const Literal eightBytes = literalOf("s32[2] {3, 4}");
  EXPECT_TRUE(exchange.sendCopy(send, {.channel = 7}, eightBytes).has_value());
  EXPECT_EQ(exchange.sendCopy(send, {.channel = 7}, eightBytes).error().kind, "memory-limit");
}

TEST(EvalExchange, WaitingCanBeCancelled) {
  EvalOptions cancelled;
  auto endless = parseModuleStrictly(R"(HloModule m
cond { s = s32[] parameter(0)
  ROOT c = pred[] constant(true) }
body { ROOT s = s32[] parameter(0) }
ENTRY e { z = s32[] constant(0)
  ROOT w = s32[] while(z), condition=cond, body=body })");
  ASSERT_TRUE(endless.has_value());
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancelled.cancel.cancel();
  });
  EXPECT_EQ(runEach({*std::move(endless), moduleWithReducers(kReceive)}, cancelled).error().kind,
            "cancelled");
}

}  // namespace
}  // namespace hilo
