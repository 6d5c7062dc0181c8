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

// Some modules name a few of more devices, such as 0, 4, 1 and 5: here these become 0, 2, 1 and 3.
class DeviceNames {
 public:
  explicit DeviceNames(const std::string& text) {
    visitLists(text, [&](std::string_view list) { return collect(list); });
    size_t next = 0;
    for (auto& [name, number] : names_) number = next++;
    isDense_ = names_.empty() || names_.rbegin()->first + 1 == static_cast<int64_t>(names_.size());
  }
  std::string renamed(const std::string& text) const {
    return isDense_ ? text : visitLists(text, [&](std::string_view list) { return numbered(list); });
  }

 private:
  // Replaces the list of devices behind each "devices=[...]".
  template <typename Replace>
  static std::string visitLists(const std::string& text, Replace replace) {
    std::string result;
    size_t done = 0;
    for (size_t at = text.find("{devices=["); at != text.npos; at = text.find("{devices=[", at + 1)) {
      const size_t from = text.find(']', at) + 1;
      const size_t to = text.find_first_not_of("0123456789,", from);
      result += text.substr(done, from - done) + replace(std::string_view(text).substr(from, to - from));
      done = to;
    }
    return result + text.substr(done);
  }
  std::string collect(std::string_view list) {
    std::istringstream stream{std::string(list)};
    for (std::string name; std::getline(stream, name, ',');) names_[std::stoll(name)] = 0;
    return std::string(list);
  }
  std::string numbered(std::string_view list) const {
    std::string result;
    std::istringstream stream{std::string(list)};
    for (std::string name; std::getline(stream, name, ',');)
      result += (result.empty() ? "" : ",") + std::to_string(names_.at(std::stoll(name)));
    return result;
  }

  std::map<int64_t, size_t> names_;
  bool isDense_ = true;
};

inline Result<std::shared_ptr<Module>> parseXlaText(const std::string& text) {
  ParseOptions options;
  options.inferShape = inferShape;
  TRY(auto module, parseModuleStrictly(text, options));
  return std::shared_ptr<Module>(std::move(module));
}

}  // namespace hilo
