#include "tests/conformance/analysis/tile_cases.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace hilo {
namespace {

std::string upTo(const std::string& text, const std::string& end) { return text.substr(0, text.find(end)); }

bool isParameter(const std::string& line) { return line.contains(" parameter("); }

// "f32[2,3]" of "x = f32[2,3] parameter(0)"; a tuple's ends behind its bracket.
std::string typeOf(const std::string& line) {
  const size_t from = line.find(" = ") + 3;
  const size_t end = line[from] == '(' ? line.find(") ", from) + 1 : line.find(' ', from);
  return line.substr(from, end - from);
}

std::string nameOf(const std::string& line) {
  const size_t from = line.starts_with("ROOT ") ? 5 : 0;
  return upTo(line.substr(from), " = ");
}

// The instructions as a fusion that the entry calls with parameters of its own.
std::string asFusion(const std::vector<std::string>& lines) {
  std::string inside, outside, operands;
  for (const std::string& line : lines) {
    inside += line + "\n";
    if (!isParameter(line)) continue;
    outside += (line.starts_with("ROOT ") ? line.substr(5) : line) + "\n";
    operands += (operands.empty() ? "" : ", ") + nameOf(line);
  }
  return fmt::format(
      "tiled {{ {}}}\nENTRY e {{ {}ROOT the_fusion = {} fusion({}), kind=kLoop, calls=tiled }}", inside,
      outside, typeOf(lines.back()), operands);
}

TileCase caseOf(std::istringstream& paragraph) {
  TileCase made;
  std::string line;
  std::getline(paragraph, line);
  std::istringstream head(line);
  head >> made.file;
  for (std::string test; head >> test;) made.tests.push_back(test);
  std::vector<std::string> instructions;
  bool isWhole = false;
  while (std::getline(paragraph, line)) {
    isWhole = isWhole || line.starts_with("ENTRY");
    (line.contains(" = ") ? instructions : made.checks).push_back(line);
  }
  if (!isWhole) made.module = asFusion(instructions);
  for (const std::string& text : instructions) made.module += isWhole ? text + "\n" : "";
  return made;
}

}  // namespace

std::vector<TileCase> readTileCases(const std::string& path) {
  std::ifstream file(path);
  std::vector<TileCase> cases;
  std::string paragraph, line;
  for (bool isOpen = true; isOpen;) {
    isOpen = static_cast<bool>(std::getline(file, line));
    if (isOpen && !line.empty()) {
      paragraph += line + "\n";
      continue;
    }
    std::istringstream text(std::exchange(paragraph, {}));
    if (!text.str().empty() && !text.str().starts_with('#')) cases.push_back(caseOf(text));
  }
  return cases;
}

}  // namespace hilo
