#include "ui/canvas/layout/layout.h"

#include <algorithm>
#include <cmath>

#include "ui/canvas/layout/crossings.h"
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

namespace {

// Why dot could not draw, and the own drawing instead.
Result<LayoutResult> withNote(Result<LayoutResult> own, Diagnostic why) {
  if (!own) return own;
  why.severity = Severity::kWarning;
  why.notes.push_back("drawn with the built-in layout instead");
  own->notes.push_back(std::move(why));
  return own;
}

Result<LayoutResult> layoutDraft(const LayoutInput& input, const CancelToken& cancel) {
  LayoutInput hasty = input;
  hasty.thorough = false;
  TRY(LayoutResult own, layoutLayered(hasty, cancel));
  own.refined = !input.thorough || drawnCrossings(input, own) == 0;
  return own;
}

}  // namespace

Result<LayoutResult> layoutGraph(const LayoutInput& input, LayoutEngine engine, const CancelToken& cancel) {
  if (engine == LayoutEngine::kDot) {
    Result<LayoutResult> dot = layoutWithDot(input, cancel);
    if (dot || dot.error().kind == "cancelled") return dot;
    return withNote(layoutLayered(input, cancel), std::move(dot).error());
  }
  if (engine == LayoutEngine::kDraft) return layoutDraft(input, cancel);
  TRY(LayoutResult own, layoutLayered(input, cancel));
  if (engine == LayoutEngine::kLayered || !suitsDot(input)) return own;
  const uint64_t crossings = drawnCrossings(input, own);
  if (crossings == 0) return own;
  Result<LayoutResult> dot = layoutWithDot(input, cancel);
  if (dot) return drawnCrossings(input, *dot) < crossings ? std::move(*dot) : std::move(own);
  if (dot.error().kind == "cancelled") return dot;
  // The own drawing is hardly ever worse; only what went wrong within an installed dot is worth a word.
  if (dot.error().kind == "dot-failed") return withNote(std::move(own), std::move(dot).error());
  return own;
}

}  // namespace hilo
