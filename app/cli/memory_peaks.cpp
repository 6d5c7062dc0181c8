#include "app/cli/memory_peaks.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/report.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

int64_t sum(const std::vector<PeakRow>& rows) {
  int64_t bytes = 0;
  for (const PeakRow& row : rows) bytes += row.bytesA - row.bytesB;
  return bytes;
}

void printRows(std::string_view title, const std::vector<PeakRow>& rows, size_t top) {
  if (rows.empty()) return;
  fmt::print("  {}: {}, {}\n", title, counted(static_cast<int64_t>(rows.size()), "place"),
             signedBytes(sum(rows), "the same"));
  Table table({Right, Left, Left, Left, Left, Left});
  for (size_t i = 0; i < std::min(top, rows.size()); ++i) {
    const PeakRow& row = rows[i];
    const bool isBoth = !row.otherName.empty();
    table.add({isBoth ? signedBytes(row.bytesA - row.bytesB, "the same") : bytesText(row.bytesA + row.bytesB),
               row.name, row.opcode,
               isBoth
                   ? fmt::format("{}, {} as {}", bytesText(row.bytesA), bytesText(row.bytesB), row.otherName)
                   : row.why,
               row.source, shortened(row.opName)});
  }
  if (rows.size() > top) table.add({"...", fmt::format("and {} more", rows.size() - top)});
  fmt::print("{}", table.text(4));
}

nlohmann::json rowsJson(const std::vector<PeakRow>& rows, size_t top) {
  nlohmann::json list = nlohmann::json::array();
  for (const PeakRow& row : rows) {
    if (list.size() == top) break;
    nlohmann::json each = {{"name", row.name},      {"opcode", row.opcode}, {"bytes_a", row.bytesA},
                           {"bytes_b", row.bytesB}, {"source", row.source}, {"op_name", row.opName}};
    if (!row.why.empty()) each["why"] = row.why;
    if (!row.otherName.empty()) each["name_b"] = row.otherName;
    list.push_back(std::move(each));
  }
  return list;
}

}  // namespace

std::string signedBytes(int64_t bytes, std::string_view none) {
  return bytes == 0 ? std::string(none)
                    : fmt::format("{}{}", bytes < 0 ? "-" : "+", bytesText(std::abs(bytes)));
}

void printPeaks(const MemoryPlans& a, const MemoryPlans& b, const std::vector<PeakComparison>& compared,
                size_t top) {
  fmt::print("A {} {}\nB {} {}\n", a.module->name(), a.path, b.module->name(), b.path);
  for (const PeakComparison& each : compared) {
    fmt::print("\n{}: the peak of A is {} at %{}, of B {} at %{}: {}\n", each.plan, bytesText(each.bytesA),
               each.atA, bytesText(each.bytesB), each.atB,
               signedBytes(each.bytesA - each.bytesB, "the same"));
    printRows("at the peak of A alone", each.onlyA, top);
    printRows("at the peak of B alone", each.onlyB, top);
    printRows("at both, with other bytes", each.resized, top);
    fmt::print("  at both alike: {}, {}\n", counted(static_cast<int64_t>(each.samePlaces), "place"),
               bytesText(each.sameBytes));
  }
}

nlohmann::json peaksJson(const MemoryPlans& a, const MemoryPlans& b,
                         const std::vector<PeakComparison>& compared, size_t top) {
  nlohmann::json plans = nlohmann::json::object();
  for (const PeakComparison& each : compared) {
    plans[each.plan == "XLA" ? "xla" : "hilo"] = {{"peak_bytes_a", each.bytesA},
                                                  {"peak_bytes_b", each.bytesB},
                                                  {"peak_at_a", each.atA},
                                                  {"peak_at_b", each.atB},
                                                  {"only_a", rowsJson(each.onlyA, top)},
                                                  {"only_b", rowsJson(each.onlyB, top)},
                                                  {"resized", rowsJson(each.resized, top)},
                                                  {"same_places", each.samePlaces},
                                                  {"same_bytes", each.sameBytes}};
  }
  return {{"a", {{"path", a.path}, {"module", a.module->name()}}},
          {"b", {{"path", b.path}, {"module", b.module->name()}}},
          {"plans", plans}};
}

}  // namespace hilo::cli
