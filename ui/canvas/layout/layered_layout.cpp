#include "ui/canvas/layout/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/canvas/layout/curve.h"
#include "ui/canvas/layout/layer_graph.h"

namespace hilo {
namespace {

// One connected part of the input, with the input's indices.
struct Component {
  std::vector<uint32_t> nodes;
  std::vector<uint32_t> edges;
};

struct Part {
  std::vector<LayoutPoint> centres;             // per node of the component
  std::vector<std::vector<LayoutPoint>> lines;  // per edge of the component
  std::vector<uint8_t> shortened;
  float width = 0;
  float height = 0;
};

std::vector<Component> splitComponents(const LayoutInput& input) {
  const size_t count = input.nodes.size();
  std::vector<uint32_t> parent(count);
  std::iota(parent.begin(), parent.end(), 0u);
  auto root = [&](uint32_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  bool pinned = false;
  for (const LayoutNode& node : input.nodes) pinned |= node.pin != LayoutPin::kFree;
  for (const LayoutEdge& edge : input.edges) {
    const uint32_t a = root(edge.from);
    const uint32_t b = root(edge.to);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::vector<Component> components;
  std::vector<uint32_t> numberOf(count, UINT32_MAX);
  for (uint32_t node = 0; node < count; ++node) {
    const uint32_t top = pinned ? 0 : root(node);
    if (numberOf[top] == UINT32_MAX) {
      numberOf[top] = static_cast<uint32_t>(components.size());
      components.emplace_back();
    }
    components[numberOf[top]].nodes.push_back(node);
  }
  for (uint32_t edge = 0; edge < input.edges.size(); ++edge) {
    const uint32_t top = pinned ? 0 : root(input.edges[edge].from);
    components[numberOf[top]].edges.push_back(edge);
  }
  return components;
}

// Leaves out points on the straight way between their neighbours: of a long edge most, of a bend those that
// would not be missed.
constexpr float kTolerance = 0.6f;  // pixels
void straighten(std::vector<LayoutPoint>& line) {
  size_t kept = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    while (kept >= 2) {
      const LayoutPoint a = line[kept - 2], b = line[kept - 1], c = line[i];
      const float across = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
      const float length = std::abs(c.x - a.x) + std::abs(c.y - a.y);
      if (std::abs(across) > kTolerance * length) break;
      --kept;
    }
    line[kept++] = line[i];
  }
  line.resize(kept);
}

// Where each vertex's segments leave (or enter) it: spread over the middle of its side, in
// the neighbours' order.
class Ports {
 public:
  Ports(const LayerGraph& graph, const Adjacency& lists, const std::vector<float>& x) : lists_(lists) {
    offset_.resize(lists.items.size(), 0.0f);
    std::vector<uint32_t> order;
    for (uint32_t vertex = 0; vertex < graph.realCount; ++vertex) {
      const auto list = lists.of(vertex);
      if (list.size() < 2) continue;
      order.resize(list.size());
      std::iota(order.begin(), order.end(), 0u);
      std::sort(order.begin(), order.end(),
                [&](uint32_t a, uint32_t b) { return std::pair(x[list[a]], a) < std::pair(x[list[b]], b); });
      const float step = std::min(graph.width[vertex] * 0.7f / static_cast<float>(list.size() - 1), 24.0f);
      for (size_t i = 0; i < order.size(); ++i) {
        offset_[lists.start[vertex] + order[i]] =
            step * (static_cast<float>(i) - static_cast<float>(list.size() - 1) / 2);
      }
    }
  }

  float offset(uint32_t vertex, uint32_t neighbour) const {
    const auto list = lists_.of(vertex);
    const auto at = std::find(list.begin(), list.end(), neighbour);
    return at == list.end() ? 0.0f : offset_[lists_.start[vertex] + static_cast<size_t>(at - list.begin())];
  }

 private:
  const Adjacency& lists_;
  std::vector<float> offset_;
};

class ComponentLayout {
 public:
  ComponentLayout(const LayoutInput& input, const Component& component, std::vector<uint32_t>& localOf)
      : input_(input) {
    const bool right = input.direction == LayoutDirection::kRight;
    for (uint32_t i = 0; i < component.nodes.size(); ++i) {
      const LayoutNode& node = input.nodes[component.nodes[i]];
      localOf[component.nodes[i]] = i;
      nodes_.push_back(right ? LayoutNode{node.height, node.width, node.pin} : node);
    }
    for (uint32_t edge : component.edges) {
      LayoutEdge copy = input.edges[edge];
      copy.from = localOf[copy.from];
      copy.to = localOf[copy.to];
      edges_.push_back(copy);
    }
  }

  Result<Part> run(const CancelToken& cancel) {
    reversed_ = backEdges(nodes_.size(), edges_);
    for (size_t i = 0; i < edges_.size(); ++i) {
      if (edges_[i].from == edges_[i].to) continue;
      dagOf_.push_back(static_cast<uint32_t>(i));
      dag_.push_back(reversed_[i] ? DagEdge{edges_[i].to, edges_[i].from}
                                  : DagEdge{edges_[i].from, edges_[i].to});
    }
    graph_ = makeLayerGraph(nodes_, dag_, rankNodes(nodes_, dag_, rowLimit(nodes_.size())));
    TRY_STATUS(orderLayers(graph_, input_.thorough, cancel));
    if (input_.inRow) {
      for (auto& layer : graph_.layers) std::ranges::sort(layer);
    }
    x_ = placeVertices(graph_, input_.nodeGap);
    if (cancel.cancelled()) return fail("cancelled", "layout cancelled");
    placeLayers();
    Part part;
    for (uint32_t node = 0; node < nodes_.size(); ++node) {
      part.centres.push_back({x_[node], centreY(node)});
    }
    routeAll(part);
    measure(part);
    return part;
  }

 private:
  void placeLayers() {
    const size_t layers = graph_.layers.size();
    thickness_.assign(layers, 0);
    middle_.assign(layers, 0);
    for (uint32_t node = 0; node < nodes_.size(); ++node) {
      float& thickness = thickness_[graph_.layerOf[node]];
      thickness = std::max(thickness, nodes_[node].height);
    }
    // A gap grows where edges run far sideways, so that they do not lie flat on the nodes.
    std::vector<float> reach(layers, 0);
    for (const DagEdge& segment : graph_.segments) {
      float& far = reach[graph_.layerOf[segment.from]];
      far = std::max(far, std::abs(x_[segment.from] - x_[segment.to]));
    }
    float y = 0;
    for (size_t layer = 0; layer < layers; ++layer) {
      middle_[layer] = y + thickness_[layer] / 2;
      y += thickness_[layer] + input_.layerGap + std::min(reach[layer] * 0.06f, input_.layerGap * 2);
    }
  }

  // In the middle of its layer; what stands in a row has its top at one height.
  float centreY(uint32_t node) const {
    const uint32_t layer = graph_.layerOf[node];
    return input_.inRow ? layerTop(layer) + nodes_[node].height / 2 : middle_[layer];
  }
  float layerTop(uint32_t layer) const { return middle_[layer] - thickness_[layer] / 2; }
  float layerBottom(uint32_t layer) const { return middle_[layer] + thickness_[layer] / 2; }

  void routeAll(Part& part) {
    const Ports below(graph_, graph_.down, x_);
    const Ports above(graph_, graph_.up, x_);
    part.lines.resize(edges_.size());
    part.shortened.assign(edges_.size(), 0);
    for (size_t d = 0; d < dag_.size(); ++d) {
      const uint32_t edge = dagOf_[d];
      part.shortened[edge] = graph_.shortened[d];
      part.lines[edge] = graph_.shortened[d] ? straight(d) : route(d, below, above);
      if (reversed_[edge]) std::reverse(part.lines[edge].begin(), part.lines[edge].end());
    }
  }

  // The offsets asked for, at the upper and the lower end of a DAG edge.
  std::pair<float, float> askedOffsets(size_t d) const {
    const LayoutEdge& edge = edges_[dagOf_[d]];
    return reversed_[dagOf_[d]] ? std::pair(edge.toOffset, edge.fromOffset)
                                : std::pair(edge.fromOffset, edge.toOffset);
  }

  LayoutPoint startOf(uint32_t node, float offset) const {
    return {x_[node] + offset, centreY(node) + nodes_[node].height / 2};
  }
  LayoutPoint endOf(uint32_t node, float offset) const {
    return {x_[node] + offset, centreY(node) - nodes_[node].height / 2};
  }

  std::vector<LayoutPoint> straight(size_t d) const {
    const auto [first, last] = askedOffsets(d);
    return {startOf(dag_[d].from, std::isinf(first) ? 0 : first),
            endOf(dag_[d].to, std::isinf(last) ? 0 : last)};
  }

  std::vector<LayoutPoint> route(size_t d, const Ports& below, const Ports& above) const {
    const auto [from, to] = dag_[d];
    const uint32_t fromLayer = graph_.layerOf[from];
    const uint32_t toLayer = graph_.layerOf[to];
    const uint32_t chain = graph_.firstDummy[d];
    const uint32_t dummies = toLayer - fromLayer - 1;
    const uint32_t afterFirst = dummies > 0 ? chain : to;
    const uint32_t beforeLast = dummies > 0 ? chain + dummies - 1 : from;
    auto [first, last] = askedOffsets(d);
    if (std::isinf(first)) first = below.offset(from, afterFirst);
    if (std::isinf(last)) last = above.offset(to, beforeLast);
    std::vector<LayoutPoint> line;
    auto lead = [&](LayoutPoint to) {
      if (line.back() != to) line.push_back(to);
    };
    const int pieces = graph_.vertexCount() > 20'000 ? 2 : 12;
    line.push_back(startOf(from, first));
    lead({line.back().x, layerBottom(fromLayer)});
    for (uint32_t i = 0; i < dummies; ++i) {
      const float x = x_[chain + i];
      const uint32_t layer = fromLayer + 1 + i;
      appendFlowCurve(line, line.back(), {x, layerTop(layer)}, pieces);
      lead({x, layerBottom(layer)});
    }
    const LayoutPoint end = endOf(to, last);
    appendFlowCurve(line, line.back(), {end.x, layerTop(toLayer)}, pieces);
    lead(end);
    straighten(line);
    return line;
  }

  void measure(Part& part) {
    float left = std::numeric_limits<float>::max(), right = std::numeric_limits<float>::lowest();
    float bottom = 0;
    for (uint32_t node = 0; node < nodes_.size(); ++node) {
      left = std::min(left, x_[node] - nodes_[node].width / 2);
      right = std::max(right, x_[node] + nodes_[node].width / 2);
      bottom = std::max(bottom, part.centres[node].y + nodes_[node].height / 2);
    }
    for (const auto& line : part.lines) {
      for (const LayoutPoint& point : line) {
        left = std::min(left, point.x);
        right = std::max(right, point.x);
      }
    }
    for (LayoutPoint& centre : part.centres) centre.x -= left;
    for (auto& line : part.lines) {
      for (LayoutPoint& point : line) point.x -= left;
    }
    part.width = right - left;
    part.height = bottom;
    if (input_.direction == LayoutDirection::kRight) turn(part);
  }

  static void turn(Part& part) {
    std::swap(part.width, part.height);
    for (LayoutPoint& centre : part.centres) std::swap(centre.x, centre.y);
    for (auto& line : part.lines) {
      for (LayoutPoint& point : line) std::swap(point.x, point.y);
    }
  }

  const LayoutInput& input_;
  std::vector<LayoutNode> nodes_;  // as if flowing down
  std::vector<LayoutEdge> edges_;
  std::vector<uint8_t> reversed_;
  std::vector<DagEdge> dag_;
  std::vector<uint32_t> dagOf_;
  LayerGraph graph_;
  std::vector<float> x_;
  std::vector<float> middle_;
  std::vector<float> thickness_;
};

// Rows of parts, tallest first, in an area about 1.6 times as wide as high; or one row. Returns
// each part's origin.
std::vector<LayoutPoint> packParts(const std::vector<Part>& parts, float gap, bool inRow, float& width,
                                   float& height) {
  std::vector<uint32_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0u);
  if (!inRow) {
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(-parts[a].height, a) < std::pair(-parts[b].height, b);
    });
  }
  double area = 0;
  float widest = 0;
  for (const Part& part : parts) {
    area += (part.width + gap) * (part.height + gap);
    widest = std::max(widest, part.width);
  }
  const float rowWidth = std::max(widest, static_cast<float>(std::sqrt(area * 1.6)));
  std::vector<LayoutPoint> origin(parts.size());
  float x = 0, y = 0, rowHeight = 0;
  width = 0;
  for (uint32_t i : order) {
    if (!inRow && x > 0 && x + parts[i].width > rowWidth) {
      x = 0;
      y += rowHeight + gap;
      rowHeight = 0;
    }
    origin[i] = {x, y};
    rowHeight = std::max(rowHeight, parts[i].height);
    width = std::max(width, x + parts[i].width);
    x += parts[i].width + gap;
  }
  height = y + rowHeight;
  return origin;
}

}  // namespace

