// What XLA's sharding_propagation_test.cc expects: which instruction has which sharding afterwards. The table
// says so; the modules are XLA's, read from its sources (HILO_XLA_SOURCE). A test holds when its rows do.
#include "core/compiler/spmd/sharding_propagation.h"
#include "tests/conformance/spmd/spread_rows.h"

namespace hilo {
namespace {

constexpr const char* kSource = "xla/service/sharding_propagation_test.cc";

// nullptr where the test lets nothing spread there.
std::unique_ptr<bool[]> flagsOf(const std::string& text, size_t& count) {
  if (text == "-") return nullptr;
  auto flags = std::make_unique<bool[]>(text.size());
  for (char c : text) {
    if (c != ',') flags[count++] = c == '1';
  }
  return flags;
}

std::string problemOf(const std::vector<SpreadRow>& rows) {
  const std::string original = textOfXlaTest(kSource, rows[0][0]);
  const DeviceNames devices(original);
  const std::string text = devices.renamed(original);
  auto parsed = parseXlaText(text);
  if (!parsed) return toString(parsed.error());
  Module& module = **parsed;
  if (module.partitionCount() == 1)
    module.set<Attr::NumPartitions>(devicesOf(text, devicesOf(rows[0][4], 2)));
  size_t parameters = 0, outputs = 0;
  const auto toParameters = flagsOf(rows[0][1], parameters), toOutput = flagsOf(rows[0][2], outputs);
  if (toParameters)
    module.set<Attr::AllowSpmdShardingPropagationToParameters>({toParameters.get(), parameters});
  if (toOutput) module.set<Attr::AllowSpmdShardingPropagationToOutput>({toOutput.get(), outputs});
  const std::string before = printModule(module);
  const auto decisions = spreadShardings(module, {.toParameters = true});
  if (!decisions) return toString(decisions.error());
  return problemOf(module, devices, before, rows);
}

// Tests that held when the table was made.
constexpr size_t kHold = 270;

TEST(XlaPropagationTests, HoldAsManyAsBefore) {
  std::map<std::string, std::vector<SpreadRow>> tests;
  for (SpreadRow& row : readTable("propagation_cases.tsv")) tests[row[0]].push_back(std::move(row));
  if (std::getenv("HILO_XLA_SOURCE") == nullptr) GTEST_SKIP() << "HILO_XLA_SOURCE is not set";
  size_t hold = 0;
  for (const auto& [name, rows] : tests) {
    const std::string problem = problemOf(rows);
    hold += problem.empty() ? 1 : 0;
    if (!problem.empty()) fmt::print("does not hold: {}: {}\n", name, problem);
  }
  fmt::print("{} of {} tests hold\n", hold, tests.size());
  EXPECT_GE(hold, kHold);
}

}  // namespace
}  // namespace hilo
