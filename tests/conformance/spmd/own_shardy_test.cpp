// Modules of our own, each with what tests of XLA's shardy_xla_pass_test.cc assert: shardings when Shardy's
// have spread, and what becomes of the program around them. They are in own_shardy.txt.
#include "core/compiler/spmd/shardy/shardy_xla.h"
#include "tests/conformance/spmd/own_modules.h"
#include "tests/conformance/spmd/program_properties.h"
#include "tests/conformance/spmd/spread_rows.h"

namespace hilo {
namespace {

// "PROPERTY: VALUE" of the program, or "NAME SHARDING".
std::string problemOf(const Module& module, const DeviceNames& devices, const std::string& expected) {
  const size_t colon = expected.find(": "), space = expected.find(' ');
  const size_t brace = expected.find('{');
  if (colon != expected.npos && (brace == expected.npos || colon < brace))
    return differenceFrom(module, propertyRow(expected));
  return problemOf(module, devices,
                   SpreadRow{"own", "-", "-", expected.substr(0, space), expected.substr(space + 1)});
}

std::string problemOf(const OwnModule& own) {
  const std::string text = own.text(own.heading[1]);
  auto module = parseXlaText(text);
  if (!module) return toString(module.error()) + text;
  const auto decisions = spreadShardy(**module);
  if (!decisions) return toString(decisions.error());
  if (own.expected.empty()) return "nothing is said of it";
  for (const std::string& expected : own.expected) {
    const std::string problem = problemOf(**module, DeviceNames(text), expected);
    if (!problem.empty()) return problem;
  }
  return "";
}

TEST(OwnShardyCases, Hold) {
  const auto cases = ownModules("own_shardy.txt");
  ASSERT_GT(cases.size(), 35);
  for (const OwnModule& own : cases) EXPECT_EQ(problemOf(own), "") << own.tests()[0];
}

}  // namespace
}  // namespace hilo
