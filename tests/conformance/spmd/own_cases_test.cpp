// Modules of our own, each with the property of some tests of XLA's spmd_partitioner_test.cc: the collectives
// that these expect, and equal results. They are in own_cases.txt.
#include "tests/conformance/spmd/collective_kinds.h"
#include "tests/conformance/spmd/xla_cases.h"
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

struct OwnCase {
  std::vector<std::string> xlaTests;
  std::string devices, kinds;
  bool isWindowed = false;
  std::string module;
};

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t at = text.find(by); at != text.npos; at = text.find(by, from)) {
    parts.push_back(text.substr(from, at - from));
    from = at + by.size();
  }
  parts.push_back(text.substr(from));
  return parts;
}

constexpr const char* kComputations = R"(
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y) }
max { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] maximum(x, y) }
less { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = pred[] compare(x, y), direction=LT }
)";

// "name = shape operation @ sharding"; without an operation it is a parameter.
std::string instructionOf(const std::string& line, size_t parameter) {
  const auto sides = split(line, " @ ");
  const bool isParameter = !sides[0].contains('(');
  return fmt::format("  {}{}, sharding={}\n", sides[0],
                     isParameter ? fmt::format(" parameter({})", parameter) : "", sides[1]);
}

OwnCase caseOf(const std::string& paragraph) {
  std::vector<std::string> lines = split(paragraph, "\n");
  std::erase_if(lines, [](const std::string& line) { return line.empty() || line.starts_with('#'); });
  const auto head = split(lines[0], ": ");
  OwnCase made{.xlaTests = split(head[0], " "),
               .devices = head[1],
               .kinds = head[2],
               .isWindowed = head.size() > 3,
               .module = {}};
  std::string entry;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::string text = instructionOf(lines[i], i - 1);
    entry += i + 1 == lines.size() ? "  ROOT" + text.substr(1) : text;
  }
  made.module = fmt::format("HloModule own, num_partitions={}\n{}ENTRY main {{\n{}}}\n", made.devices,
                            kComputations, entry);
  return made;
}

std::vector<OwnCase> ownCases() {
  std::ifstream file("tests/conformance/spmd/own_cases.txt");
  std::stringstream text;
  text << file.rdbuf();
  std::vector<OwnCase> cases;
  for (const std::string& paragraph : split(text.str(), "\n\n")) {
    if (!paragraph.starts_with("#") && !paragraph.empty()) cases.push_back(caseOf(paragraph));
  }
  return cases;
}

std::string passesOf(const OwnCase& own) {
  return own.isWindowed ? "spmd-partitioning{windowed_einsum_threshold_mib=0},dce" : "spmd-partitioning,dce";
}

TEST(OwnPartitionerCases, HaveTheCollectivesAndTheResults) {
  const auto cases = ownCases();
  ASSERT_GT(cases.size(), 90);
  for (const OwnCase& own : cases) {
    SCOPED_TRACE(own.xlaTests[0]);
    const auto module = parseXlaText(own.module);
    ASSERT_TRUE(module.has_value()) << toString(module.error()) << own.module;
    const std::string passes = passesOf(own);
    const SpmdOutcome outcome = partitionAndCompare(*module, {.passes = passes});
    ASSERT_FALSE(outcome.refusal) << toString(*outcome.refusal);
    EXPECT_EQ(outcome.difference, "");
    EXPECT_EQ(kindsOf(*outcome.partitioned), own.kinds);
  }
}

// What a case is said to be like expects the collectives that the case has.
TEST(OwnPartitionerCases, AreAsXlasTestsExpect) {
  std::map<std::string, std::string> expected;
  for (const auto& row : readTable("partitioner_cases.tsv")) expected[row[0]] = row[2];
  for (const OwnCase& own : ownCases()) {
    for (const std::string& test : own.xlaTests) {
      ASSERT_TRUE(expected.contains(test)) << test;
      if (expected[test] != "-") EXPECT_TRUE(hasKinds(own.kinds, expected[test])) << test << expected[test];
    }
  }
}

}  // namespace
}  // namespace hilo
