// Settings of the latency-hiding scheduler, each in a module whose order it decides: one order without it,
// another with it. Convolutions cost 5000, asynchronous operations take 5000, all else 1.
#include <fmt/format.h>

#include "core/analysis/backend.h"
#include "core/compiler/schedule/async_tracker.h"
#include "tests/unit/compiler/schedule/schedule_test_support.h"

namespace hilo {
namespace {

// The order of a module's entry under a setting: "a b c".
std::string orderWith(const std::string& text, LatencyHidingRequest request, std::string_view setting,
                      std::string_view value) {
  const auto module = scheduledModule(text);
  if (module == nullptr) return {};
  EXPECT_TRUE(setSchedulerOption(request.config, setting, value)) << setting;
  scheduleAndCheck(*module, request);
  std::string order;
  for (const Instruction* i : module->entry()->instructions()) {
    if (i->opcode() != Opcode::Parameter) order += fmt::format("{} ", i->name());
  }
  return order;
}

bool isBefore(const std::string& order, std::string_view a, std::string_view b) {
  const size_t first = order.find(fmt::format("{} ", a)), second = order.find(fmt::format("{} ", b));
  EXPECT_TRUE(first != order.npos && second != order.npos) << a << ", " << b << " in " << order;
  return first < second;
}

// How many of a kind may be in flight: two of them and a convolution that could hide both.
struct LimitCase {
  std::string_view setting;
  std::string_view start;  // {0}: the operand
  std::string_view done;
  Backend backend = Backend::Cpu;
};
void PrintTo(const LimitCase& c, std::ostream* out) { *out << c.setting; }

constexpr LimitCase kLimits[] = {
    {"all_reduce_overlap_limit", "f32[8] all-reduce-start({0}), replica_groups={{{{0,1}}}}, to_apply=sum",
     "f32[8] all-reduce-done"},
    {"all_gather_overlap_limit",
     "(f32[8], f32[16]) all-gather-start({0}), replica_groups={{{{0,1}}}}, dimensions={{0}}",
     "f32[16] all-gather-done"},
    {"all_to_all_overlap_limit",
     "((f32[8]), f32[8]) all-to-all-start({0}), replica_groups={{{{0,1}}}}, dimensions={{0}}",
     "f32[8] all-to-all-done"},
    {"ragged_all_to_all_overlap_limit",
     "((f32[8], f32[8], s32[2], s32[2], s32[2], s32[2]), f32[8]) ragged-all-to-all-start({0}, {0}_out, n, n, "
     "n, "
     "n), "
     "replica_groups={{{{0,1}}}}",
     "f32[8] ragged-all-to-all-done"},
    {"collective_broadcast_overlap_limit",
     "((f32[8]), f32[8]) collective-broadcast-start({0}), replica_groups={{{{0,1}}}}",
     "f32[8] collective-broadcast-done"},
    {"collective_permute_overlap_limit",
     "(f32[8], f32[8]) collective-permute-start({0}), source_target_pairs={{{{0,1}},{{1,0}}}}",
     "f32[8] collective-permute-done"},
    {"reduce_scatter_overlap_limit",
     "((f32[8]), f32[4]) reduce-scatter-start({0}), replica_groups={{{{0,1}}}}, dimensions={{0}}, "
     "to_apply=sum",
     "f32[4] reduce-scatter-done"},
    {"copy_overlap_limit", "(f32[8], f32[8], u32[]) copy-start({0})", "f32[8] copy-done"},
    {"parallel_async_compute_limit",
     "((f32[8]), f32[8], u32[]) async-start({0}), calls=with_{0}, async_execution_thread=\"other\"",
     "f32[8] async-done", Backend::Gpu},
};

std::string limitModule(const LimitCase& c) {
  const auto start = [&](std::string_view operand) { return fmt::format(fmt::runtime(c.start), operand); };
  return fmt::format(R"(HloModule m, is_scheduled=true
sum {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}}
with_x {{
  a = f32[8] parameter(0)
  ROOT r = f32[8] negate(a)
}}
with_y {{
  a = f32[8] parameter(0)
  ROOT r = f32[8] negate(a)
}}
ENTRY e {{
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  x_out = f32[8] parameter(2)
  y_out = f32[8] parameter(3)
  n = s32[2] parameter(4)
  i = f32[1,8,8] parameter(5)
  first = {0}
  first-done = {2}(first)
  second = {1}
  second-done = {2}(second)
  conv = f32[1,8,8] convolution(i, i), window={{size=1}}, dim_labels=0bf_0io->0bf
  ROOT t = tuple(first-done, second-done, conv)
}})",
                     start("x"), start("y"), c.done);
}

