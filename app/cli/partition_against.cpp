#include "app/cli/partition_against.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/report.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

std::string ratioText(const CollectiveKindTotals& totals) {
  if (totals.xlaBytes == 0) return totals.ourBytes == 0 ? "" : "only here";
  return fmt::format("{:.2f}", static_cast<double>(totals.ourBytes) / static_cast<double>(totals.xlaBytes));
}

void addRow(Table& table, const std::string& kind, const CollectiveKindTotals& totals) {
  table.add({kind, grouped(totals.ourArrays), grouped(totals.xlaArrays), bytesText(totals.ourBytes),
             bytesText(totals.xlaBytes), ratioText(totals)});
}

void printAlone(const char* title, const std::vector<MovedArray>& arrays, size_t top) {
  if (arrays.empty()) return;
  fmt::print("\n{}\n", title);
  for (size_t i = 0; i < std::min(top, arrays.size()); ++i) {
    const MovedArray& array = arrays[i];
    fmt::print("  %{} {} {}, {} x {}{}\n", array.name, array.kind, array.shape, bytesText(array.bytes),
               grouped(array.times), array.source.empty() ? "" : "  " + array.source);
  }
  if (arrays.size() > top)
    fmt::print("  ... and {} more\n", grouped(static_cast<int64_t>(arrays.size() - top)));
}

nlohmann::json totalsJson(const CollectiveKindTotals& totals) {
  return {{"kind", totals.kind},
          {"arrays", {{"hilo", totals.ourArrays}, {"xla", totals.xlaArrays}}},
          {"bytes", {{"hilo", totals.ourBytes}, {"xla", totals.xlaBytes}}}};
}

nlohmann::json arraysJson(const std::vector<MovedArray>& arrays) {
  nlohmann::json list = nlohmann::json::array();
  for (const MovedArray& array : arrays)
    list.push_back({{"name", array.name},
                    {"kind", array.kind},
                    {"shape", array.shape},
                    {"bytes", array.bytes},
                    {"times", array.times},
                    {"source", array.source}});
  return list;
}

}  // namespace

void printAgainst(const CollectivesAgainst& against, size_t top) {
  Table table({Left, Right, Right, Right, Right, Right});
  table.add({"collectives", "arrays", "XLA's", "total bytes (x trip count)", "XLA's", "ratio"});
  for (const CollectiveKindTotals& totals : against.kinds) addRow(table, totals.kind, totals);
  addRow(table, "all", against.sum);
  fmt::print("{}", table.text());
  printAlone("only here", against.onlyOurs, top);
  printAlone("only XLA's", against.onlyXlas, top);
}

nlohmann::json againstJson(const CollectivesAgainst& against) {
  nlohmann::json kinds = nlohmann::json::array();
  for (const CollectiveKindTotals& totals : against.kinds) kinds.push_back(totalsJson(totals));
  nlohmann::json sum = totalsJson(against.sum);
  sum.erase("kind");
  return {{"kinds", kinds},
          {"sum", sum},
          {"onlyHilo", arraysJson(against.onlyOurs)},
          {"onlyXla", arraysJson(against.onlyXlas)}};
}

}  // namespace hilo::cli
