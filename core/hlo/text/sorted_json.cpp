#include "core/hlo/text/sorted_json.h"

#include <nlohmann/json.hpp>

namespace hilo {

std::string sortedJson(std::string_view text) {
  // The default object type keeps its keys sorted. Depth is bounded: the library recurses.
  constexpr int kMaxDepth = 100;
  int deepest = 0;
  const auto track = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    deepest = std::max(deepest, depth);
    return depth <= kMaxDepth;
  };
  const auto json = nlohmann::json::parse(text, track, /*allow_exceptions=*/false);
  return json.is_discarded() || deepest > kMaxDepth ? std::string(text) : json.dump();
}

}  // namespace hilo
