// The modules of XLA's spmd_partitioner_test.cc, partitioned over as many devices as there: the verifier
// takes the result, it computes what the whole module does, and it has the kinds of collectives that the
// test's matchers name; where not, partitioner_gaps.tsv says why. The modules are read from HILO_XLA_SOURCE.
#include "core/hlo/text/print.h"
#include "tests/conformance/spmd/collective_kinds.h"
#include "tests/conformance/spmd/xla_cases.h"
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

constexpr const char* kSource = "xla/service/spmd/spmd_partitioner_test.cc";

struct Counts {
  // By test: "kinds" where it has other collectives than expected, "refused".
  std::map<std::string, std::string> gaps;
  size_t sameKinds = 0, otherKinds = 0;
  size_t equal = 0, differ = 0, refused = 0, unreadable = 0, notRun = 0;
};

// Values that XLA's test never runs: nobody can say what they are.
bool cannotRun(const std::string& difference) { return difference.starts_with("the whole module:"); }

void countKinds(Counts& counts, const std::string& name, const Module& module, const std::string& expected) {
  if (expected == "-") return;
  const std::string kinds = kindsOf(module);
  const bool isSame = hasKinds(kinds, expected);
  ++(isSame ? counts.sameKinds : counts.otherKinds);
  if (!isSame) counts.gaps[name] = "kinds";
  if (!isSame) fmt::print("other collectives: {}: {}, expected {}\n", name, kinds, expected);
}

// Options of XLA's that the pass has too.
std::string passWith(const std::string& options) {
  constexpr std::string_view kThreshold = "windowed_einsum_threshold_mib=";
  std::string threshold = "256";
  const size_t at = options.find(kThreshold);
  if (at != options.npos) {
    const size_t from = at + kThreshold.size();
    threshold = options.substr(from, options.find(',', from) - from);
  }
  return fmt::format("spmd-partitioning{{{}{}}},dce", kThreshold, threshold);
}

void count(Counts& counts, const std::vector<std::string>& row) {
  const std::string& name = row[0];
  const auto parsed = parseXlaText(textOfXlaTest(kSource, name));
  if (!parsed) {
    ++counts.unreadable;
    return;
  }
  (*parsed)->set<Attr::NumPartitions>(std::stoll(row[1]));
  // A sum of bf16 depends on its order.
  const bool isCoarse = printModule(**parsed).contains("bf16[");
  const SpmdOutcome outcome =
      partitionAndCompare(*parsed, {.passes = passWith(row[3]),
                                    .mostWork = 1 << 23,
                                    .tolerance = {.absolute = isCoarse ? 0.5 : -1, .relative = -1}});
  if (const char* folder = std::getenv("HILO_KEEP_PARTITIONED"); folder != nullptr && outcome.partitioned)
    std::ofstream(std::string(folder) + "/" + name + ".hlo") << printModule(*outcome.partitioned);
  if (!outcome.refusal) countKinds(counts, name, *outcome.partitioned, row[2]);
  if (outcome.refusal) {
    ++counts.refused;
    counts.gaps[name] = "refused";
    fmt::print("refused: {}: {}\n", name, toString(*outcome.refusal).substr(0, 200));
  } else if (outcome.difference.empty()) {
    ++counts.equal;
  } else if (cannotRun(outcome.difference)) {
    ++counts.notRun;
    fmt::print("not run: {}: {}\n", name, outcome.difference.substr(0, 200));
  } else {
    ++counts.differ;
    fmt::print("differs: {}: {}\n", name, outcome.difference.substr(0, 200));
  }
}

// How many were equal when the table was made.
constexpr size_t kEqual = 364;

TEST(XlaPartitionerTests, ComputeWhatTheWholeModuleDoes) {
  if (std::getenv("HILO_XLA_SOURCE") == nullptr) GTEST_SKIP() << "HILO_XLA_SOURCE is not set";
  Counts counts;
  for (const auto& row : readTable("partitioner_cases.tsv")) count(counts, row);
  fmt::print("{} equal, {} differ, {} refused, {} cannot be run whole, {} unreadable\n", counts.equal,
             counts.differ, counts.refused, counts.notRun, counts.unreadable);
  fmt::print("{} with the kinds of collectives that XLA's matchers name, {} with others\n", counts.sameKinds,
             counts.otherKinds);
  EXPECT_GE(counts.equal, kEqual);
  EXPECT_EQ(counts.differ, 0);
  std::map<std::string, std::string> known;
  for (const auto& row : readTable("partitioner_gaps.tsv")) known[row[0]] = row[1];
  EXPECT_EQ(counts.gaps, known);
}

}  // namespace
}  // namespace hilo
