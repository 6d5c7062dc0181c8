#include "ui/canvas/layout/nested_layout.h"

#include <algorithm>
#include <map>

#include <absl/container/flat_hash_map.h>

#include "core/base/check.h"

namespace hilo {
namespace {

// One level's drawing of (a part of) a bundle.
struct Piece {
  uint32_t group;  // index into groups_, whose layout holds the edge
  uint32_t edge;
};

// The content of one open group (or the top level) on its way through the layout.
struct Group {
  uint32_t node = kNoNode;
  uint32_t depth = 0;
  std::vector<uint32_t> children;  // shown nodes
  LayoutInput input;
  // Through which port edges enter (first) or leave (second) from or to a child: index into
  // input.nodes, and edge.
  absl::flat_hash_map<uint64_t, Piece> ports;
  absl::flat_hash_map<uint64_t, uint32_t> plainEdges;
  std::vector<std::array<uint32_t, 4>> offsets;  // edge, end (0 from, 1 to), inner group, inner edge
  std::shared_ptr<const LayoutResult> result;
  LayoutPoint origin;  // of the result's (0, 0), absolute
};

struct Bundle {
  uint32_t from;
  uint32_t to;
  uint8_t kind;
  uint32_t count;
  int64_t bytes;
  std::vector<Piece> leaving;  // innermost first
  Piece across;
  std::vector<Piece> entering;  // innermost first
};

constexpr float kPortWidth = 8;
constexpr size_t kThoroughSceneLimit = 3'000;

class NestedLayout {
 public:
  NestedLayout(const NestedInput& input, LayoutCache& cache, const CancelToken& cancel)
      : input_(input), cache_(cache), cancel_(cancel) {}

  Result<NestedResult> run() {
    findVisible();
    makeGroups();
    bundleEdges();
    for (Bundle& bundle : bundles_) addToGroups(bundle);
    TRY_STATUS(layoutGroups());
    placeAll();
    for (const Bundle& bundle : bundles_) drawBundle(bundle);
    return std::move(result_);
  }

 private:
  const NestedNode& node(uint32_t index) const { return input_.nodes[index]; }
  bool isOpen(uint32_t index) const { return node(index).group && node(index).open; }

  void findVisible() {
    const size_t count = input_.nodes.size();
    shown_.resize(count);
    result_.visible.assign(count, 0);
    result_.rects.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t parent = node(i).parent;
      CHECK(parent == kNoNode || (parent < i && node(parent).group), "a group comes before its children");
      const bool visible = parent == kNoNode || (result_.visible[parent] && isOpen(parent));
      result_.visible[i] = visible;
      shown_[i] = visible ? i : shown_[parent];
    }
  }

  void makeGroups() {
    groupOf_.assign(input_.nodes.size(), UINT32_MAX);
    slot_.assign(input_.nodes.size(), 0);
    groups_.emplace_back();
    for (uint32_t i = 0; i < input_.nodes.size(); ++i) {
      if (!result_.visible[i]) continue;
      Group& home = groups_[homeOf(i)];
      slot_[i] = static_cast<uint32_t>(home.children.size());
      home.children.push_back(i);
      home.input.nodes.push_back({node(i).width, node(i).height});
      if (!isOpen(i)) continue;
      const uint32_t depth = home.depth + 1;
      groupOf_[i] = static_cast<uint32_t>(groups_.size());
      groups_.emplace_back();
      groups_.back().node = i;
      groups_.back().depth = depth;
      groups_.back().input.inRow = node(i).inRow;
    }
    for (Group& group : groups_) {
      group.input.nodeGap = input_.nodeGap;
      group.input.layerGap = input_.layerGap;
    }
  }

  // The group whose content the shown node is part of.
  uint32_t homeOf(uint32_t index) const {
    return node(index).parent == kNoNode ? 0 : groupOf_[node(index).parent];
  }

  bool contains(uint32_t group, uint32_t index) const {
    for (uint32_t at = index; at != kNoNode; at = node(at).parent) {
      if (at == group) return true;
    }
    return false;
  }