Result<LayoutResult> layoutLayered(const LayoutInput& input, const CancelToken& cancel) {
  LayoutResult result;
  result.engine = LayoutEngine::kLayered;
  const std::vector<Component> components = splitComponents(input);
  std::vector<uint32_t> localOf(input.nodes.size());
  std::vector<Part> parts;
  for (const Component& component : components) {
    if (cancel.cancelled()) return fail("cancelled", "layout cancelled");
    TRY(Part part, ComponentLayout(input, component, localOf).run(cancel));
    parts.push_back(std::move(part));
  }
  const std::vector<LayoutPoint> origin =
      packParts(parts, input.nodeGap, input.inRow, result.width, result.height);
  result.centres.resize(input.nodes.size());
  result.shortened.assign(input.edges.size(), 0);
  std::vector<std::pair<uint32_t, uint32_t>> lineOf(input.edges.size());  // part, index in it
  for (uint32_t p = 0; p < parts.size(); ++p) {
    for (size_t i = 0; i < components[p].nodes.size(); ++i) {
      const LayoutPoint centre = parts[p].centres[i];
      result.centres[components[p].nodes[i]] = {centre.x + origin[p].x, centre.y + origin[p].y};
    }
    for (uint32_t i = 0; i < components[p].edges.size(); ++i) {
      lineOf[components[p].edges[i]] = {p, i};
      result.shortened[components[p].edges[i]] = parts[p].shortened[i];
    }
  }
  for (const auto& [p, i] : lineOf) {
    result.lineStart.push_back(static_cast<uint32_t>(result.points.size()));
    for (const LayoutPoint& point : parts[p].lines[i]) {
      result.points.push_back({point.x + origin[p].x, point.y + origin[p].y});
    }
    if (result.points.size() > (1u << 31))
      return fail("graph-too-large", "the edges of this graph need too many points");
  }
  result.lineStart.push_back(static_cast<uint32_t>(result.points.size()));
  return result;
}

}  // namespace hilo
