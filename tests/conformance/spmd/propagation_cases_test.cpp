// What XLA's sharding_propagation_test.cc expects: which instruction has which sharding afterwards. The table
// says so; the modules are XLA's, read from its sources (HILO_XLA_SOURCE). A test holds when its rows do.
#include "core/compiler/spmd/sharding_propagation.h"
#include "core/compiler/spmd/tiling.h"
#include "core/hlo/text/print.h"
#include "tests/conformance/spmd/xla_cases.h"

namespace hilo {
namespace {

constexpr const char* kSource = "xla/service/sharding_propagation_test.cc";

using Row = std::vector<std::string>;  // test, allowed to parameters, to output, instruction, sharding

// "gather/1" is its operand 1.
Instruction* subjectOf(const Module& module, const std::string& name) {
  if (const size_t slash = name.rfind('/'); slash != name.npos) {
    Instruction* user = subjectOf(module, name.substr(0, slash));
    return user == nullptr ? nullptr : user->operand(static_cast<size_t>(std::stoi(name.substr(slash + 1))));
  }
  if (name == "<root>") return module.entry()->root();
  if (name.starts_with("<parameter "))
    return module.entry()->parameters()[static_cast<size_t>(std::stoi(name.substr(11)))];
  return module.findInstruction(name);
}

// nullptr where the test lets nothing spread there.
std::unique_ptr<bool[]> flagsOf(const std::string& text, size_t& count) {
  if (text == "-") return nullptr;
  auto flags = std::make_unique<bool[]>(text.size());
  for (char c : text) {
    if (c != ',') flags[count++] = c == '1';
  }
  return flags;
}

std::string textOf(const Sharding* sharding) {
  if (sharding == nullptr) return "none";
  std::string text;
  appendSharding(text, *sharding);
  return text;
}

// "" where a sharding is the one of a text.
std::string problemOf(const Module& module, const DeviceNames& devices, const Instruction& subject,
                      const std::string& expected) {
  const Sharding* has = subject.get<Attr::Sharding>();
  const std::string problem = fmt::format("{} has {}, expected {}", subject.name(), textOf(has), expected);
  // To the partitioner nothing is the same as replicated; XLA's tests of both kinds are run as SPMD here.
  if (expected == "none") return has == nullptr || textOf(has) == "{replicated}" ? "" : problem;
  if (has == nullptr) return problem;
  Arena arena;
  const auto wanted = parseSharding(devices.renamed(expected), arena);
  if (!wanted) return toString(wanted.error());
  const auto a = tilingsOf(*has, subject.shape(), module.partitionCount(), subject);
  const auto b = tilingsOf(*wanted, subject.shape(), module.partitionCount(), subject);
  if (!a || !b) return toString(!a ? a.error() : b.error());
  return *a == *b ? "" : problem;
}

// "= NAME" and "!= NAME": as another instruction or not. "<each>": all of the entry. "" where it holds.
std::string problemOf(const Module& module, const DeviceNames& devices, const Row& row) {
  const std::string& expected = row[4];
  if (row[3] == "<each>") {
    for (const Instruction* i : module.entry()->instructions()) {
      if (std::string problem = problemOf(module, devices, *i, expected); !problem.empty()) return problem;
    }
    return "";
  }
  const Instruction* subject = subjectOf(module, row[3]);
  if (subject == nullptr) return "no instruction " + row[3];
  if (const size_t sign = expected.find("= "); sign == 0 || expected.starts_with("!= ")) {
    const Instruction* other = subjectOf(module, expected.substr(sign + 2));
    if (other == nullptr) return "no instruction " + expected;
    const std::string a = textOf(subject->get<Attr::Sharding>()), b = textOf(other->get<Attr::Sharding>());
    return (a == b) == (sign == 0) ? "" : fmt::format("{} has {}, {} has {}", row[3], a, expected, b);
  }
  return problemOf(module, devices, *subject, expected);
}

std::string problemOf(const std::vector<Row>& rows) {
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
  if (rows[0][3] == "<module>") {
    const std::string is = printModule(module) == before ? "unchanged" : "changed";
    return is == rows[0][4] ? "" : "the module is " + is;
  }
  for (const Row& row : rows) {
    if (std::string problem = problemOf(module, devices, row); !problem.empty()) return problem;
  }
  return "";
}

// Tests that held when the table was made.
constexpr size_t kHold = 268;

TEST(XlaPropagationTests, HoldAsManyAsBefore) {
  std::map<std::string, std::vector<Row>> tests;
  for (Row& row : readTable("propagation_cases.tsv")) tests[row[0]].push_back(std::move(row));
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
