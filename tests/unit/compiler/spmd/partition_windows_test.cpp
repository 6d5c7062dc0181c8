// Windows, pads and slices along dimensions that are cut, evenly and unevenly: with borders from other tiles
// they compute what they do whole.
#include <map>
#include <sstream>

#include "core/hlo/text/parse.h"
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

const std::vector<std::string> kLines = {"{replicated}", "{devices=[4]<=[4]}", "{devices=[4]3,1,0,2}",
                                         "{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"};

// `entry` with each of the shardings for its operand ($0) and its result ($1).
void expectEqual(const std::string& entry, const std::vector<std::string>& shardings) {
  for (const std::string& from : shardings) {
    for (const std::string& to : shardings) {
      std::string text = "HloModule m, num_partitions=4\n" + entry;
      for (const auto& [mark, value] : {std::pair("$0", from), std::pair("$1", to)}) {
        for (size_t at = text.find(mark); at != text.npos; at = text.find(mark))
          text.replace(at, 2, "sharding=" + value);
      }
      ASSERT_TRUE(partitionedEqualsWhole(text, {.passes = "spmd-partitioning"}));
    }
  }
}

TEST(PartitionWindows, SlicesWithStrides) {
  for (const char* slice : {"12|7|[3:10]", "16|4|[0:16:4]", "13|6|[2:13:2]", "9|8|[1:9]", "16|1|[15:16]"}) {
    const std::string text = slice;
    const size_t a = text.find('|'), b = text.rfind('|');
    expectEqual("ENTRY e { p = f32[" + text.substr(0, a) + "] parameter(0), $0\n ROOT s = f32[" +
                    text.substr(a + 1, b - a - 1) + "] slice(p), slice={" + text.substr(b + 1) + "}, $1 }",
                kLines);
  }
}

TEST(PartitionWindows, PadsWithHolesAndNegativeEdges) {
  for (const char* pad :
       {"8|12|2_2", "7|20|1_0_2", "9|5|-2_-2", "5|14|3_2_1", "8|9|-3_4", "6|16|0_0_2", "12|24|1_0_1"}) {
    const std::string text = pad;
    const size_t a = text.find('|'), b = text.rfind('|');
    expectEqual("ENTRY e { p = f32[" + text.substr(0, a) + "] parameter(0), $0\n z = f32[] constant(7)\n" +
                    " ROOT s = f32[" + text.substr(a + 1, b - a - 1) +
                    "] pad(p, z), padding=" + text.substr(b + 1) + ", $1 }",
                kLines);
  }
}

constexpr const char* kAdd =
    "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
    " ROOT s = f32[] add(a, b) }\n";

TEST(PartitionWindows, ReduceWindows) {
  for (const char* window :
       {"8|8|size=3 pad=1_1", "13|6|size=3 stride=2", "9|9|size=2 pad=0_1",
        "7|13|size=3 pad=1_1 lhs_dilate=2", "12|8|size=3 rhs_dilate=2", "16|4|size=4 stride=4",
        "8|14|size=4 stride=2 pad=4_4 lhs_dilate=3", "8|15|size=8 pad=7_7"}) {
    const std::string text = window;
    const size_t a = text.find('|'), b = text.rfind('|');
    expectEqual(kAdd + ("ENTRY e { p = f32[" + text.substr(0, a)) +
                    "] parameter(0), $0\n z = f32[] constant(1)\n ROOT r = f32[" +
                    text.substr(a + 1, b - a - 1) + "] reduce-window(p, z), window={" + text.substr(b + 1) +
                    "}, to_apply=add, $1 }",
                kLines);
  }
}

TEST(PartitionWindows, SelectAndScatter) {
  for (const char* window : {"8|4|size=2 stride=2", "13|6|size=3 stride=2", "8|8|size=3 pad=1_1",
                             "12|3|size=2 stride=4", "9|5|size=3 stride=2 pad=1_1"}) {
    const std::string text = window;
    const size_t a = text.find('|'), b = text.rfind('|');
    const std::string size = text.substr(0, a);
    expectEqual(kAdd +
                    ("ge { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                     " ROOT c = pred[] compare(a, b), direction=GE }\n"
                     "ENTRY e { p = f32[" +
                     size) +
                    "] parameter(0), $0\n s = f32[" + text.substr(a + 1, b - a - 1) +
                    "] parameter(1), $0\n z = f32[] constant(2)\n ROOT r = f32[" + size +
                    "] select-and-scatter(p, s, z), window={" + text.substr(b + 1) +
                    "}, select=ge, scatter=add, $1 }",
                kLines);
  }
}

const std::vector<std::string> kImages = {"{replicated}", "{devices=[1,4,1,1]<=[4]}",
                                          "{devices=[1,2,2,1]<=[4]}", "{devices=[1,1,1,4]<=[4]}",
                                          "{devices=[2,2,1,1]<=[2,2]T(1,0)}"};

