// What the tests of Shardy's propagation expect: which argument, result or operation has which sharding
// afterwards. The table says so; the functions are Shardy's, read from its sources (HILO_SHARDY_SOURCE) and
// through the StableHLO plug-in. A test holds when its rows do.
#include <regex>

#include "core/compiler/spmd/shardy/spread.h"
#include "core/workspace/open/opened.h"
#include "tests/conformance/spmd/xla_cases.h"

namespace hilo::sdy {
namespace {

using Row = std::vector<std::string>;  // file, function, subject, sharding

std::string readFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A function of a file with the meshes it names.
struct Source {
  std::string text;
  int meshes = 0;
  int64_t devices = 0;  // 0: its meshes are of different numbers of devices
};

int64_t devicesOfMesh(const std::string& line) {
  int64_t devices = 1;
  const std::regex axis("\"=(\\d+)");
  for (std::sregex_iterator i(line.begin(), line.end(), axis), end; i != end; ++i)
    devices *= std::stoll((*i)[1]);
  return devices;
}

// With the functions it calls behind it.
std::string textOfFunction(const std::string& file, const std::string& function, int depth = 0) {
  std::smatch label;
  if (depth > 4 ||
      !std::regex_search(file, label, std::regex("\nfunc\\.func (public |private )?@" + function + "\\(")))
    return "";
  const auto start = static_cast<size_t>(label.position(0)) + 1;
  const size_t end = file.find("\n}", start);
  std::string text = file.substr(start, end + 3 - start);
  const std::string own = text;
  const std::regex call("call @(\\w+)\\(");
  for (std::sregex_iterator i(own.begin(), own.end(), call), last; i != last; ++i)
    text += textOfFunction(file, (*i)[1], depth + 1);
  return text;
}

Source sourceOf(const std::string& file, const std::string& function) {
  const std::string body = textOfFunction(file, function);
  if (body.empty()) return {};
  Source source;
  std::set<int64_t> devices;
  std::set<std::string> known;
  std::istringstream lines(file);
  const std::regex mesh("^sdy\\.mesh @(\\w+) ");
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!std::regex_search(line, found, mesh) || !known.insert(found[1]).second) continue;
    if (!std::regex_search(body, std::regex("@" + found[1].str() + "\\b"))) continue;
    source.text += line + "\n";
    ++source.meshes;
    if (line.find("\"=") != line.npos) devices.insert(devicesOfMesh(line));
  }
  source.text += body;
  source.devices = devices.size() == 1 ? *devices.begin() : 0;
  return source;
}

// As a closed sharding, without what only spreading needs.
std::string closed(std::string text) {
  text = std::regex_replace(text, std::regex(", \\?|\\?"), "");
  return std::regex_replace(text, std::regex(", replicated=\\{[^}]*\\}"), "");
}

class Case {
 public:
  explicit Case(const std::vector<Row>& rows) : rows_(rows) {}
  // "" where it holds.
  std::string problem();

 private:
  std::string textOf(ValueId value) const;
  std::string found(const std::string& subject) const;

  const std::vector<Row>& rows_;
  Source source_;
  std::shared_ptr<Module> module_;
  Statements statements_;
  ValueGraph graph_;
};

std::string Case::textOf(ValueId id) const {
  const Value& value = graph_.values[id];
  if (!value.sharding) return "-";
  return toString(statements_.meshes[value.sharding->mesh], *value.sharding);
}

std::string Case::found(const std::string& subject) const {
  std::istringstream words(subject);
  std::string kind;
  size_t number = 0;
  words >> kind >> number;
  if (kind == "arg") return textOf(graph_.valuesOf.at(module_->entry()->parameters()[number])[0]);
  size_t result = 0;
  for (const GraphNode& node : graph_.nodes) {
    if (kind == "result" && node.kind == GraphNode::Kind::Result && result++ == number)
      return textOf(node.results[0]);
  }
  std::string text = "none";
  for (const Computation* computation : module_->computations()) {
    for (const Instruction* i : computation->instructions()) {
      const auto* metadata = i->get<Attr::Metadata>();
      const auto values = graph_.valuesOf.find(i);
      const bool isThere = metadata != nullptr && values != graph_.valuesOf.end() &&
                           metadata->sourceLine == source_.meshes + static_cast<int>(number) + 1;
      if (!isThere || kind != "line" || i->opcode() == Opcode::GetTupleElement) continue;
      text.clear();
      for (ValueId value : values->second) text += (text.empty() ? "" : " | ") + textOf(value);
    }
  }
  return text;
}

