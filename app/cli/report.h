// How commands speak: diagnostics, JSON, tables, amounts.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/workspace/open/opened.h"

namespace hilo::cli {

// "FILE:LINE:COL: kind: message", warnings with "warning: " before the kind, and the notes indented below.
// What is not known of the place is left out; without a line the instruction stands in for it.
std::string reportText(const Diagnostic& diagnostic);
nlohmann::json reportJson(const Diagnostic& diagnostic);

// To standard error: why a command ends with an error.
void printError(const Diagnostic& diagnostic);
// Warnings and notes, to standard error.
void printWarnings(const Diagnostics& diagnostics);
// To standard output, indented; bytes that are no UTF-8 are replaced.
void printJson(const nlohmann::json& json);

// Opens a file, prints what reading it warned about, and refuses one that was read with errors, all printed.
Result<std::shared_ptr<const OpenedFile>> openWhole(const std::string& path);
// The same of a file that is opened already.
Result<std::shared_ptr<const OpenedFile>> wholeOf(Result<std::shared_ptr<const OpenedFile>> file);

// The start of a text too long to read in a line: a signature of fifty parameters says no more than that.
std::string shortened(std::string text);

// Amounts as core/base/amount_text.h writes them: "1,234,567".
std::string grouped(int64_t value);
// "1 partition", "8 partitions".
std::string counted(int64_t count, std::string_view what);
// "1.23 MiB"; "512 B".
std::string bytesText(int64_t bytes);
// "1.23 G": flops and the like.
std::string amountText(int64_t amount);
// "12.3 ms"
std::string durationText(int64_t ns);

// Columns aligned by their widest cell; no trailing space.
class Table {
 public:
  enum class Align : uint8_t { Left, Right };
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  // Each row after `indent` spaces.
  std::string text(int indent = 0) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hilo::cli
