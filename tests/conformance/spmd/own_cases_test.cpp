// Modules of our own, each with the property of some tests of XLA's spmd_partitioner_test.cc: the collectives
// that these expect, and equal results. They are in own_cases.txt.
#include "tests/conformance/spmd/collective_kinds.h"
#include "tests/conformance/spmd/own_modules.h"
#include "tests/conformance/spmd/program_properties.h"
#include "tests/conformance/spmd/xla_cases.h"
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

// Its heading: tests, devices, collectives, and what is special about it.
struct OwnCase {
  OwnModule module;
  std::string devices, kinds, special;
};

std::vector<OwnCase> ownCases() {
  std::vector<OwnCase> cases;
  for (OwnModule& module : ownModules("own_cases.txt")) {
    const auto heading = module.heading;
    cases.push_back({.module = std::move(module),
                     .devices = heading[1],
                     .kinds = heading[2],
                     .special = heading.size() > 3 ? heading[3] : ""});
  }
  return cases;
}

std::string passesOf(const OwnCase& own) {
  const bool isWindowed = own.special == "windowed";
  return isWindowed ? "spmd-partitioning{windowed_einsum_threshold_mib=0},dce" : "spmd-partitioning,dce";
}

// "" where all devices compute what one does, and where nobody can say what the whole module computes.
std::string differenceIn(const OwnCase& own, const SpmdOutcome& outcome) {
  const bool isUnknown = outcome.difference.starts_with("the whole module:");
  if (own.special == "verified") return isUnknown ? "" : "it can be run: " + outcome.difference;
  return outcome.difference;
}

TEST(OwnPartitionerCases, HaveTheCollectivesAndTheResults) {
  const auto cases = ownCases();
  ASSERT_GT(cases.size(), 200);
  for (const OwnCase& own : cases) {
    SCOPED_TRACE(own.module.tests()[0]);
    const std::string text = own.module.text(own.devices);
    const auto module = parseXlaText(text);
    if (!module) {
      ADD_FAILURE() << toString(module.error()) << text;
      continue;
    }
    const std::string passes = passesOf(own);
    const SpmdOutcome outcome = partitionAndCompare(*module, {.passes = passes});
    if (own.kinds == "refused") {
      EXPECT_TRUE(outcome.refusal && outcome.refusal->message.contains(own.special));
      continue;
    }
    EXPECT_FALSE(outcome.refusal) << toString(*outcome.refusal);
    if (outcome.refusal) continue;
    EXPECT_EQ(differenceIn(own, outcome), "");
    EXPECT_EQ(kindsOf(*outcome.partitioned), own.kinds);
    for (const std::string& expected : own.module.expected)
      EXPECT_EQ(differenceFrom(*outcome.partitioned, propertyRow(expected)), "");
  }
}

// What a case is said to be like expects the collectives that the case has.
TEST(OwnPartitionerCases, AreAsXlasTestsExpect) {
  std::map<std::string, std::string> expected;
  for (const auto& row : readTable("partitioner_cases.tsv")) expected[row[0]] = row[2];
  for (const OwnCase& own : ownCases()) {
    for (const std::string& test : own.module.tests()) {
      ASSERT_TRUE(expected.contains(test)) << test;
      if (expected[test] != "-") EXPECT_TRUE(hasKinds(own.kinds, expected[test])) << test << expected[test];
    }
  }
}

}  // namespace
}  // namespace hilo
