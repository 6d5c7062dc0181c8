// Numbers from other tools' files: profilers' tables and the like.
#include <algorithm>
#include <charconv>

#include <absl/container/flat_hash_map.h>
#include <nlohmann/json.hpp>

#include "core/analysis/overlay/overlay.h"

namespace hilo {
namespace {

// Names and numbers by row, whatever file they came from.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // as many cells as columns
};

constexpr std::string_view kNameColumns[] = {"name", "op", "hlo_op", "instruction"};

std::unexpected<Diagnostic> unreadable(std::string why) {
  return fail("unreadable-column", std::move(why), {},
              {"a CSV file with a line of column names, or a JSON object of numbers by instruction name"});
}

bool readNumber(std::string_view text, double& value) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// One line's cells; quotes hold commas and, doubled, themselves.
std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

Result<Table> readCsv(std::string_view text) {
  Table table;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line == "\r") continue;
    std::vector<std::string> row = cells(line);
    if (table.columns.empty()) {
      table.columns = std::move(row);
    } else {
      row.resize(table.columns.size());
      table.rows.push_back(std::move(row));
    }
  }
  if (table.columns.size() < 2) return unreadable("the file has no two columns");
  return table;
}

std::string cellText(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_number() ? value.dump() : std::string();
}

Result<Table> readJson(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  Table table;
  if (json.is_object()) {
    table.columns = {"name", "value"};
    for (const auto& [name, value] : json.items()) {
      if (value.is_number()) table.rows.push_back({name, value.dump()});
    }
  } else if (json.is_array()) {
    absl::flat_hash_map<std::string, size_t> columnOf;
    for (const auto& item : json) {
      if (!item.is_object()) return unreadable("the list holds something that is not an object");
      std::vector<std::string> row;
      for (const auto& [key, value] : item.items()) {
        const auto [at, isNew] = columnOf.try_emplace(key, table.columns.size());
        if (isNew) table.columns.push_back(key);
        if (row.size() <= at->second) row.resize(at->second + 1);
        row[at->second] = cellText(value);
      }
      table.rows.push_back(std::move(row));
    }
    for (auto& row : table.rows) row.resize(table.columns.size());
  } else {
    return unreadable("the file is not JSON");
  }
  if (table.rows.empty()) return unreadable("the file holds no numbers by name");
  return table;
}

size_t nameColumn(const Table& table) {
  for (std::string_view name : kNameColumns) {
    const auto at = std::ranges::find(table.columns, name);
    if (at != table.columns.end()) return static_cast<size_t>(at - table.columns.begin());
  }
  return 0;
}

bool isNumeric(const Table& table, size_t column) {
  double value = 0;
  return std::ranges::any_of(table.rows, [&](const auto& row) { return readNumber(row[column], value); });
}

Result<size_t> valueColumn(const Table& table, size_t names, std::string_view wanted) {
  if (!wanted.empty()) {
    const auto at = std::ranges::find(table.columns, wanted);
    if (at != table.columns.end()) return static_cast<size_t>(at - table.columns.begin());
    return fail("no-such-column", fmt::format("there is no column {}", wanted), {},
                {fmt::format("the columns are {}", fmt::join(table.columns, ", "))});
  }
  for (size_t column = 0; column < table.columns.size(); ++column) {
    if (column != names && isNumeric(table, column)) return column;
  }
  return unreadable("no column holds numbers");
}

Result<Table> readTable(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return unreadable("the file is empty");
  return text[first] == '{' || text[first] == '[' ? readJson(text) : readCsv(text);
}

}  // namespace

Result<std::vector<std::string>> overlayColumns(std::string_view text) {
  TRY(const Table table, readTable(text));
  std::vector<std::string> columns;
  const size_t names = nameColumn(table);
  for (size_t column = 0; column < table.columns.size(); ++column) {
    if (column != names && isNumeric(table, column)) columns.push_back(table.columns[column]);
  }
  if (columns.empty()) return unreadable("no column holds numbers");
  return columns;
}

Result<Overlay> readOverlayColumn(const Module& module, std::string_view text, std::string_view column) {
  TRY(const Table table, readTable(text));
  const size_t names = nameColumn(table);
  TRY(const size_t values, valueColumn(table, names, column));
  absl::flat_hash_map<std::string_view, uint32_t> ids;
  Overlay overlay;
  overlay.title = table.columns[values];
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions())
      ids.try_emplace(instruction->name(), instruction->id().value);
  }
  size_t matched = 0;
  for (const auto& row : table.rows) {
    std::string_view name = row[names];
    if (name.starts_with('%')) name.remove_prefix(1);
    const auto id = ids.find(name);
    double value = 0;
    if (id == ids.end() || !readNumber(row[values], value) || !(value >= 0)) continue;
    if (id->second >= overlay.amounts.size()) overlay.amounts.resize(id->second + 1, -1);
    // Of several rows for one instruction, the sum: a profile has one for each run of a loop.
    double& amount = overlay.amounts[id->second];
    amount = std::max(amount, 0.0) + value;
    ++matched;
  }
  if (matched == 0) {
    return fail("nothing-matches",
                fmt::format("none of the {} rows names an instruction of this module with a number",
                            table.rows.size()));
  }
  return overlay;
}

}  // namespace hilo
