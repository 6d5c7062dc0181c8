#include "ui/views/graph/graph_scene.h"

#include <algorithm>

#include "ui/views/graph/node_look.h"

namespace hilo {
namespace {

class RequestBuilder {
 public:
  RequestBuilder(const Grouping& grouping, const OpenGroups& open) : grouping_(grouping), open_(open) {
    shownAs_.assign(grouping.nodeCount(), kNoNode);
  }

  GraphRequest run() {
    if (grouping_.root() == kNoGroup) return std::move(request_);
    addTree(grouping_.root());
    for (const GroupEdge& edge : grouping_.edges()) addEdge(edge);
    return std::move(request_);
  }

 private:
  bool isOpen(GroupId id) const {
    const GroupNode& node = grouping_.node(id);
    return node.group && node.expanded && open_.contains(node.key);
  }

  // Parents before children, without recursion: calls may nest deeply.
  void addTree(GroupId root) {
    std::vector<std::pair<GroupId, uint32_t>> waiting{{root, kNoNode}};
    while (!waiting.empty()) {
      const auto [id, parent] = waiting.back();
      waiting.pop_back();
      const GroupNode& node = grouping_.node(id);
      const QSizeF size = nodeSize(nodeText(node));
      const auto index = static_cast<uint32_t>(request_.nodes.size());
      shownAs_[id] = index;
      request_.nodes.push_back(id);
      request_.input.nodes.push_back({parent, static_cast<float>(size.width()),
                                      static_cast<float>(size.height()), node.group, isOpen(id)});
      if (!isOpen(id)) continue;
      for (size_t i = node.children.size(); i-- > 0;) waiting.emplace_back(node.children[i], index);
    }
  }

  uint32_t shown(GroupId id) const {
    while (id != kNoGroup && shownAs_[id] == kNoNode) id = grouping_.node(id).parent;
    return id == kNoGroup ? kNoNode : shownAs_[id];
  }

  void addEdge(const GroupEdge& edge) {
    GroupId from = edge.from;
    GroupId to = edge.to;
    if (edge.kind == GroupEdgeKind::Data) {
      // Through the borders of open fusions and calls to what the value really is there.
      while (isOpenCaller(from)) {
        const GroupId inner = grouping_.rootInside(from);
        if (inner == kNoGroup) break;
        from = inner;
      }
      uint32_t operand = edge.operand;
      while (isOpenCaller(to)) {
        const GroupId inner = grouping_.parameterInside(to, operand);
        if (inner == kNoGroup) break;
        to = inner;
      }
    }
    const uint32_t a = shown(from);
    const uint32_t b = shown(to);
    if (a == kNoNode || b == kNoNode || a == b) return;
    request_.input.edges.push_back({a, b, static_cast<uint8_t>(edge.kind), edge.bytes});
  }

  bool isOpenCaller(GroupId id) const { return shownAs_[id] != kNoNode && isOpen(id); }

