#include "ui/canvas/layout/layout.h"

#include <algorithm>

#include "ui/canvas/layout/dot_layout.h"
#include "ui/canvas/layout/layered_layout.h"
#include "ui/canvas/layout/ranking.h"

namespace hilo {
namespace {

// dot keeps all sources on one row and a row is never cut, so a star of hundreds of nodes would be a ribbon.
bool suitsDot(const LayoutInput& input) {
  if (input.nodes.size() > kDotNodeLimit || input.nodes.size() < 3 || input.edges.size() > 3 * kDotNodeLimit)
    return false;
  std::vector<uint32_t> degree(2 * input.nodes.size(), 0);
  for (const LayoutEdge& edge : input.edges) {
    ++degree[2 * edge.from];
    ++degree[2 * edge.to + 1];
  }
  if (*std::max_element(degree.begin(), degree.end()) > 40) return false;
  size_t isolated = 0;
  for (size_t i = 0; i < input.nodes.size(); ++i) isolated += degree[2 * i] + degree[2 * i + 1] == 0;
  return isolated <= 20;
}

}  // namespace

Result<LayoutResult> layoutGraph(const LayoutInput& input, LayoutEngine engine, const CancelToken& cancel) {
  const bool useDot = engine == LayoutEngine::kDot || (engine == LayoutEngine::kAuto && suitsDot(input));
  if (!useDot) return layoutLayered(input, cancel);
  Result<LayoutResult> drawn = layoutWithDot(input, cancel);
  if (drawn || drawn.error().kind == "cancelled") return drawn;
  Diagnostic note = std::move(drawn).error();
  note.severity = Severity::kWarning;
  note.notes.push_back("drawn with the built-in layout instead");
  TRY(LayoutResult own, layoutLayered(input, cancel));
  own.notes.push_back(std::move(note));
  return own;
}

}  // namespace hilo
