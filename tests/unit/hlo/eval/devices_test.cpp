#include "core/hlo/eval/devices.h"

#include "tests/support/module_text.h"
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

using Texts = std::vector<std::string>;

Texts textsOf(const Result<std::vector<Literal>>& outputs) {
  if (!outputs) return {outputs.error().kind};
  Texts texts;
  for (const Literal& output : *outputs) texts.push_back(literalText(output));
  return texts;
}

// One argument a device, or none.
Texts runOn(DeviceGrid grid, const std::string& body, const Texts& arguments = {}) {
  const auto module = moduleWithReducers(body);
  if (module == nullptr) return {};
  std::vector<std::vector<Literal>> literals;
  for (const std::string& argument : arguments) literals.push_back({literalOf(argument)});
  if (literals.empty()) literals.resize(1);
  return textsOf(evaluateOnDevices(*module, grid, literals));
}

// s32[n] with n entries: device d holds 10 * d, 10 * d + 1, ...
Texts tens(int64_t devices, int64_t n) {
  Texts texts;
  for (int64_t d = 0; d < devices; ++d) {
    std::string values;
    for (int64_t i = 0; i < n; ++i) values += fmt::format("{}{}", i == 0 ? "" : ", ", 10 * d + i);
    texts.push_back(fmt::format("s32[{}] {{{}}}", n, values));
  }
  return texts;
}

TEST(EvalDevices, KnowTheirPlace) {
  EXPECT_EQ(
      runOn({2, 2}, "r = u32[] replica-id()\np = u32[] partition-id()\nROOT t = (u32[], u32[]) tuple(r, p)"),
      (Texts{"(u32[] 0, u32[] 0)", "(u32[] 0, u32[] 1)", "(u32[] 1, u32[] 0)", "(u32[] 1, u32[] 1)"}));
}

// The four modes on two replicas of two partitions, devices 0 to 3 holding 1, 2, 4 and 8.
TEST(EvalDevices, GroupModes) {
  const Texts powers = {"s32[] 1", "s32[] 2", "s32[] 4", "s32[] 8"};
  const auto sum = [&](const std::string& attributes) {
    return runOn({2, 2}, "p = s32[] parameter(0)\nROOT r = s32[] all-reduce(p), to_apply=add, " + attributes,
                 powers);
  };
  // Replicas of one partition: devices {0, 2} and {1, 3}.
  EXPECT_EQ(sum("replica_groups={}"), (Texts{"s32[] 5", "s32[] 10", "s32[] 5", "s32[] 10"}));
  EXPECT_EQ(sum("replica_groups={{0},{1}}"), powers);
  // All partitions of the replicas named.
  EXPECT_EQ(sum("replica_groups={{0},{1}}, channel_id=1"),
            (Texts{"s32[] 3", "s32[] 3", "s32[] 12", "s32[] 12"}));
  EXPECT_EQ(sum("replica_groups={}, channel_id=1"), (Texts{"s32[] 15", "s32[] 15", "s32[] 15", "s32[] 15"}));
  EXPECT_EQ(sum("replica_groups={{0,3},{1,2}}, channel_id=1, use_global_device_ids=true"),
            (Texts{"s32[] 9", "s32[] 6", "s32[] 6", "s32[] 9"}));
  EXPECT_EQ(sum("replica_groups={{0,3},{1,2}}, channel_id=0, use_global_device_ids=true"),
            (Texts{"malformed-instruction"}));
  EXPECT_EQ(sum("replica_groups=[2,2]<=[2,2]T(1,0), channel_id=1, use_global_device_ids=true"),
            (Texts{"s32[] 5", "s32[] 10", "s32[] 5", "s32[] 10"}));
  EXPECT_EQ(sum("replica_groups={{0,9}}, channel_id=1, use_global_device_ids=true"),
            (Texts{"malformed-instruction"}));
  EXPECT_EQ(sum("replica_groups={{0,1}}, use_global_device_ids=true"), (Texts{"malformed-instruction"}));
  // A channel that is written is one.
  EXPECT_EQ(
      runOn({2, 2},
            "p = s32[] parameter(0)\nb = s32[1] reshape(p)\nROOT r = s32[2] all-gather(b), channel_id=0, "
            "replica_groups={{0,3},{2,1}}, use_global_device_ids=true, dimensions={0}",
            powers),
      (Texts{"s32[2] {1, 8}", "s32[2] {4, 2}", "s32[2] {4, 2}", "s32[2] {1, 8}"}));
  // Partitions of one replica: an all-to-all's channel makes it so.
  EXPECT_EQ(runOn({2, 2},
                  "p = s32[] parameter(0)\nb = s32[2] broadcast(p), dimensions={}\n"
                  "ROOT r = s32[2] all-to-all(b), channel_id=1, replica_groups={{0,1}}, dimensions={0}",
                  powers),
            (Texts{"s32[2] {1, 2}", "s32[2] {1, 2}", "s32[2] {4, 8}", "s32[2] {4, 8}"}));
}

