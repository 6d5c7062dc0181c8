// Rows of the tables of this folder, and the modules of XLA's tests that they are about.
#pragma once

#include <fstream>
#include <sstream>

#include "tests/conformance/schedules/xla_test_modules.h"
#include "tests/support/test_files.h"

namespace hilo {

inline std::vector<std::vector<std::string>> readTable(const std::string& name) {
  std::ifstream file("tests/conformance/spmd/" + name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    rows.push_back(std::move(cells));
  }
  return rows;
}

// The most devices that a tiled sharding of a text is of; `otherwise` where there is none.
inline int64_t devicesOf(const std::string& text, int64_t otherwise) {
  constexpr std::string_view kStart = "{devices=[";
  int64_t most = 0;
  for (size_t at = text.find(kStart); at != text.npos; at = text.find(kStart, at + 1)) {
    int64_t devices = 1;
    const size_t from = at + kStart.size();
    std::istringstream sizes(text.substr(from, text.find(']', at) - from));
    for (std::string size; std::getline(sizes, size, ',');) devices *= std::stoll(size);
    most = std::max(most, devices);
  }
  return most == 0 ? otherwise : most;
}

inline Result<std::shared_ptr<Module>> parseXlaText(const std::string& text) {
  ParseOptions options;
  options.inferShape = inferShape;
  TRY(auto module, parseModuleStrictly(text, options));
  return std::shared_ptr<Module>(std::move(module));
}

}  // namespace hilo