  void bundleEdges() {
    struct Key {
      uint64_t ends;
      uint8_t kind;
      bool operator==(const Key&) const = default;
    };
    struct Hash {
      size_t operator()(const Key& key) const { return absl::HashOf(key.ends, key.kind); }
    };
    absl::flat_hash_map<Key, uint32_t, Hash> known;
    for (const NestedEdge& edge : input_.edges) {
      const uint32_t from = shown_[edge.from];
      const uint32_t to = shown_[edge.to];
      if (from == to) continue;
      const auto [at, isNew] = known.try_emplace(Key{(static_cast<uint64_t>(from) << 32) | to, edge.kind},
                                                 static_cast<uint32_t>(bundles_.size()));
      if (isNew) bundles_.push_back({from, to, edge.kind, 0, 0, {}, {}, {}});
      bundles_[at->second].count += 1;
      bundles_[at->second].bytes += edge.bytes;
    }
    // A group and what is inside it are joined by the box itself.
    std::erase_if(bundles_, [&](const Bundle& bundle) {
      return (isOpen(bundle.from) && contains(bundle.from, bundle.to)) ||
             (isOpen(bundle.to) && contains(bundle.to, bundle.from));
    });
  }

  Piece port(uint32_t groupIndex, uint32_t child, bool leaving, const Piece* inner) {
    Group& group = groups_[groupIndex];
    const uint64_t key = (static_cast<uint64_t>(child) << 1) | (leaving ? 1 : 0);
    if (const auto found = group.ports.find(key); found != group.ports.end()) return found->second;
    const auto portNode = static_cast<uint32_t>(group.input.nodes.size());
    group.input.nodes.push_back({kPortWidth, 0, leaving ? LayoutPin::kLast : LayoutPin::kFirst});
    const auto edge = static_cast<uint32_t>(group.input.edges.size());
    const uint32_t slot = slot_[child];
    group.input.edges.push_back(leaving ? LayoutEdge{slot, portNode, kAnyOffset, 0}
                                        : LayoutEdge{portNode, slot, 0, kAnyOffset});
    if (inner != nullptr) group.offsets.push_back({edge, leaving ? 0u : 1u, inner->group, inner->edge});
    return group.ports[key] = Piece{groupIndex, edge};
  }

  void addToGroups(Bundle& bundle) {
    uint32_t from = bundle.from;
    uint32_t to = bundle.to;
    auto climbFrom = [&] {
      bundle.leaving.push_back(
          port(homeOf(from), from, true, bundle.leaving.empty() ? nullptr : &bundle.leaving.back()));
      from = node(from).parent;
    };
    auto climbTo = [&] {
      bundle.entering.push_back(
          port(homeOf(to), to, false, bundle.entering.empty() ? nullptr : &bundle.entering.back()));
      to = node(to).parent;
    };
    while (homeOf(from) != homeOf(to)) {
      if (groups_[homeOf(from)].depth >= groups_[homeOf(to)].depth) {
        climbFrom();
      } else {
        climbTo();
      }
    }
    Group& group = groups_[homeOf(from)];
    const auto edge = static_cast<uint32_t>(group.input.edges.size());
    bundle.across = {homeOf(from), edge};
    group.input.edges.push_back({slot_[from], slot_[to], kAnyOffset, kAnyOffset});
    if (!bundle.leaving.empty()) {
      group.offsets.push_back({edge, 0, bundle.leaving.back().group, bundle.leaving.back().edge});
    }
    if (!bundle.entering.empty()) {
      group.offsets.push_back({edge, 1, bundle.entering.back().group, bundle.entering.back().edge});
    }
  }

