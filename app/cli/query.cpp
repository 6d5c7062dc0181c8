#include "core/analysis/query/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/analysis/cost_facts.h"

namespace hilo::cli {
namespace {

struct Options {
  std::string expression;
  std::string file;
  bool json = false, csv = false, count = false;
  size_t limit = static_cast<size_t>(-1);
};

struct Row {
  const Instruction& instruction;
  const CostFacts& cost;
  uint32_t line;
};

std::string csvCell(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void printCsv(const std::vector<Row>& rows) {
  fmt::print("name,opcode,shape,bytes,flops,users,computation,line,op_name\n");
  for (const auto& [i, cost, line] : rows) {
    fmt::print("{},{},{},{},{},{},{},{},{}\n", csvCell(i.name()), csvCell(i.opcodeText()),
               csvCell(toString(i.shape())), cost.outputBytes, cost.flops, i.users().size(),
               csvCell(i.parent().name()), line, csvCell(i.opName()));
  }
}

void printRowsJson(const std::vector<Row>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [i, cost, line] : rows) {
    list.push_back({{"name", i.name()},
                    {"opcode", i.opcodeText()},
                    {"shape", toString(i.shape())},
                    {"bytes", cost.outputBytes},
                    {"flops", cost.flops},
                    {"bytes_accessed", cost.bytesAccessed},
                    {"users", i.users().size()},
                    {"computation", i.parent().name()},
                    {"line", line},
                    {"op_name", i.opName()}});
  }
  printJson(list);
}

void printTable(const std::vector<Row>& rows) {
  constexpr size_t kWidestShape = 60;
  using enum Table::Align;
  Table table({Left, Left, Left, Right, Right, Left, Left});
  table.add({"name", "opcode", "shape", "bytes", "flops", "computation", "op_name"});
  for (const auto& [i, cost, line] : rows) {
    std::string shape = toString(i.shape());
    if (shape.size() > kWidestShape) shape = shape.substr(0, kWidestShape - 3) + "...";
    table.add({std::string(i.name()), std::string(i.opcodeText()), std::move(shape),
               bytesText(cost.outputBytes), amountText(cost.flops), std::string(i.parent().name()),
               std::string(i.opName())});
  }
  fmt::print("{}", table.text());
}

int run(const Options& options) {
  const auto query = parseQuery(options.expression);
  if (!query) {
    const Diagnostic& why = query.error();
    fmt::print(stderr, "query:{}: {}: {}\n", why.place.column, why.kind, why.message);
    fmt::print(stderr, "    {}\n    {}^\n", options.expression,
               std::string(why.place.column > 0 ? why.place.column - 1 : 0, ' '));
    return kUsage;
  }
  const auto file = openWhole(options.file);
  if (!file) return kUsage;
  const Module& module = *(*file)->module;
  const ModuleCost cost(module);
  const auto found = QueryMatcher(*query, module, &cost).all(options.limit);
  if (options.count) {
    fmt::print("{}\n", found.size());
    return found.empty() ? kNo : kOk;
  }
  if (found.empty()) {
    for (const std::string& note : whyNothingMatches(*query, module, &cost))
      fmt::print(stderr, "note: {}\n", note);
  }
  std::vector<Row> rows;
  const bool wantLines = options.json || options.csv;
  for (const Instruction* i : found)
    rows.push_back({*i, cost.of(*i), wantLines ? placeOf(**file, *i).line : 0});
  if (options.json) {
    printRowsJson(rows);
  } else if (options.csv) {
    printCsv(rows);
  } else if (!rows.empty()) {
    printTable(rows);
  }
  return found.empty() ? kNo : kOk;
}

std::string keysHelp() {
  Table table({Table::Align::Left, Table::Align::Left});
  for (const QueryKey& key : queryKeys()) {
    table.add({fmt::format("{}{}", key.name, key.numeric ? " < <= > >= = !=" : ":"), std::string(key.what)});
  }
  return "\nKeys:\n" + table.text(2);
}

}  // namespace

void addQuery(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("query", "Find instructions");
  command->add_option("EXPR", options->expression, "What to look for, in the language below")->required();
  command->add_option("FILE", options->file, "HLO text or protobuf, gzip or not; - reads standard input")
      ->required();
  CLI::Option* json = command->add_flag("--json", options->json, "Print a JSON list");
  CLI::Option* csv =
      command->add_flag("--csv", options->csv, "Print comma-separated values with a header line");
  command->add_flag("--count", options->count, "Print only how many there are")
      ->excludes(json)
      ->excludes(csv);
  json->excludes(csv);
  command->add_option("--limit", options->limit, "Print at most this many")->default_str("all");
  command->footer(R"(
The language:
  KEY:VALUE      equal; * and ? are wild          opcode:all-*  type:bf16
  KEY:~REGEX     regular expression, anywhere     op_name:~attention/(q|k)
  KEY>NUMBER     with < <= > >= = !=              bytes>1MB  flops>=1e9  users=0  rank=2
  operand:(...)  one of them matches a query      operand:(type:bf16 bytes>1MiB)
  path:A->B      on a way from A to B             path:embed->all-reduce  path:(type:s32)->gather
  WORD           in name, opcode or op_name       attention
  and or not ( ) terms side by side must all hold
)" + keysHelp() +
                  R"(
Exit status: 0 something matches, 1 nothing does, 2 wrong usage, a bad query or an unreadable file.

Examples:
  hilo query 'opcode:dot bytes>1MB op_name:~attention' module.hlo
  hilo query 'class:collective not in:while_body' module.hlo --csv
  hilo query 'shape:f32[..,1024] users=0' module.hlo --count)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