class OverlapLimit : public testing::TestWithParam<LimitCase> {};

TEST_P(OverlapLimit, DecidesHowManyAreInFlight) {
  const std::string text = limitModule(GetParam());
  LatencyHidingRequest request;
  request.config.backend = GetParam().backend;
  const std::string one = orderWith(text, request, GetParam().setting, "1");
  EXPECT_TRUE(isBefore(one, "first-done", "second") || isBefore(one, "second-done", "first")) << one;
  const std::string two = orderWith(text, request, GetParam().setting, "2");
  for (const char* start : {"first", "second"}) {
    EXPECT_TRUE(isBefore(two, start, "conv")) << two;
    EXPECT_TRUE(isBefore(two, "conv", fmt::format("{}-done", start))) << two;
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, OverlapLimit, testing::ValuesIn(kLimits),
                         [](const auto& c) { return std::string(c.param.setting); });

// With the setting `later` comes behind `earlier`, without it in front.
void expectDecides(const std::string& text, const LatencyHidingRequest& request, std::string_view setting,
                   std::string_view earlier, std::string_view later) {
  const std::string off = orderWith(text, request, setting, "false");
  EXPECT_TRUE(isBefore(off, later, earlier)) << off;
  const std::string on = orderWith(text, request, setting, "true");
  EXPECT_TRUE(isBefore(on, earlier, later)) << on;
}

std::string moduleOf(std::string_view body) {
  return fmt::format(R"(HloModule m, is_scheduled=true
sum {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}}
ENTRY e {{
  x = f32[1,8,8] parameter(0)
  y = f32[1,8,8] parameter(1)
  z = f32[1,8,8] parameter(2)
{}}})",
                     body);
}

// Sends and receives of the host, one of each at a time; with the setting one of both.
TEST(SchedulerSettings, ForceSendRecvToUseSameResource) {
  const std::string text = moduleOf(R"(
  token = token[] after-all()
  send = (f32[1,8,8], u32[], token[]) send(x, token), channel_id=1, is_host_transfer=true
  send-done = token[] send-done(send), channel_id=1, is_host_transfer=true
  recv = (f32[1,8,8], u32[], token[]) recv(token), channel_id=2, is_host_transfer=true
  recv-done = (f32[1,8,8], token[]) recv-done(recv), channel_id=2, is_host_transfer=true
  conv = f32[1,8,8] convolution(y, y), window={size=1}, dim_labels=0bf_0io->0bf
  ROOT t = tuple(send-done, recv-done, conv)
)");
  LatencyHidingRequest request;
  request.config.scheduleSendRecvs = true;
  const std::string apart = orderWith(text, request, "force_send_recv_to_use_same_resource", "false");
  EXPECT_TRUE(isBefore(apart, "send", "conv") && isBefore(apart, "conv", "send-done")) << apart;
  EXPECT_TRUE(isBefore(apart, "recv", "conv") && isBefore(apart, "conv", "recv-done")) << apart;
  const std::string shared = orderWith(text, request, "force_send_recv_to_use_same_resource", "true");
  EXPECT_TRUE(isBefore(shared, "send-done", "recv") || isBefore(shared, "recv-done", "send")) << shared;
}