  Status layoutGroups() {
    // Inner groups come after outer ones.
    for (size_t i = groups_.size(); i-- > 0;) {
      if (cancel_.cancelled()) return fail("cancelled", "layout cancelled");
      Group& group = groups_[i];
      for (const auto& [edge, end, inner, innerEdge] : group.offsets) {
        const LayoutResult& drawn = *groups_[inner].result;
        const auto line = drawn.line(innerEdge);
        const LayoutPoint border = end == 0 ? line.back() : line.front();
        float& offset = end == 0 ? group.input.edges[edge].fromOffset : group.input.edges[edge].toOffset;
        offset = border.x - drawn.width / 2;
      }
      TRY(group.result, layoutGroup(group.input));
      for (const Diagnostic& note : group.result->notes) {
        const bool known = std::any_of(result_.notes.begin(), result_.notes.end(),
                                       [&](const Diagnostic& other) { return other.kind == note.kind; });
        if (!known) result_.notes.push_back(note);
      }
      if (group.node == kNoNode) continue;
      LayoutNode& box = groups_[homeOf(group.node)].input.nodes[slot_[group.node]];
      box.width = std::max(group.result->width + 2 * input_.padding, node(group.node).width);
      box.height = group.result->height + 2 * input_.padding + input_.headerHeight;
    }
    return {};
  }

  Result<std::shared_ptr<const LayoutResult>> layoutGroup(LayoutInput& input) {
    LayoutEngine engine = input_.engine;
    if (engine != LayoutEngine::kDot && engine != LayoutEngine::kLayered) {
      if (auto known = cache_.find(layoutKey(input, LayoutEngine::kAuto))) return known;
    }
    // With many groups at once each gets less: dot is not started a hundred times.
    if (input_.nodes.size() > kThoroughSceneLimit && engine != LayoutEngine::kDot) {
      engine = LayoutEngine::kLayered;
      input.thorough = false;
    }
    if (auto known = cache_.find(layoutKey(input, engine))) {
      result_.refined &= known->refined;
      return known;
    }
    ++result_.groupsLaidOut;
    TRY(auto drawn, layoutCached(cache_, input, engine, cancel_));
    result_.refined &= drawn->refined;
    return drawn;
  }

  void placeAll() {
    result_.width = groups_[0].result->width;
    result_.height = groups_[0].result->height;
    for (Group& group : groups_) {
      if (group.node != kNoNode) {
        const NestedRect& box = result_.rects[group.node];
        group.origin = {box.x + (box.width - group.result->width) / 2,
                        box.y + input_.headerHeight + input_.padding};
      }
      for (size_t i = 0; i < group.children.size(); ++i) {
        const LayoutNode& size = group.input.nodes[i];
        const LayoutPoint centre = group.result->centres[i];
        result_.rects[group.children[i]] = {group.origin.x + centre.x - size.width / 2,
                                            group.origin.y + centre.y - size.height / 2, size.width,
                                            size.height};
      }
    }
  }

  void append(const Piece& piece) {
    const Group& group = groups_[piece.group];
    for (const LayoutPoint& point : group.result->line(piece.edge)) {
      result_.points.push_back({point.x + group.origin.x, point.y + group.origin.y});
    }
  }

  void drawBundle(const Bundle& bundle) {
    NestedBundle drawn{bundle.from, bundle.to, bundle.kind, false, bundle.count, bundle.bytes, 0, 0};
    drawn.firstPoint = static_cast<uint32_t>(result_.points.size());
    for (const Piece& piece : bundle.leaving) append(piece);
    append(bundle.across);
    for (size_t i = bundle.entering.size(); i-- > 0;) append(bundle.entering[i]);
    drawn.pointCount = static_cast<uint32_t>(result_.points.size()) - drawn.firstPoint;
    drawn.shortened = groups_[bundle.across.group].result->shortened[bundle.across.edge] != 0;
    result_.bundles.push_back(drawn);
  }

  const NestedInput& input_;
  LayoutCache& cache_;
  const CancelToken& cancel_;
  std::vector<uint32_t> shown_;    // per node: itself or the closed group that hides it
  std::vector<uint32_t> groupOf_;  // per open node: index into groups_
  std::vector<uint32_t> slot_;     // per shown node: index in its group's layout input
  std::vector<Group> groups_;      // outer before inner; [0] is the top level
  std::vector<Bundle> bundles_;
  NestedResult result_;
};

}  // namespace

Result<NestedResult> layoutNested(const NestedInput& input, LayoutCache& cache, const CancelToken& cancel) {
  return NestedLayout(input, cache, cancel).run();
}

}  // namespace hilo
