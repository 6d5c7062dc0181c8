// What XLA's shardy_xla_pass_test.cc expects of the program around the shardings: layouts, aliases and donors
// of the entry, how many computations there are, attributes that stay or go. The table says so; the modules
// are XLA's, read from its sources (HILO_XLA_SOURCE).
#include "core/compiler/spmd/shardy/shardy_xla.h"
#include "tests/conformance/spmd/program_properties.h"
#include "tests/conformance/spmd/shardy_axes.h"

namespace hilo {
namespace {

constexpr const char* kSource = "xla/service/spmd/shardy/shardy_xla_pass_test.cc";

std::string programProblem(const std::vector<ProgramRow>& rows) {
  const std::string text = textOfXlaTest(kSource, rows[0][0]);
  auto module = parseXlaText(text);
  if (!module) return toString(module.error());
  prepareForShardy(**module, text, 2);
  const auto decisions = spreadShardy(**module);
  if (!decisions) return toString(decisions.error());
  for (const ProgramRow& row : rows) {
    const std::string difference = differenceFrom(**module, row);
    if (!difference.empty()) return difference;
  }
  return "";
}

// Tests that held when the table was made.
constexpr size_t kProgramsHold = 25;

TEST(XlaShardyPrograms, HoldAsManyAsBefore) {
  std::map<std::string, std::vector<ProgramRow>> tests;
  for (ProgramRow& row : readTable("shardy_xla_programs.tsv")) tests[row[0]].push_back(std::move(row));
  if (std::getenv("HILO_XLA_SOURCE") == nullptr) GTEST_SKIP() << "HILO_XLA_SOURCE is not set";
  size_t hold = 0;
  for (const auto& [name, rows] : tests) {
    const std::string problem = programProblem(rows);
    hold += problem.empty() ? 1 : 0;
    if (!problem.empty()) fmt::print("does not hold: {}: {}\n", name, problem);
  }
  fmt::print("{} of {} tests hold\n", hold, tests.size());
  EXPECT_GE(hold, kProgramsHold);
}

}  // namespace
}  // namespace hilo
