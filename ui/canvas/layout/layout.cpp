#include "ui/canvas/layout/layout.h"

#include <algorithm>
#include <cmath>

#include "ui/canvas/layout/dot_layout.h"
#include "ui/canvas/layout/layered_layout.h"
#include "ui/canvas/layout/ranking.h"

namespace hilo {
namespace {

// dot puts no bound on the length of a row, so a node with dozens of users would make a ribbon; and it knows
// nothing of the ports of open groups. The own engine does both better.
bool suitsDot(const LayoutInput& input) {
  const size_t count = input.nodes.size();
  if (input.inRow || count > kDotNodeLimit || count < 3 || input.edges.size() > 3 * kDotNodeLimit)
    return false;
  for (const LayoutEdge& edge : input.edges) {
    if (std::isfinite(edge.fromOffset) && edge.fromOffset != 0) return false;
    if (std::isfinite(edge.toOffset) && edge.toOffset != 0) return false;
  }
  const std::vector<uint8_t> reversed = backEdges(count, input.edges);
  std::vector<DagEdge> dag;
  for (size_t i = 0; i < input.edges.size(); ++i) {
    const auto& [from, to, fromOffset, toOffset] = input.edges[i];
    if (from != to) dag.push_back(reversed[i] ? DagEdge{to, from} : DagEdge{from, to});
  }
  std::vector<size_t> rowLength(count, 0);
  const std::vector<uint32_t> ranks = rankNodes(input.nodes, dag, count);
  for (size_t i = 0; i < count; ++i) {
    if (input.nodes[i].pin == LayoutPin::kFree) ++rowLength[ranks[i]];
  }
  return *std::max_element(rowLength.begin(), rowLength.end()) <= rowLimit(count);
}

}  // namespace

Result<LayoutResult> layoutGraph(const LayoutInput& input, LayoutEngine engine, const CancelToken& cancel) {
  const bool maybeDot = engine != LayoutEngine::kDot && engine != LayoutEngine::kLayered;
  const bool useDot = engine == LayoutEngine::kDot || (maybeDot && suitsDot(input));
  if (!useDot) return layoutLayered(input, cancel);
  const bool later = engine == LayoutEngine::kDraft ||
                     (engine == LayoutEngine::kQuick && input.nodes.size() > kQuickDotNodeLimit);
  if (later) {
    TRY(LayoutResult own, layoutLayered(input, cancel));
    own.refined = false;
    return own;
  }
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
