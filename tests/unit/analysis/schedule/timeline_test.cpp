// Timelines counted by hand under XLA's uniform costs: a convolution takes 5000, an asynchronous operation
// 5000, all else 1, and what a GPU does not run 0.
#include "core/analysis/schedule/timeline.h"

#include <gtest/gtest.h>

#include <random>

#include "core/analysis/cost/uniform_latency.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

Timeline timelineOf(const std::string& entry, int32_t streams = 1, const std::string& before = "") {
  static std::vector<std::unique_ptr<Module>> kept;
  auto module =
      parseModuleStrictly("HloModule m, is_scheduled=true\n" + before + "ENTRY e {\n" + entry + "}\n");
  EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
  if (!module) return {};
  kept.push_back(std::move(*module));
  return simulate(*kept.back(), GpuUniformLatencyEstimator(), {.collectiveStreams = streams});
}

constexpr const char* kOperands = R"(
  p = f32[16,64,256]{2,1,0} parameter(0)
  q = f32[16,64,256]{2,1,0} parameter(1)
  x = f32[8,256]{1,0} parameter(2)
)";
constexpr const char* kConvolution =
    "  c = f32[16,256,256]{2,1,0} convolution(p, q), window={size=16 stride=15 lhs_dilate=16}, "
    "dim_labels=0fb_0io->0fb\n";
constexpr const char* kStart =
    "  s = (f32[8,256]{1,0}, f32[16,256]{1,0}) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}\n";
constexpr const char* kDone = "  d = f32[16,256]{1,0} all-gather-done(s)\n";
constexpr const char* kRoot = "  ROOT t = (f32[16,256,256]{2,1,0}, f32[16,256]{1,0}) tuple(c, d)\n";