TEST(PartitionWindows, Convolutions) {
  for (const char* kind :
       {"f32[2,8,6,4]|f32[3,3,4,4]|f32[2,8,6,4]|window={size=3x3 pad=1_1x1_1}",
        "f32[2,9,6,4]|f32[3,1,4,4]|f32[2,4,6,4]|window={size=3x1 stride=2x1}",
        "f32[2,4,6,4]|f32[3,1,4,4]|f32[2,9,6,4]|window={size=3x1 pad=2_2x0_0 lhs_dilate=2x1}",
        "f32[2,8,6,4]|f32[3,1,4,4]|f32[2,8,6,4]|window={size=3x1 pad=2_2x0_0 rhs_dilate=2x1 "
        "rhs_reversal=1x0}",
        "f32[2,8,6,4]|f32[3,3,1,4]|f32[2,8,6,4]|window={size=3x3 pad=1_1x1_1}, feature_group_count=4"}) {
    std::vector<std::string> parts;
    std::istringstream stream{std::string(kind)};
    for (std::string part; std::getline(stream, part, '|');) parts.push_back(part);
    expectEqual("ENTRY e { p = " + parts[0] + " parameter(0), $0\n k = " + parts[1] +
                    " parameter(1), sharding={replicated}\n ROOT c = " + parts[2] + " convolution(p, k), " +
                    parts[3] + ", dim_labels=b01f_01io->b01f, $1 }",
                kImages);
  }
}

// The gradient of a kernel: image and output's gradient are both cut along the image.
TEST(PartitionWindows, ConvolutionWithALargeWindow) {
  for (const char* window : {"size=8x6 pad=1_1x1_1", "size=8x6 pad=1_1x1_1 rhs_reversal=1x1"}) {
    for (const std::string& sharding : kImages) {
      const std::string text =
          "HloModule m, num_partitions=4\nENTRY e { p = f32[2,8,6,4] parameter(0), sharding=" + sharding +
          "\n k = f32[2,8,6,4] parameter(1), sharding=" + sharding +
          "\n ROOT c = f32[3,3,4,4] convolution(p, k), window={" + window +
          "}, dim_labels=f01b_i01o->01bf, sharding={replicated} }";
      EXPECT_TRUE(partitionedEqualsWhole(text, {.passes = "spmd-partitioning"}));
    }
  }
}

// Products written as convolutions: a batch, a contracted and two free dimensions as spatial ones.
TEST(PartitionWindows, ConvolutionsThatAreProducts) {
  const std::vector<std::string> shardings = {"{replicated}", "{devices=[4,1,1,1]<=[4]}",
                                              "{devices=[1,2,1,2]<=[4]}", "{devices=[1,1,4,1]<=[4]}"};
  for (const char* kind :
       {"f32[8,6,4,8]|f32[8,5,4,1]|f32[8,6,5,8]|0bf1_0oi1->0bf1, window={size=8x1 stride=7x1 lhs_dilate=8x1}",
        "f32[8,6,4,1]|f32[8,5,4,8]|f32[8,6,5,8]|0bf1_0oi1->0bf1, "
        "window={size=8x8 stride=7x1 pad=0_0x7_7 lhs_dilate=8x1 rhs_reversal=0x1}",
        "f32[8,6,4,8]|f32[8,5,4,8]|f32[1,6,5,1]|0bf1_0oi1->0bf1, window={size=8x8}"}) {
    std::vector<std::string> parts;
    std::istringstream stream{std::string(kind)};
    for (std::string part; std::getline(stream, part, '|');) parts.push_back(part);
    for (const std::string& other : shardings) {
      expectEqual("ENTRY e { p = " + parts[0] + " parameter(0), $0\n k = " + parts[1] +
                      " parameter(1), sharding=" + other + "\n ROOT c = " + parts[2] +
                      " convolution(p, k), dim_labels=" + parts[3] + ", $1 }",
                  shardings);
    }
  }
}

// Only the borders move: as many permutes as there are sides, no gather.
TEST(PartitionWindows, BordersAreAllThatMoves) {
  auto whole = parseModuleStrictly(std::string("HloModule m, num_partitions=4\n") + kAdd + R"(
    ENTRY e { p = f32[16] parameter(0), sharding={devices=[4]<=[4]}
      z = f32[] constant(0)
      ROOT r = f32[16] reduce-window(p, z), window={size=3 pad=1_1}, to_apply=add,
        sharding={devices=[4]<=[4]} })");
  ASSERT_TRUE(whole);
  const SpmdOutcome outcome =
      partitionAndCompare(std::shared_ptr<const Module>(*std::move(whole)), {.passes = "spmd-partitioning"});
  EXPECT_EQ(outcome.difference, "");
  std::map<Opcode, int> counts;
  for (const Instruction* i : outcome.partitioned->entry()->instructions()) {
    ++counts[i->opcode()];
    if (i->opcode() == Opcode::CollectivePermute) EXPECT_EQ(i->shape().dimension(0), 1);
  }
  EXPECT_EQ(counts[Opcode::CollectivePermute], 2);
  EXPECT_EQ(counts[Opcode::AllGather], 0);
}

}  // namespace
}  // namespace hilo