TEST(EvalDevices, AllReduceOfFloatsRoundsOnce) {
  // 2^24 + 1 + 1 + 1 in f32, summed one by one, stays 2^24.
  EXPECT_EQ(
      runOn({4, 1}, "p = f32[] parameter(0)\nROOT r = f32[] all-reduce(p), replica_groups={}, to_apply=addf",
            {"f32[] 16777216", "f32[] 1", "f32[] 1", "f32[] 1"})[3],
      "f32[] 16777220");
}

TEST(EvalDevices, AllReduceOfSeveralAndAsync) {
  EXPECT_EQ(runOn({2, 1}, R"(p = s32[2] parameter(0)
    n = s32[2] negate(p)
    a = (s32[2], s32[2]) all-reduce(p, n), replica_groups={{1,0}}, to_apply=max
    s = s32[2] all-reduce-start(p), replica_groups={}, to_apply=add
    d = s32[2] all-reduce-done(s)
    ROOT t = ((s32[2], s32[2]), s32[2]) tuple(a, d))",
                  tens(2, 2)),
            (Texts{"((s32[2] {10, 11}, s32[2] {0, -1}), s32[2] {10, 12})",
                   "((s32[2] {10, 11}, s32[2] {0, -1}), s32[2] {10, 12})"}));
}

TEST(EvalDevices, AllGather) {
  EXPECT_EQ(
      runOn({2, 1},
            "p = s32[2] parameter(0)\nROOT r = s32[4] all-gather(p), replica_groups={{1,0}}, dimensions={0}",
            tens(2, 2)),
      (Texts{"s32[4] {10, 11, 0, 1}", "s32[4] {10, 11, 0, 1}"}));
  EXPECT_EQ(runOn({2, 1}, R"(p = s32[4] parameter(0)
    m = s32[2,2] reshape(p)
    s = (s32[2,2], s32[2,4]) all-gather-start(m), replica_groups={{0,1}}, dimensions={1}
    ROOT d = s32[2,4] all-gather-done(s))",
                  tens(2, 4))[1],
            "s32[2,4] { { 0, 1, 10, 11 }, { 2, 3, 12, 13 } }");
}

TEST(EvalDevices, ReduceScatter) {
  EXPECT_EQ(runOn({2, 1},
                  "p = s32[4] parameter(0)\nROOT r = s32[2] reduce-scatter(p), replica_groups={{0,1}}, "
                  "dimensions={0}, to_apply=add",
                  tens(2, 4)),
            (Texts{"s32[2] {10, 12}", "s32[2] {14, 16}"}));
  EXPECT_EQ(runOn({3, 1},
                  "p = s32[4] parameter(0)\nROOT r = s32[2] reduce-scatter(p), replica_groups={}, "
                  "dimensions={0}, to_apply=add",
                  tens(3, 4)),
            (Texts{"malformed-instruction"}));
}

TEST(EvalDevices, AllToAll) {
  EXPECT_EQ(
      runOn({2, 1},
            "p = s32[4] parameter(0)\nROOT r = s32[4] all-to-all(p), replica_groups={{0,1}}, dimensions={0}",
            tens(2, 4)),
      (Texts{"s32[4] {0, 1, 10, 11}", "s32[4] {2, 3, 12, 13}"}));
  EXPECT_EQ(runOn({2, 1}, R"(p = s32[1] parameter(0)
    n = s32[1] negate(p)
    ROOT r = (s32[1], s32[1]) all-to-all(p, n), replica_groups={{1,0}})",
                  {"s32[1] {5}", "s32[1] {7}"}),
            (Texts{"(s32[1] {-7}, s32[1] {-5})", "(s32[1] {7}, s32[1] {5})"}));
}

