// The user's program as it lies on this machine: finds its files by the paths that a dump
// recorded on another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hilo {

class SourceTree {
 public:
  SourceTree() = default;
  // Folders; what is none is left out.
  explicit SourceTree(const std::vector<std::string>& roots);

  bool empty() const { return roots_.empty(); }
  const std::vector<std::string>& roots() const { return roots_; }
  // The file below a root whose path ends as `recorded` does, by the longest such ending; "" when there is
  // none. Paths come from dumps: nothing outside the roots is ever named, links followed.
  std::string find(std::string_view recorded) const;

 private:
  std::string inRoots(std::string_view ending) const;
  std::vector<std::string> roots_;  // canonical
};

}  // namespace hilo
