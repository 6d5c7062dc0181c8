// Compares the values Hilo finds in the optimised modules of the dumps below HILO_CORPUS with those XLA
// listed in "-buffer-assignment.txt": which there are, which are phis, their positions and their uses.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/analysis/dataflow/dataflow_analysis.h"
#include "core/hlo/dump/load.h"
#include "core/hlo/verify/infer_shape.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

struct ListedValue {
  std::set<std::string> positions, uses;
  friend bool operator==(const ListedValue&, const ListedValue&) = default;
};
using ValueList = std::map<std::string, ListedValue>;  // by "while.1{0} (phi)"

// "<1931 param.13.0{1} (phi) @0>", its positions and uses, each on a line of its own.
ValueList listedByXla(const std::string& text) {
  ValueList values;
  std::istringstream lines(text.substr(std::min(text.find("\nUsed values:\n"), text.size())));
  ListedValue* value = nullptr;
  std::set<std::string>* list = nullptr;
  for (std::string line; std::getline(lines, line) && !line.starts_with("HloLiveRange");) {
    if (line.starts_with("<")) {
      const size_t from = line.find(' ') + 1;
      value = &values[line.substr(from, line.rfind(" @") - from)];
    } else if (line == " positions:") {
      list = &value->positions;
    } else if (line == " uses:") {
      list = &value->uses;
    } else if (line.starts_with("  ") && list != nullptr) {
      list->insert(line.substr(2) == "(none)" ? "" : line.substr(2));
      list->erase("");
    } else {
      list = nullptr;
    }
  }
  return values;
}

// XLA writes "tuple.1 {0}" and "while.2, operand 0 {1}"; an index after what is no tuple is left out.
std::string spaced(const HloPosition& position) {
  if (!position.instruction->shape().isTuple()) return std::string(position.instruction->name());
  return fmt::format("{} {}", position.instruction->name(), toString(position.index));
}
std::string spaced(const HloUse& use) {
  const std::string operand = fmt::format("{}, operand {}", use.instruction->name(), use.operandNumber);
  if (!use.instruction->operand(use.operandNumber)->shape().isTuple()) return operand;
  return fmt::format("{} {}", operand, toString(use.operandIndex));
}

ValueList foundByHilo(const DataflowAnalysis& dataflow) {
  ValueList values;
  for (const HloValue& value : dataflow.values()) {
    const std::string name = toString(value.definition()) + (value.isPhi ? " (phi)" : "");
    ListedValue& listed = values[name];
    for (const HloPosition& position : value.positions) listed.positions.insert(spaced(position));
    for (const HloUse& use : value.uses) listed.uses.insert(spaced(use));
  }
  return values;
}

struct Comparison {
  int modules = 0, values = 0, equal = 0;
  std::vector<std::string> differences;
};

std::string differenceText(const std::string& name, const ListedValue& xla, const ListedValue& hilo) {
  std::string text = name + ":";
  const auto add = [&](std::string_view what, const std::set<std::string>& a,
                       const std::set<std::string>& b) {
    for (const std::string& one : a) {
      if (!b.contains(one)) text += fmt::format(" {} [{}]", what, one);
    }
  };
  add("XLA alone has position", xla.positions, hilo.positions);
  add("Hilo alone has position", hilo.positions, xla.positions);
  add("XLA alone has use", xla.uses, hilo.uses);
  add("Hilo alone has use", hilo.uses, xla.uses);
  return text;
}

void compare(const std::filesystem::path& assignment, Comparison& total) {
  std::string modulePath = assignment.string();
  modulePath.replace(modulePath.find("-buffer-assignment.txt"), std::string::npos, ".txt");
  if (!std::filesystem::exists(modulePath)) return;
  const auto loaded = loadModule(modulePath, {.inferShape = inferShape});
  ASSERT_TRUE(loaded) << toString(loaded.error());
  const auto dataflow = DataflowAnalysis::run(*loaded->module, {.ssaForm = true});
  ASSERT_TRUE(dataflow) << modulePath << ": " << toString(dataflow.error());
  ++total.modules;
  const ValueList hilo = foundByHilo(*dataflow);
  for (const auto& [name, xla] : listedByXla(readCorpusFile(assignment))) {
    ++total.values;
    const auto found = hilo.find(name);
    if (found != hilo.end() && found->second == xla) {
      ++total.equal;
      continue;
    }
    total.differences.push_back(
        fmt::format("{}: {}", std::filesystem::path(modulePath).filename().string(),
                    found == hilo.end() ? name + ": not found" : differenceText(name, xla, found->second)));
  }
}

TEST(CorpusDataflow, ValuesAreThoseXlaLists) {
  const auto corpus = corpusPath();
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  Comparison total;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*corpus)) {
    if (entry.path().filename().string().ends_with("-buffer-assignment.txt")) compare(entry.path(), total);
  }
  fmt::print("{} modules, {} values listed, {} found with the same positions and uses\n", total.modules,
             total.values, total.equal);
  printRows(static_cast<size_t>(total.modules));
  for (size_t i = 0; i < std::min<size_t>(total.differences.size(), 20); ++i)
    fmt::print("  {}\n", total.differences[i]);
  EXPECT_EQ(total.equal, total.values);
}

}  // namespace
}  // namespace hilo