  const Grouping& grouping_;
  const OpenGroups& open_;
  std::vector<uint32_t> shownAs_;
  GraphRequest request_;
};

SceneMark strongest(SceneMark a, SceneMark b) {
  if (a == SceneMark::kNone) return b;
  return a == b || b == SceneMark::kNone ? a : SceneMark::kChanged;
}

// The marks of shown nodes: their own, or one for all that is marked inside.
std::vector<SceneMark> marksOf(const Grouping& grouping, const GraphRequest& request, const SceneLook& look) {
  std::vector<SceneMark> marks(request.nodes.size(), SceneMark::kNone);
  if (look.marks.empty()) return marks;
  absl::flat_hash_map<GroupId, uint32_t> shownAs;
  for (uint32_t i = 0; i < request.nodes.size(); ++i) shownAs.emplace(request.nodes[i], i);
  for (const auto& [id, mark] : look.marks) {
    const Instruction* instruction = grouping.module().instruction(id);
    if (instruction == nullptr) continue;
    GroupId at = grouping.findMade(*instruction);
    const bool own = at != kNoGroup && grouping.node(at).instruction == instruction && shownAs.contains(at);
    while (at != kNoGroup && !shownAs.contains(at)) at = grouping.node(at).parent;
    if (at == kNoGroup) continue;
    SceneMark& of = marks[shownAs.at(at)];
    of = strongest(of, own ? mark : SceneMark::kChanged);
  }
  return marks;
}

}  // namespace

GraphRequest makeGraphRequest(const Grouping& grouping, const OpenGroups& open) {
  return RequestBuilder(grouping, open).run();
}

GraphRequest makeFocusRequest(Grouping& grouping, const Instruction& centre, uint32_t hops, size_t limit) {
  GraphRequest request;
  absl::flat_hash_map<const Instruction*, uint32_t> found{{&centre, 0}};
  std::vector<const Instruction*> order{&centre};
  std::vector<uint32_t> distance{0};
  for (size_t i = 0; i < order.size() && distance[i] < hops; ++i) {
    auto add = [&](const Instruction* next) {
      if (order.size() >= limit || !found.try_emplace(next, static_cast<uint32_t>(order.size())).second)
        return;
      order.push_back(next);
      distance.push_back(distance[i] + 1);
    };
    for (const Instruction* operand : order[i]->operands()) add(operand);
    for (const Instruction* user : order[i]->users()) add(user);
  }
  for (const Instruction* instruction : order) {
    const GroupId id = grouping.find(*instruction);
    if (id == kNoGroup) return {};
    const QSizeF size = nodeSize(nodeText(grouping.node(id)));
    request.nodes.push_back(id);
    request.input.nodes.push_back({kNoNode, static_cast<float>(size.width()),
                                   static_cast<float>(size.height()), grouping.node(id).group, false});
  }
  for (const Instruction* user : order) {
    for (const Instruction* operand : user->operands()) {
      if (const auto from = found.find(operand); from != found.end()) {
        request.input.edges.push_back({from->second, found.at(user), 0, operand->shape().byteSize()});
      }
    }
    for (const Instruction* before : user->get<Attr::ControlPredecessors>()) {
      if (const auto from = found.find(before); from != found.end()) {
        request.input.edges.push_back({from->second, found.at(user), 1, 0});
      }
    }
  }
  return request;
}

Scene makeGraphScene(const Grouping& grouping, const GraphRequest& request, const NestedResult& layout,
                     const SceneLook& look) {
  Scene scene;
  scene.headerHeight = request.input.headerHeight;
  const std::vector<SceneMark> marks = marksOf(grouping, request, look);
  scene.nodes.reserve(request.nodes.size());
  for (uint32_t i = 0; i < request.nodes.size(); ++i) {
    const GroupNode& group = grouping.node(request.nodes[i]);
    NodeText text = nodeText(group);
    SceneNode node;
    node.id = group.key;
    const NestedRect& rect = layout.rects[i];
    node.rect = QRectF(rect.x, rect.y, rect.width, rect.height);
    node.parent = request.input.nodes[i].parent;
    node.title = std::move(text.title);
    node.subtitle = std::move(text.subtitle);
    node.role = nodeRole(group);
    node.mark = marks[i];
    node.group = group.group;
    node.open = request.input.nodes[i].open;
    if (group.instruction != nullptr && !look.heat.empty()) {
      if (const auto heat = look.heat.find(group.instruction->id()); heat != look.heat.end())
        node.heat = heat->second;
    }
    scene.nodes.push_back(std::move(node));
  }
  scene.points.reserve(layout.points.size());
  for (const LayoutPoint& point : layout.points) scene.points.emplace_back(point.x, point.y);
  for (const NestedBundle& bundle : layout.bundles) {
    SceneEdge edge;
    edge.from = bundle.from;
    edge.to = bundle.to;
    edge.firstPoint = bundle.firstPoint;
    edge.pointCount = bundle.pointCount;
    edge.count = bundle.count;
    edge.bytes = bundle.bytes;
    edge.kind = bundle.kind == 0 ? SceneEdgeKind::kData : SceneEdgeKind::kControl;
    edge.shortened = bundle.shortened;
    scene.edges.push_back(edge);
  }
  return scene;
}

void openSingleGroups(Grouping& grouping, GroupId from, OpenGroups& open) {
  for (GroupId at = from; at != kNoGroup;) {
    if (!grouping.node(at).group) return;
    // A fusion or loop is a choice of its own; only scopes and the like are passed through.
    if (at != from && grouping.node(at).kind == GroupKind::Instruction) return;
    grouping.expand(at);
    open.insert(grouping.node(at).key);
    GroupId next = kNoGroup;
    size_t groups = 0, others = 0;
    for (GroupId child : grouping.node(at).children) {
      const bool passable = grouping.node(child).group &&
                            grouping.node(child).kind != GroupKind::Instruction &&
                            grouping.node(child).kind != GroupKind::Parameters;
      if (passable) next = child;
      ++(passable ? groups : others);
    }
    if (groups != 1 || others > 20) return;
    at = next;
  }
}

}  // namespace hilo
