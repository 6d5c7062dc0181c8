// What XLA's shardy_xla_pass_test.cc expects: which instruction has which sharding afterwards. The table says
// so; the modules are XLA's, read from its sources (HILO_XLA_SOURCE). Most state HLO's shardings, which XLA
// takes for axes in that test alone: here each becomes axes of a mesh of two devices an axis.
#include "core/compiler/spmd/shardy/shardy_xla.h"
#include "tests/conformance/spmd/shardy_axes.h"

namespace hilo {
namespace {

constexpr const char* kSource = "xla/service/spmd/shardy/shardy_xla_pass_test.cc";

using Row = std::vector<std::string>;  // test, allowed to parameters, to output, instruction, sharding

const Instruction* subjectOf(const Module& module, const std::string& name) {
  if (const size_t slash = name.find(">/"); slash != name.npos) {
    const Instruction* user = subjectOf(module, name.substr(0, slash + 1));
    return user == nullptr ? nullptr : user->operand(static_cast<size_t>(std::stoi(name.substr(slash + 2))));
  }
  if (name == "<root>") return module.entry()->root();
  if (name.starts_with("<parameter "))
    return module.entry()->parameters()[static_cast<size_t>(std::stoi(name.substr(11)))];
  if (!name.starts_with("<first ")) return module.findInstruction(name);
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if ("<first " + std::string(i->opcodeText()) + ">" == name) return i;
    }
  }
  return nullptr;
}

std::string problemOf(const std::vector<Row>& rows) {
  const std::string text = textOfXlaTest(kSource, rows[0][0]);
  auto parsed = parseXlaText(text);
  if (!parsed) return toString(parsed.error());
  Module& module = **parsed;
  prepareForShardy(module, text, devicesOf(rows[0][4], 2));
  const auto decisions = spreadShardy(module);
  if (!decisions) return toString(decisions.error());
  for (const Row& row : rows) {
    const Instruction* subject = subjectOf(module, row[3]);
    if (subject == nullptr) return "no instruction " + row[3];
    std::string has;
    if (const Sharding* sharding = subject->get<Attr::Sharding>()) appendSharding(has, *sharding);
    if (has == row[4] || has == "{" + row[4] + "}") continue;
    return row[3] + " has " + has + ", expected " + row[4];
  }
  return "";
}

// Tests that held when the table was made.
constexpr size_t kHold = 16;

TEST(XlaShardyTests, HoldAsManyAsBefore) {
  std::map<std::string, std::vector<Row>> tests;
  for (Row& row : readTable("shardy_xla_cases.tsv")) tests[row[0]].push_back(std::move(row));
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
