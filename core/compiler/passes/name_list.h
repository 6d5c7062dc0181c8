// Names in one text with colons between, as settings of passes have them: "a:b".
#pragma once

#include <algorithm>
#include <string_view>

namespace hilo {

inline bool isNamedIn(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const size_t end = std::min(names.find(':'), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

}  // namespace hilo