TEST(EvalDevices, CollectivePermuteAndBroadcast) {
  const std::string ring =
      "p = s32[1] parameter(0)\nROOT r = s32[1] collective-permute(p), source_target_pairs=";
  EXPECT_EQ(runOn({3, 1}, ring + "{{0,1},{1,2},{2,0}}", tens(3, 1)),
            (Texts{"s32[1] {20}", "s32[1] {0}", "s32[1] {10}"}));
  EXPECT_EQ(runOn({3, 1}, ring + "{{2,1}}", tens(3, 1)), (Texts{"s32[1] {0}", "s32[1] {20}", "s32[1] {0}"}));
  EXPECT_EQ(runOn({3, 1}, ring + "{{2,1},{0,1}}", tens(3, 1)), (Texts{"malformed-instruction"}));
  EXPECT_EQ(runOn({2, 1}, R"(p = s32[1] parameter(0)
    s = (s32[1], s32[1], u32[], u32[]) collective-permute-start(p), source_target_pairs={{0,1},{1,0}}
    ROOT d = s32[1] collective-permute-done(s))",
                  tens(2, 1)),
            (Texts{"s32[1] {10}", "s32[1] {0}"}));
  EXPECT_EQ(runOn({4, 1},
                  "p = s32[1] parameter(0)\nROOT r = s32[1] collective-broadcast(p), replica_groups={{2,1}}",
                  tens(4, 1)),
            (Texts{"s32[1] {0}", "s32[1] {20}", "s32[1] {20}", "s32[1] {0}"}));
}

TEST(EvalDevices, RaggedAllToAll) {
  // Device 0 sends 1 row to itself and 2 to device 1; device 1 sends 2 rows to device 0 and 1 to itself.
  const auto module = moduleWithReducers(R"(
    input = s32[4] parameter(0)
    output = s32[4] parameter(1)
    starts = s32[2] parameter(2)
    rows = s32[2] parameter(3)
    targets = s32[2] parameter(4)
    incoming = s32[2] parameter(5)
    ROOT r = s32[4] ragged-all-to-all(input, output, starts, rows, targets, incoming), replica_groups={{0,1}})");
  const std::vector<std::vector<Literal>> arguments = {
      {literalOf("s32[4] {1, 2, 3, 4}"), literalOf("s32[4] {-1, -1, -1, -1}"), literalOf("s32[2] {0, 1}"),
       literalOf("s32[2] {1, 2}"), literalOf("s32[2] {0, 1}"), literalOf("s32[2] {1, 2}")},
      {literalOf("s32[4] {5, 6, 7, 8}"), literalOf("s32[4] {-2, -2, -2, -2}"), literalOf("s32[2] {2, 0}"),
       literalOf("s32[2] {2, 1}"), literalOf("s32[2] {2, 0}"), literalOf("s32[2] {2, 1}")}};
  EXPECT_EQ(textsOf(evaluateOnDevices(*module, {2, 1}, arguments)),
            (Texts{"s32[4] {1, -1, 7, 8}", "s32[4] {5, 2, 3, -2}"}));
}

// Two parts for each device: device d sends its row k to row k of device k / 2, before what device 1
// - d sends.
TEST(EvalDevices, RaggedAllToAllInSeveralParts) {
  const auto module = moduleWithReducers(R"(
    input = s32[4] parameter(0)
    output = s32[4] parameter(1)
    starts = s32[4] constant({0, 1, 2, 3})
    rows = s32[4] constant({1, 1, 1, 1})
    targets = s32[4] parameter(2)
    ROOT r = s32[4] ragged-all-to-all(input, output, starts, rows, targets, rows), replica_groups={{0,1}})");
  const Literal blank = literalOf("s32[4] {-1, -1, -1, -1}");
  const std::vector<std::vector<Literal>> arguments = {
      {literalOf("s32[4] {1, 2, 3, 4}"), blank, literalOf("s32[4] {0, 2, 0, 2}")},
      {literalOf("s32[4] {5, 6, 7, 8}"), blank, literalOf("s32[4] {1, 3, 1, 3}")}};
  EXPECT_EQ(textsOf(evaluateOnDevices(*module, {2, 1}, arguments)),
            (Texts{"s32[4] {1, 5, 2, 6}", "s32[4] {3, 7, 4, 8}"}));
}

TEST(EvalDevices, AnAsyncStartMeetsInWhatItCalls) {
  const std::string text = R"(HloModule m
add { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] add(a, b) }
wrapped { p = s32[4] parameter(0)
  ROOT r = s32[2] reduce-scatter(p), replica_groups={{0,1}}, dimensions={0}, to_apply=add }
ENTRY e { p = s32[4] parameter(0)
  s = ((s32[4]), s32[2], u32[]) async-start(p), calls=wrapped
  u = ((s32[4]), s32[2], u32[]) async-update(s)
  ROOT d = s32[2] async-done(u) })";
  const auto module = parseModuleStrictly(text);
  ASSERT_TRUE(module.has_value()) << toString(module.error());
  const std::vector<std::vector<Literal>> arguments = {{literalOf("s32[4] {0, 1, 2, 3}")},
                                                       {literalOf("s32[4] {10, 11, 12, 13}")}};
  EXPECT_EQ(textsOf(evaluateOnDevices(**module, {2, 1}, arguments)),
            (Texts{"s32[2] {10, 12}", "s32[2] {14, 16}"}));
}

