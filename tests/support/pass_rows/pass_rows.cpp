#include "tests/support/pass_rows/pass_rows.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/compiler/passes/table/xla_passes.h"

namespace hilo::pass_rows {
namespace {

std::string trim(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> partsOf(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(trim(part));
  return parts;
}

void addCheck(Row& row, const std::string& text) {
  const size_t space = text.find(' ');
  const Check check{text.substr(0, space), space == text.npos ? "" : trim(text.substr(space))};
  if (text.empty()) return;
  if (text == "same") {
    row.mustChange = false;
  } else if (text == "exact") {
    row.isExact = true;
  } else if (text.starts_with("not run:")) {
    row.notRun = trim(text.substr(8));
  } else if (check.kind == "fails") {
    const size_t end = check.text.find(' ');
    row.failure = {check.text.substr(0, end), end == text.npos ? "" : trim(check.text.substr(end))};
  } else if (check.kind == "by") {
    row.passes = check.text;
  } else if (check.kind == "devices") {
    std::istringstream(check.text) >> row.replicas >> row.partitions;
  } else {
    row.checks.push_back(check);
  }
}

// "add.f32": a computation of two scalars.
std::string reducerText(const std::string& name) {
  const size_t dot = name.find('.');
  const std::string operation = name.substr(0, dot), type = name.substr(dot + 1);
  const std::string operands = " { rx = " + type + "[] parameter(0) ry = " + type + "[] parameter(1) ";
  if (operation == "second")
    return name + " { rx = " + type + "[] parameter(0) ROOT ry = " + type + "[] parameter(1) }\n";
  return name + operands + "ROOT r = " + type + "[] " + operation + "(rx, ry) }\n";
}

std::string reducersOf(const std::string& body) {
  std::set<std::string> names;
  for (size_t at = body.find("to_apply="); at != body.npos; at = body.find("to_apply=", at + 1)) {
    const size_t from = at + 9, to = body.find_first_of(", \n})", from);
    const std::string name = body.substr(from, to - from);
    if (name.find('.') != name.npos) names.insert(name);
  }
  std::string text;
  for (const std::string& name : names) text += reducerText(name);
  return text;
}

// The declaration "(a: f32[4], ...)" taken off the front of the body, as instructions.
std::string takeParameters(std::string& body) {
  if (!body.starts_with('(')) return "";
  std::string text;
  int depth = 0, number = 0;
  size_t from = 1, at = 0;
  for (; at < body.size(); ++at) {
    const char c = body[at];
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if ((depth != 1 || c != ',') && depth != 0) continue;
    const std::string declared = trim(body.substr(from, at - from));
    const size_t colon = declared.find(':');
    if (colon != declared.npos) {
      text += declared.substr(0, colon) + " = " + trim(declared.substr(colon + 1)) + " parameter(" +
              std::to_string(number++) + ")\n";
    }
    from = at + 1;
    if (depth == 0) break;
  }
  body = body.substr(std::min(at + 1, body.size()));
  return text;
}

void readFile(const std::filesystem::path& path, std::vector<Row>& rows) {
  std::ifstream file(path);
  const XlaPass* pass = findXlaPass(path.stem().string());
  std::string passes = pass == nullptr ? "" : std::string(pass->ours), body;
  int line = 0;
  const size_t first = rows.size();
  const auto finish = [&] {
    if (rows.size() > first && !body.empty()) rows.back().module = moduleText(rows.back(), trim(body));
    body.clear();
  };
  for (std::string text; std::getline(file, text);) {
    ++line;
    if (text.empty() || text[0] == '#') continue;
    if (text[0] == ' ') {
      body += trim(text) + "\n";
      continue;
    }
    finish();
    const size_t colon = text.find(':');
    if (text.substr(0, colon) == "passes") {
      passes = trim(text.substr(colon + 1));
      continue;
    }
    Row row{.file = path.filename().string(), .name = text.substr(0, colon), .passes = passes, .line = line};
    for (const std::string& check : partsOf(text.substr(std::min(colon + 1, text.size())), ';'))
      addCheck(row, check);
    rows.push_back(std::move(row));
  }
  finish();
}

}  // namespace

void PrintTo(const Row& row, std::ostream* out) { *out << row.file << ":" << row.line << " " << row.name; }

std::string moduleText(const Row& row, const std::string& written) {
  std::string body = written, head = "HloModule m";
  if (row.replicas > 1) head += ", replica_count=" + std::to_string(row.replicas);
  if (row.partitions > 1) head += ", num_partitions=" + std::to_string(row.partitions);
  if (body.starts_with("HloModule")) return body;
  head += "\n" + reducersOf(body);
  if (body.find("ENTRY") != body.npos) return head + body;
  const std::string parameters = takeParameters(body);
  return head + "ENTRY entry {\n" + parameters + body + "}\n";
}

std::vector<Row> readRows(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Row> rows;
  for (const auto& path : paths) readFile(path, rows);
  return rows;
}

}  // namespace hilo::pass_rows
