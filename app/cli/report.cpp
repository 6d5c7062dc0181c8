#include "app/cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/base/amount_text.h"
#include "core/base/enum_table.h"
#include "core/workspace/path/open_path.h"

namespace hilo::cli {
namespace {

std::string placeText(const Place& place) {
  std::string text = place.file;
  const auto add = [&](std::string part) { text += (text.empty() ? "" : ":") + std::move(part); };
  if (place.line > 0) {
    add(fmt::format("{}", place.line));
    if (place.column > 0) add(fmt::format("{}", place.column));
  } else if (!place.instruction.empty()) {
    add(fmt::format("%{}", place.instruction));
  } else if (!place.computation.empty()) {
    add(fmt::format("%{}", place.computation));
  }
  return text.empty() ? "hilo" : text;
}

// How many characters a text of UTF-8 has: "12.3 µs" has 7.
size_t columnsOf(std::string_view text) {
  const auto starts = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; };
  return static_cast<size_t>(std::ranges::count_if(text, starts));
}

}  // namespace

std::string reportText(const Diagnostic& diagnostic) {
  const char* severity = diagnostic.severity == Severity::kError     ? ""
                         : diagnostic.severity == Severity::kWarning ? "warning: "
                                                                     : "note: ";
  std::string text = fmt::format("{}: {}{}: {}\n", placeText(diagnostic.place), severity, diagnostic.kind,
                                 diagnostic.message);
  for (const std::string& note : diagnostic.notes) text += fmt::format("    {}\n", note);
  return text;
}

nlohmann::json reportJson(const Diagnostic& diagnostic) {
  static constexpr EnumTable<Severity, const char*> kSeverities({"note", "warning", "error"});
  nlohmann::json json = {{"severity", kSeverities[diagnostic.severity]},
                         {"kind", diagnostic.kind},
                         {"message", diagnostic.message},
                         {"file", diagnostic.place.file}};
  if (diagnostic.place.line > 0) {
    json["line"] = diagnostic.place.line;
    json["column"] = diagnostic.place.column;
  }
  if (!diagnostic.place.computation.empty()) json["computation"] = diagnostic.place.computation;
  if (!diagnostic.place.instruction.empty()) json["instruction"] = diagnostic.place.instruction;
  if (!diagnostic.notes.empty()) json["notes"] = diagnostic.notes;
  return json;
}

void printError(const Diagnostic& diagnostic) { fmt::print(stderr, "{}", reportText(diagnostic)); }

void printWarnings(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::kError) printError(diagnostic);
  }
}

void printJson(const nlohmann::json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

Result<std::shared_ptr<const OpenedFile>> openWhole(const std::string& path) {
  return wholeOf(openFile(path));
}

Result<std::shared_ptr<const OpenedFile>> wholeOf(Result<std::shared_ptr<const OpenedFile>> file) {
  if (!file) {
    printError(file.error());
    return file;
  }
  Diagnostics diagnostics = (*file)->diagnostics;
  for (const auto& other : (*file)->others) {
    diagnostics.insert(diagnostics.end(), other->diagnostics.begin(), other->diagnostics.end());
  }
  for (const Diagnostic& diagnostic : diagnostics) printError(diagnostic);
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::kError) return std::unexpected(diagnostic);
  }
  return file;
}

std::string shortened(std::string text) {
  constexpr size_t kWidest = 160;
  if (text.size() > kWidest) text = text.substr(0, kWidest - 3) + "...";
  return text;
}

std::string grouped(int64_t value) { return amount::count(value); }
std::string counted(int64_t count, std::string_view what) { return amount::countOf(count, what); }
std::string bytesText(int64_t bytes) { return amount::bytes(bytes); }
std::string amountText(int64_t value) { return amount::quantity(static_cast<double>(value)); }
std::string durationText(int64_t ns) { return amount::duration(static_cast<double>(ns)); }

std::string Table::text(int indent) const {
  std::vector<size_t> widths(columns_.size());
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], columnsOf(row[c]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (size_t c = 0; c < row.size(); ++c) {
      if (c > 0) line += "  ";
      const std::string pad(widths[c] - columnsOf(row[c]), ' ');
      line += columns_[c] == Align::Right ? pad + row[c] : row[c] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace hilo::cli
