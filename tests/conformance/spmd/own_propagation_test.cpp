// Modules of our own, each with what tests of XLA's sharding_propagation_test.cc assert: which instruction
// has which sharding when shardings have spread. They are in own_propagation.txt.
#include "core/compiler/spmd/sharding_propagation.h"
#include "tests/conformance/spmd/own_modules.h"
#include "tests/conformance/spmd/spread_rows.h"

namespace hilo {
namespace {

// "NAME SHARDING" and "NAME = OTHER".
SpreadRow rowOf(const std::string& expected) {
  const size_t space = expected.find(' ');
  return {"own", "-", "-", expected.substr(0, space), expected.substr(space + 1)};
}

std::string problemOf(const OwnModule& own) {
  const std::string text = own.text(own.heading[1]);
  auto parsed = parseXlaText(text);
  if (!parsed) return toString(parsed.error()) + text;
  Module& module = **parsed;
  const std::string before = printModule(module);
  const auto decisions = spreadShardings(module, {.toParameters = true});
  std::vector<SpreadRow> rows;
  for (const std::string& expected : own.expected) rows.push_back(rowOf(expected));
  if (rows.empty()) return "nothing is said of it";
  if (!decisions) return toString(decisions.error());
  return problemOf(module, DeviceNames(text), before, rows);
}

TEST(OwnPropagationCases, Hold) {
  const auto cases = ownModules("own_propagation.txt");
  ASSERT_GT(cases.size(), 250);
  for (const OwnModule& own : cases) EXPECT_EQ(problemOf(own), "") << own.tests()[0];
}

}  // namespace
}  // namespace hilo