// From the root up: when the convolution is placed the gather, which waits for nothing asynchronous, may
// start at no cost, and the permute only 5000 later. Not to wait is what counts; with the setting the gather
// is held back.
TEST(SchedulerSettings, PrioritizeAsyncDepthOverStall) {
  LatencyHidingRequest request;
  request.config.aggressiveSchedulingPolicies = true;
  expectDecides(moduleOf(R"(
  reduce = f32[1,8,8] all-reduce-start(x), replica_groups={{0,1}}, to_apply=sum
  reduce-done = f32[1,8,8] all-reduce-done(reduce)
  permute = (f32[1,8,8], f32[1,8,8]) collective-permute-start(reduce-done), source_target_pairs={{0,1},{1,0}}
  permute-done = f32[1,8,8] collective-permute-done(permute)
  conv = f32[1,8,8] convolution(permute-done, y), window={size=1}, dim_labels=0bf_0io->0bf
  gather = (f32[1,8,8], f32[1,16,8]) all-gather-start(y), replica_groups={{0,1}}, dimensions={1}
  gather-done = f32[1,16,8] all-gather-done(gather)
  ROOT t = tuple(conv, gather-done)
)"),
                request, "prioritize_async_depth_over_stall", "gather", "permute");
}

// A tracker for which two gathers in flight are in each other's way.
class SerialGathers : public AsyncTracker {
 public:
  using AsyncTracker::AsyncTracker;
  ResourceHazard hazard(Resource resource) const override {
    return resource == Resource::AllGather ? ResourceHazard::Serial : AsyncTracker::hazard(resource);
  }
};

// The last gather is in flight: of the other gather and the reduction, the reduction is in nobody's way and
// is taken first, from the root up, so that it stands behind.
TEST(SchedulerSettings, ResourceSerializing) {
  LatencyHidingRequest request;
  request.config.allGatherOverlapLimit = 2;
  SerialGathers tracker(request.config);
  request.tracker = &tracker;
  expectDecides(moduleOf(R"(
  reduce = f32[1,8,8] all-reduce-start(z), replica_groups={{0,1}}, to_apply=sum
  reduce-done = f32[1,8,8] all-reduce-done(reduce)
  gather = (f32[1,8,8], f32[1,16,8]) all-gather-start(x), replica_groups={{0,1}}, dimensions={1}
  gather-done = f32[1,16,8] all-gather-done(gather)
  last = (f32[1,8,8], f32[1,16,8]) all-gather-start(y), replica_groups={{0,1}}, dimensions={1}
  last-done = f32[1,16,8] all-gather-done(last)
  ROOT t = tuple(reduce-done, gather-done, last-done)
)"),
                request, "resource_serializing", "gather-done", "reduce-done");
}

constexpr std::string_view kHiddenGather = R"(
  negate = f32[1,8,8] negate(y)
  gather = (f32[1,8,8], f32[1,16,8]) all-gather-start(x), replica_groups={{0,1}}, dimensions={1}
  gather-done = f32[1,16,8] all-gather-done(gather)
  conv = f32[1,8,8] convolution(y, y), window={size=1}, dim_labels=0bf_0io->0bf
  ROOT t = tuple(negate, conv, gather-done)
)";

// The convolution hides the gather, so that the negation may stand on either side of its start.
TEST(SchedulerSettings, EnableScheduleByStructure) {
  expectDecides(moduleOf(kHiddenGather), {}, "enable_schedule_by_structure", "gather", "negate");
}

// A receive of a pipeline stays beside its done, though the convolution could hide it.
TEST(SchedulerSettings, PipelinedP2p) {
  LatencyHidingRequest request;
  request.config.backend = Backend::Gpu;
  expectDecides(moduleOf(R"(
  negate = f32[1,8,8] negate(y)
  token = token[] after-all()
  recv = (f32[1,8,8], u32[], token[]) recv(token), channel_id=1, frontend_attributes={_xla_send_recv_pipeline="0"}
  recv-done = (f32[1,8,8], token[]) recv-done(recv), channel_id=1, frontend_attributes={_xla_send_recv_pipeline="0"}
  conv = f32[1,8,8] convolution(y, y), window={size=1}, dim_labels=0bf_0io->0bf
  ROOT t = tuple(negate, conv, recv-done)
)"),
                request, "pipelined_p2p", "conv", "recv");
}

}  // namespace
}  // namespace hilo