std::string Case::problem() {
  const std::string folder = std::getenv("HILO_SHARDY_SOURCE");
  const std::string file =
      readFile(folder + "/shardy/dialect/sdy/transforms/propagation/test/" + rows_[0][0] + ".mlir");
  source_ = sourceOf(file, rows_[0][1]);
  if (source_.devices == 0) return "its meshes are not of one number of devices";
  const auto opened = openBytes(source_.text, "t.mlir");
  if (!opened) return toString(opened.error());
  module_ = (*opened)->module->clone();
  module_->set<Attr::NumPartitions>(source_.devices);
  const bool isPipeline = rows_[0][0].starts_with("propagation_pipeline");
  const bool isBasic = rows_[0][0].starts_with("basic") || rows_[0][0].starts_with("sharding_group");
  const bool isPlain = isBasic || rows_[0][0].starts_with("aggressive");
  if (isPipeline) splitConstants(*module_);
  auto statements = readStatements(*module_);
  if (!statements) return toString(statements.error());
  statements_ = *std::move(statements);
  if (isPipeline) dropUnitAxes(statements_);
  if (isPipeline) applyConstraints(*module_, statements_);
  auto graph = buildGraph(*module_, statements_);
  if (!graph) return toString(graph.error());
  graph_ = *std::move(graph);
  const SpreadSettings settings{.strategy = isBasic ? Strategy::Basic : Strategy::Aggressive,
                                .bySteps = !isPlain};
  if (const auto decisions = spread(graph_, statements_.meshes, settings, {}); !decisions)
    return toString(decisions.error());
  for (const Row& row : rows_) {
    std::string has = found(row[2]), wanted = row[3];
    if (has == "none") continue;  // the plug-in makes something else of the operation
    if (isPipeline) has = closed(has), wanted = closed(wanted);
    if (has != wanted) return fmt::format("{} has {}, expected {}", row[2], has, wanted);
  }
  return "";
}

// Tests that held when the table was made.
constexpr size_t kHold = 234;

TEST(ShardyPropagationTests, HoldAsManyAsBefore) {
  std::map<std::string, std::vector<Row>> tests;
  for (Row& row : readTable("shardy_cases.tsv")) tests[row[0] + " " + row[1]].push_back(std::move(row));
  if (std::getenv("HILO_SHARDY_SOURCE") == nullptr) GTEST_SKIP() << "HILO_SHARDY_SOURCE is not set";
  size_t hold = 0;
  for (const auto& [name, rows] : tests) {
    const std::string problem = Case(rows).problem();
    hold += problem.empty() ? 1 : 0;
    if (!problem.empty()) fmt::print("does not hold: {}: {}\n", name, problem);
  }
  fmt::print("{} of {} tests hold\n", hold, tests.size());
  EXPECT_GE(hold, kHold);
}

// The rule of the operation at a line; "" where the rows hold.
std::string ruleProblem(const Row& row) {
  const std::string folder = std::getenv("HILO_SHARDY_SOURCE");
  const std::string file =
      readFile(folder + "/shardy/dialect/sdy/transforms/propagation/test/" + row[0] + ".mlir");
  const Source source = sourceOf(file, row[1]);
  const auto opened = openBytes(source.text, "t.mlir");
  if (!opened) return toString(opened.error());
  const int line = source.meshes + std::stoi(row[2].substr(5)) + 1;
  std::string found = "no such operation";
  for (const Instruction* i : (*opened)->module->entry()->instructions()) {
    const auto* metadata = i->get<Attr::Metadata>();
    if (metadata == nullptr || metadata->sourceLine != line || i->opcode() == Opcode::GetTupleElement)
      continue;
    const auto rule = shardingRule(*i);
    found = rule ? toString(*rule) : "no rule";
    if (found == row[3]) return "";
  }
  return found + ", expected " + row[3];
}

constexpr size_t kRulesHold = 80;

TEST(ShardyPropagationTests, RulesHoldAsManyAsBefore) {
  const auto rows = readTable("shardy_rule_cases.tsv");
  if (std::getenv("HILO_SHARDY_SOURCE") == nullptr) GTEST_SKIP() << "HILO_SHARDY_SOURCE is not set";
  size_t hold = 0;
  for (const Row& row : rows) {
    const std::string problem = ruleProblem(row);
    hold += problem.empty() ? 1 : 0;
    if (!problem.empty()) fmt::print("does not hold: {}: {}\n", row[1], problem);
  }
  fmt::print("{} of {} rules hold\n", hold, rows.size());
  EXPECT_GE(hold, kRulesHold);
}

}  // namespace
}  // namespace hilo::sdy