// What an exchange moves or reduces, of every element type.
TEST(EvalDevices, EveryElementType) {
  for (int t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<ElementType>(t);
    if (!isArrayElement(type)) continue;
    const std::string name(elementTypeName(type)), reducer = isComplex(type) ? "multiply" : "maximum";
    const std::string text = fmt::format(R"(HloModule m
f {{ a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT r = {0}[] {1}(a, b) }}
ENTRY e {{ p = {0}[2] parameter(0)
  g = {0}[4] all-gather(p), replica_groups={{}}, dimensions={{0}}
  a = {0}[2] all-reduce(p), replica_groups={{}}, to_apply=f
  ROOT t = ({0}[4], {0}[2]) tuple(g, a) }})",
                                         name, reducer);
    const auto module = parseModuleStrictly(text);
    ASSERT_TRUE(module.has_value()) << toString(module.error());
    // 1 is in every type's reach (in s1 it is -1), and 2 in all but the smallest.
    Literal one(Shape::array(type, {2})), two = one;
    const std::vector<int64_t> ones = {1, 1}, twos = {1, 2};
    convertElements(one.mutableBytes().data(), type, ones.data(), ElementType::S64, 2);
    convertElements(two.mutableBytes().data(), type, twos.data(), ElementType::S64, 2);
    const std::vector<std::vector<Literal>> arguments = {{one}, {two}};
    const auto outputs = evaluateOnDevices(**module, {2, 1}, arguments);
    ASSERT_TRUE(outputs.has_value()) << name << ": " << toString(outputs.error());
    for (const Literal& output : *outputs) {
      const auto bytes = static_cast<size_t>(elementStorageBytes(type));
      const auto gathered = output.elements()[0].bytes();
      EXPECT_TRUE(std::ranges::equal(gathered.first(2 * bytes), one.bytes())) << name;
      EXPECT_TRUE(std::ranges::equal(gathered.subspan(2 * bytes), two.bytes())) << name;
      // In the types of one and two bits 2 is 0, or less than 1.
      const bool twoIsLess = valuesOf(two)[1] < valuesOf(one)[1];
      EXPECT_TRUE(output.elements()[1] == (twoIsLess ? one : two)) << name;
    }
  }
}

TEST(EvalDevices, CollectivesInLoopsMeetAgainAndAgain) {
  // Each turn every device adds what its left neighbour has.
  const std::string steps = R"(left = s32[] collective-permute(v), source_target_pairs={{0,1},{1,2},{2,0}}
  w = s32[] add(v, left))";
  const auto module = moduleOf(countingLoop("s32[]", 100, steps) + R"(
ENTRY e { p = s32[] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], s32[]) tuple(zero, p)
  w = (s32[], s32[]) while(t), condition=condition, body=body
  ROOT r = s32[] get-tuple-element(w), index=1 })");
  ASSERT_NE(module, nullptr);
  const std::vector<std::vector<Literal>> arguments = {
      {literalOf("s32[] 1")}, {literalOf("s32[] 0")}, {literalOf("s32[] 0")}};
  std::array<uint32_t, 3> expected = {1, 0, 0};
  for (int turn = 0; turn < 100; ++turn)
    expected = {expected[0] + expected[2], expected[1] + expected[0], expected[2] + expected[1]};
  const auto outputs = evaluateOnDevices(*module, {3, 1}, arguments);
  ASSERT_TRUE(outputs.has_value()) << toString(outputs.error());
  for (size_t d = 0; d < 3; ++d) EXPECT_EQ((*outputs)[d].data<uint32_t>()[0], expected[d]);
}

TEST(EvalDevices, GridsAndArgumentsThatDoNotFitAreRefused) {
  EXPECT_EQ(gridOf(*moduleWithReducers("ROOT p = s32[] parameter(0)")).count(), 1);
  EXPECT_EQ(runOn({0, 1}, "ROOT p = s32[] parameter(0)", tens(1, 1)), (Texts{"wrong-argument"}));
  EXPECT_EQ(runOn({int64_t{1} << 40, int64_t{1} << 40}, "ROOT p = s32[] parameter(0)", tens(1, 1)),
            (Texts{"wrong-argument"}));
  EXPECT_EQ(runOn({3, 1}, "ROOT p = s32[1] parameter(0)", tens(2, 1)), (Texts{"wrong-argument"}));
}

}  // namespace
}  // namespace hilo