TEST(Timeline, WithNothingBetweenAllIsExposed) {
  const Timeline t = timelineOf(std::string(kOperands) + kStart + kDone + kConvolution + kRoot);
  // Start 1, wait 5000, done 1, convolution 5000.
  EXPECT_EQ(t.makespanNs(), 10'002);
  EXPECT_EQ(t.exposedNs(), 5'000);
  EXPECT_EQ(t.entry().communicationNs, 5'000);
  EXPECT_EQ(t.entry().computeNs, 5'002);
}

TEST(Timeline, AConvolutionBetweenHidesIt) {
  const Timeline t = timelineOf(std::string(kOperands) + kStart + kConvolution + kDone + kRoot);
  EXPECT_EQ(t.makespanNs(), 5'002);
  EXPECT_EQ(t.exposedNs(), 0);
}

TEST(Timeline, CollectivesShareTheStreamsThereAre) {
  const std::string two = std::string(kOperands) + kStart +
                          "  s2 = (f32[8,256]{1,0}, f32[16,256]{1,0}) all-gather-start(x), "
                          "replica_groups={{0,1}}, dimensions={0}\n" +
                          kDone + "  d2 = f32[16,256]{1,0} all-gather-done(s2)\n" +
                          "  ROOT t = (f32[16,256]{1,0}, f32[16,256]{1,0}) tuple(d, d2)\n";
  // One stream: the second runs from 5001 to 10001. Two: from 2 to 5002.
  EXPECT_EQ(timelineOf(two, 1).makespanNs(), 10'002);
  EXPECT_EQ(timelineOf(two, 2).makespanNs(), 5'003);
}

TEST(Timeline, ALoopIsItsBodyTimesItsTrips) {
  const std::string loop = R"(
cond {
  p = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(7)
  ROOT c = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x = f32[8]{0} get-tuple-element(p), index=1
  s = (f32[8]{0}, f32[8]{0}) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}
  d = f32[8]{0} collective-permute-done(s)
  ROOT t = (s32[], f32[8]{0}) tuple(j, d)
}
)";
  const Timeline t = timelineOf(R"(
  zero = s32[] constant(0)
  x = f32[8]{0} parameter(0)
  t = (s32[], f32[8]{0}) tuple(zero, x)
  w = (s32[], f32[8]{0}) while(t), condition=cond, body=body
  ROOT r = f32[8]{0} get-tuple-element(w), index=1
)",
                                1, loop);
  // A trip: compare 1, add 1, start 1, wait 5000, done 1.
  EXPECT_EQ(t.makespanNs(), 7 * 5'004);
  EXPECT_EQ(t.exposedNs(), 7 * 5'000);
  ASSERT_EQ(t.entry().events.size(), 1u);
  EXPECT_EQ(t.entry().events[0].kind, TimelineEventKind::Block);
  EXPECT_EQ(t.entry().events[0].repeat, 7);
}

TEST(Timeline, WhatIsOnOtherLanesIsNoBoundOfTheCollectives) {
  // A copy, a transfer and a computation of another thread at once, each 5000 or more, on a lane each.
  const Timeline t = timelineOf(R"(
  a = f32[8]{0} parameter(0)
  s0 = (f32[8]{0}, f32[8]{0}, u32[]) copy-start(a)
  s1 = ((f32[8]{0}), f32[8]{0}, u32[]) custom-call-start(a), custom_call_target="k", async_execution_thread="side"
  s2 = (f32[8]{0}, f32[8]{0}) collective-permute-start(a), source_target_pairs={{0,1},{1,0}}
  d0 = f32[8]{0} copy-done(s0)
  d1 = f32[8]{0} custom-call-done(s1)
  d2 = f32[8]{0} collective-permute-done(s2)
  ROOT t = (f32[8]{0}, f32[8]{0}, f32[8]{0}) tuple(d0, d1, d2)
)");
  // Three starts of 1, 5000 from the last start on, three dones of 1 of which two are past by then.
  EXPECT_EQ(t.makespanNs(), 5'004);
  EXPECT_EQ(t.entry().communicationNs, 15'000);
  // The longest chain: a start, its operation, its done.
  EXPECT_EQ(t.entry().boundNs, 5'002);
}

TEST(Timeline, CollectivesThatAreNoOperationOfTheirOwnShareTheStream) {
  const auto laneOf = [](const std::string& attribute) {
    const Timeline t = timelineOf(
        "  a = f32[8]{0} parameter(0)\n  s = ((f32[8]{0}), f32[8]{0}, u32[]) custom-call-start(a), "
        "custom_call_target=\"k\", async_execution_thread=\"side\"" +
        attribute + "\n  ROOT d = f32[8]{0} custom-call-done(s)\n");
    return t.entry().lanes.back().kind;
  };
  EXPECT_EQ(laneOf(""), LaneKind::AsyncCompute);
  EXPECT_EQ(laneOf(", frontend_attributes={_collectives_group=\"\"}"), LaneKind::Collective);
  EXPECT_EQ(laneOf(", frontend_attributes={_xla_stream_annotation=\"collective\"}"), LaneKind::Collective);
  EXPECT_EQ(laneOf(", frontend_attributes={_xla_gpu_collective_stream=\"p2p\"}"), LaneKind::PointToPoint);
}

// Instructions with what each reads, in one of the orders that allows.
class RandomModule {
 public:
  explicit RandomModule(uint32_t seed) : random_(seed) {
    add("a", "f32[8]{0} parameter(0)", {});
    values_ = {"a"};
    for (int i = 0; i < 12; ++i) addOperation(std::to_string(i));
    std::string types, all;
    for (const std::string& value : values_) {
      types += std::string(types.empty() ? "" : ", ") + "f32[8]{0}";
      all += (all.empty() ? "" : ", ") + value;
    }
    add("ROOT r", "(" + types + ") tuple(" + all + ")", values_);
  }

  std::string inSomeOrder() {
    std::string text;
    absl::flat_hash_set<std::string> done;
    std::vector<const Line*> left;
    for (const Line& line : lines_) left.push_back(&line);
    while (!left.empty()) {
      std::vector<size_t> ready;
      for (size_t i = 0; i < left.size(); ++i) {
        if (std::ranges::all_of(left[i]->reads, [&](const std::string& name) { return done.contains(name); }))
          ready.push_back(i);
      }
      const size_t next = ready[below(ready.size())];
      text += "  " + left[next]->name + " = " + left[next]->text + "\n";
      done.insert(left[next]->name);
      left.erase(left.begin() + static_cast<ptrdiff_t>(next));
    }
    return text;
  }

 private:
  struct Line {
    std::string name, text;
    std::vector<std::string> reads;
  };
  size_t below(size_t limit) { return random_() % limit; }
  void add(std::string name, std::string text, std::vector<std::string> reads) {
    lines_.push_back({std::move(name), std::move(text), std::move(reads)});
  }

  void addOperation(const std::string& number) {
    const std::string from = values_[below(values_.size())], start = "s" + number, done = "d" + number;
    const auto pair = [&](const std::string& type, const std::string& opcode, const std::string& attributes) {
      add(start, type + " " + opcode + "-start(" + from + ")" + attributes, {from});
      add(done, "f32[8]{0} " + opcode + "-done(" + start + ")", {start});
    };
    const std::string two = "(f32[8]{0}, f32[8]{0}";
    switch (below(6)) {
      case 0:
        add(done, "f32[8]{0} custom-call(" + from + "), custom_call_target=\"work\"", {from});
        break;
      case 1:
        add(done, "f32[8]{0} add(" + from + ", " + from + ")", {from});
        break;
      case 2:
        pair(two + ", u32[])", "copy", "");
        break;
      case 3:
        pair("((f32[8]{0}), f32[8]{0}, u32[])", "custom-call",
             ", custom_call_target=\"k\", async_execution_thread=\"side\"");
        break;
      case 4:
        pair(two + ")", "collective-permute",
             ", source_target_pairs={{0,1},{1,0}}, frontend_attributes={_xla_gpu_collective_stream=\"p2p\"}");
        break;
      default:
        pair(two + ")", "collective-permute", ", source_target_pairs={{0,1},{1,0}}");
    }
    values_.push_back(done);
  }

  std::mt19937 random_;
  std::vector<Line> lines_;
  std::vector<std::string> values_;
};

TEST(Timeline, NoOrderIsFasterThanTheBound) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    RandomModule module(seed);
    for (const int32_t streams : {1, 2}) {
      double bound = -1;
      for (int order = 0; order < 5; ++order) {
        const Timeline t = timelineOf(module.inSomeOrder(), streams);
        EXPECT_LE(t.entry().boundNs, t.makespanNs()) << "seed " << seed;
        if (bound >= 0) EXPECT_EQ(t.entry().boundNs, bound) << "seed " << seed;
        bound = t.entry().boundNs;
      }
    }
  }
}

}  // namespace
}  // namespace hilo
