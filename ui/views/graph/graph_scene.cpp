#include "ui/views/graph/graph_scene.h"

#include "ui/views/graph/shown_places.h"

#include <algorithm>

#include "core/analysis/async_pair.h"
#include "core/analysis/fusion_hero.h"
#include "core/analysis/grouping/grouping_fold.h"
#include "ui/canvas/bundle_edges.h"
#include "ui/views/graph/arcs.h"

namespace hilo {
namespace {

constexpr qsizetype kMaxTags = 4;
constexpr int64_t kTints = 12;  // colours of categories

void addNode(GraphRequest& request, const Grouping& grouping, GroupId id, const NestedNode& node) {
  request.nodes.push_back(id);
  request.texts.push_back(nodeText(grouping.node(id)));
  request.emphasised.push_back(0);
  request.tints.push_back(-1);
  request.input.nodes.push_back(node);
}

// The computations of a loop or of branches are not joined: they read as alternatives.
bool isSideBySide(const GroupNode& node) {
  return node.instruction != nullptr && node.instruction->calledComputations().size() > 1;
}

// Which outputs of the module are written over which parameters, and which parameters are given away.
class AliasTags {
 public:
  explicit AliasTags(const Module& module) {
    for (const AliasEntry& alias : module.get<Attr::InputOutputAlias>())
      tags_[alias.parameter].push_back(QStringLiteral("out{%1}").arg(indexText(alias.outputIndex)));
    for (const BufferDonor& donor : module.get<Attr::BufferDonor>())
      tags_[donor.parameter].push_back(QStringLiteral("donated"));
  }
  QStringList tagsOf(int64_t parameter) const {
    const auto at = tags_.find(parameter);
    return at == tags_.end() ? QStringList() : at->second.mid(0, kMaxTags);
  }

 private:
  static QString indexText(std::span<const int64_t> index) {
    return QString::fromStdString(fmt::format("{}", fmt::join(index, ",")));
  }
  absl::flat_hash_map<int64_t, QStringList> tags_;
};

void addTag(GraphRequest& request, const Instruction& folded, uint32_t node) {
  request.folded.emplace_back(&folded, node);
  QStringList& tags = request.texts[node].tags;
  if (tags.size() > kMaxTags) return;
  tags.push_back(tags.size() == kMaxTags ? QStringLiteral("…") : QString::fromStdString(foldedText(folded)));
}

void measure(GraphRequest& request) {
  for (size_t i = 0; i < request.texts.size(); ++i) {
    const QSizeF size = nodeSize(request.texts[i]);
    request.input.nodes[i].width = static_cast<float>(size.width());
    request.input.nodes[i].height = static_cast<float>(size.height());
  }
}

class RequestBuilder {
 public:
  RequestBuilder(const Grouping& grouping, const OpenGroups& open, const GraphRequestOptions& options)
      : grouping_(grouping), open_(open), aliases_(grouping.module()) {
    shownAs_.assign(grouping.nodeCount(), kNoNode);
    fold_.assign(grouping.nodeCount(), FoldKind::None);
    if (options.fold) findFolded();
  }

  GraphRequest run() {
    if (grouping_.root() == kNoGroup) return std::move(request_);
    addTree(grouping_.root());
    noteSources();
    for (const GroupEdge& edge : grouping_.edges()) addEdge(edge);
    addAliases();
    measure(request_);
    return std::move(request_);
  }

 private:
  bool isOpen(GroupId id) const {
    const GroupNode& node = grouping_.node(id);
    return node.group && node.expanded && open_.contains(node.key);
  }

  void findFolded() {
    for (GroupId id = 0; id < grouping_.nodeCount(); ++id) {
      const GroupNode& node = grouping_.node(id);
      if (node.kind == GroupKind::Instruction) fold_[id] = foldKind(*node.instruction);
    }
  }

  // Parents before children, without recursion: calls may nest deeply.
  void addTree(GroupId root) {
    std::vector<std::pair<GroupId, uint32_t>> waiting{{root, kNoNode}};
    while (!waiting.empty()) {
      const auto [id, parent] = waiting.back();
      waiting.pop_back();
      const GroupNode& node = grouping_.node(id);
      const auto index = static_cast<uint32_t>(request_.nodes.size());
      const bool open = isOpen(id);
      shownAs_[id] = index;
      addNode(request_, grouping_, id, {parent, 0, 0, node.group, open, open && isSideBySide(node)});
      addTags(node, id, open);
      addFusionMarks(node, open);
      if (!open) continue;
      for (size_t i = node.children.size(); i-- > 0;) {
        if (fold_[node.children[i]] == FoldKind::None) waiting.emplace_back(node.children[i], index);
      }
    }
  }

  void addTags(const GroupNode& node, GroupId id, bool open) {
    QStringList& tags = request_.texts.back().tags;
    if (node.group && !open) tags = groupTags(grouping_, id);
    if (node.instruction == nullptr || node.instruction->opcode() != Opcode::Parameter) return;
    if (node.instruction->parent().isEntry()) tags = aliases_.tagsOf(node.instruction->parameterNumber());
  }

  void addFusionMarks(const GroupNode& node, bool open) {
    if (node.instruction == nullptr) return;
    const Instruction& instruction = *node.instruction;
    if (open && instruction.opcode() == Opcode::Fusion) {
      const Computation* fused = instruction.calledComputations()[0];
      fused_.insert(fused);
      if (const Instruction* hero = fusionHero(*fused); hero != nullptr) heroes_.insert(hero);
    }
    request_.emphasised.back() = heroes_.contains(&instruction);
    if (instruction.opcode() == Opcode::Parameter && fused_.contains(&instruction.parent()))
      request_.tints.back() = static_cast<int16_t>(instruction.parameterNumber() % kTints);
  }

  // Where each folded tuple element comes from.
  void noteSources() {
    source_.assign(grouping_.nodeCount(), kNoGroup);
    for (const GroupEdge& edge : grouping_.edges()) {
      if (fold_[edge.to] == FoldKind::TupleElement && edge.kind == GroupEdgeKind::Data)
        source_[edge.to] = edge.from;
    }
  }

  uint32_t shown(GroupId id) const {
    while (id != kNoGroup && shownAs_[id] == kNoNode) id = grouping_.node(id).parent;
    return id == kNoGroup ? kNoNode : shownAs_[id];
  }

  void addEdge(const GroupEdge& edge) {
    if (fold_[edge.to] != FoldKind::None) return;
    if (edge.kind == GroupEdgeKind::Control) {
      if (fold_[edge.from] == FoldKind::None) addLine(edge, edge.from, edge.to);
      return;
    }
    // Through the borders of open callers to what the value really is there.
    targets_.assign(1, edge.to);
    if (isOpenCaller(edge.to)) {
      if (std::vector<GroupId> inside = grouping_.parametersInside(edge.to, edge.operand); !inside.empty())
        targets_ = std::move(inside);
    }
    if (fold_[edge.from] != FoldKind::None && shownAs_[edge.to] != kNoNode)
      noteFolded(edge.from, targets_[0]);
    if (fold_[edge.from] == FoldKind::Value) return;
    findOrigins(edge.from);
    for (GroupId from : origins_) {
      for (GroupId to : targets_) addLine(edge, from, to);
    }
  }

  void addLine(const GroupEdge& edge, GroupId from, GroupId to) {
    const uint32_t a = shown(from);
    const uint32_t b = shown(to);
    if (a == kNoNode || b == kNoNode || a == b) return;
    SceneEdgeKind kind = edge.kind == GroupEdgeKind::Data ? SceneEdgeKind::kData : SceneEdgeKind::kControl;
    if (isAsyncPair(*grouping_.node(edge.from).instruction, *grouping_.node(edge.to).instruction))
      kind = SceneEdgeKind::kAsync;
    request_.input.edges.push_back({a, b, static_cast<uint8_t>(kind), edge.bytes});
  }

  // Back through folded tuple elements, and out of open callers from what they return: of a conditional the
  // roots of all its branches.
  void findOrigins(GroupId from) {
    origins_.clear();
    waiting_.assign(1, from);
    while (!waiting_.empty()) {
      const GroupId at = waiting_.back();
      waiting_.pop_back();
      if (fold_[at] == FoldKind::TupleElement && source_[at] != kNoGroup) {
        waiting_.push_back(source_[at]);
        continue;
      }
      const std::vector<GroupId> inside =
          isOpenCaller(at) ? grouping_.rootsInside(at) : std::vector<GroupId>();
      if (inside.empty()) origins_.push_back(at);
      waiting_.insert(waiting_.end(), inside.begin(), inside.end());
    }
  }

  // From what makes an output of the module to the parameter whose memory it takes.
  void addAliases() {
    const Module& module = grouping_.module();
    const Instruction* root = module.entry()->root();
    if (root == nullptr) return;
    absl::flat_hash_map<std::pair<uint32_t, uint32_t>, size_t> known;
    for (const AliasEntry& alias : module.get<Attr::InputOutputAlias>()) {
      const auto parameters = module.entry()->parameters();
      const Instruction* output = root;
      if (root->opcode() == Opcode::Tuple && !alias.outputIndex.empty()) {
        const int64_t element = alias.outputIndex[0];
        if (element >= 0 && static_cast<size_t>(element) < root->operandCount())
          output = root->operand(static_cast<uint32_t>(element));
      }
      const bool exists = alias.parameter >= 0 && static_cast<size_t>(alias.parameter) < parameters.size() &&
                          parameters[static_cast<size_t>(alias.parameter)] != nullptr;
      if (!exists) continue;
      findOrigins(grouping_.findMade(*output));
      const uint32_t to = shown(grouping_.findMade(*parameters[static_cast<size_t>(alias.parameter)]));
      for (GroupId origin : origins_) {
        const uint32_t from = shown(origin);
        if (from == kNoNode || to == kNoNode || from == to) continue;
        const auto [at, isNew] = known.try_emplace({from, to}, request_.aliases.size());
        if (isNew) request_.aliases.push_back({from, to});
        request_.aliases[at->second].bytes += output->shape().byteSize();
        ++request_.aliases[at->second].count;
      }
    }
  }

  void noteFolded(GroupId folded, GroupId on) {
    if (const uint32_t node = shownAs_[on]; node != kNoNode && !isOpen(on))
      addTag(request_, *grouping_.node(folded).instruction, node);
  }

  bool isOpenCaller(GroupId id) const { return shownAs_[id] != kNoNode && isOpen(id); }

  const Grouping& grouping_;
  const OpenGroups& open_;
  const AliasTags aliases_;
  absl::flat_hash_set<const Computation*> fused_;  // of open fusions
  absl::flat_hash_set<const Instruction*> heroes_;
  std::vector<uint32_t> shownAs_;
  std::vector<FoldKind> fold_;
  std::vector<GroupId> source_;
  std::vector<GroupId> targets_, origins_, waiting_;  // of the edge being added
  GraphRequest request_;
};

SceneMark strongest(SceneMark a, SceneMark b) {
  if (a == SceneMark::kNone) return b;
  if (a == SceneMark::kFault || b == SceneMark::kFault) return SceneMark::kFault;
  return a == b || b == SceneMark::kNone ? a : SceneMark::kChanged;
}

// The marks of shown nodes: their own, or one for all that is marked inside.
std::vector<SceneMark> marksOf(const ShownPlaces& places, size_t nodes, const SceneLook& look) {
  std::vector<SceneMark> marks(nodes, SceneMark::kNone);
  for (const auto& [id, mark] : look.marks) {
    const auto [node, isOwn] = places.of(id);
    if (node == kNoIndex) continue;
    const bool isWhole = isOwn || mark == SceneMark::kFault;
    marks[node] = strongest(marks[node], isWhole ? mark : SceneMark::kChanged);
  }
  return marks;
}

void lightWay(const ShownPlaces& places, const SceneLook& look, Scene& scene) {
  std::vector<uint8_t> isOnWay(scene.nodes.size(), 0);
  for (const InstructionId id : look.way) {
    if (const uint32_t node = places.of(id).node; node != kNoIndex) isOnWay[node] = 1;
  }
  for (SceneEdge& edge : scene.edges)
    edge.lit = edge.kind != SceneEdgeKind::kAlias && isOnWay[edge.from] != 0 && isOnWay[edge.to] != 0;
}

}  // namespace

GraphRequest makeGraphRequest(const Grouping& grouping, const OpenGroups& open,
                              const GraphRequestOptions& options) {
  return RequestBuilder(grouping, open, options).run();
}

GraphRequest makeFlatRequest(Grouping& grouping, std::span<const Instruction* const> instructions,
                             const GraphRequestOptions& options) {
  GraphRequest request;
  absl::flat_hash_map<const Instruction*, uint32_t> indexOf;
  auto isTag = [&](const Instruction& instruction) {
    return options.fold && &instruction != instructions[0] && foldKind(instruction) == FoldKind::Value;
  };
  for (const Instruction* instruction : instructions) {
    if (isTag(*instruction)) continue;
    const GroupId id = grouping.find(*instruction);
    if (id == kNoGroup) return {};
    indexOf.emplace(instruction, static_cast<uint32_t>(request.nodes.size()));
    addNode(request, grouping, id, {kNoNode, 0, 0, grouping.node(id).group, false});
  }
  for (const Instruction* user : instructions) {
    const auto to = indexOf.find(user);
    if (to == indexOf.end()) continue;
    for (const Instruction* operand : user->operands()) {
      if (isTag(*operand)) addTag(request, *operand, to->second);
      if (const auto from = indexOf.find(operand); from != indexOf.end())
        request.input.edges.push_back(
            {from->second, to->second,
             static_cast<uint8_t>(isAsyncPair(*operand, *user) ? SceneEdgeKind::kAsync
                                                               : SceneEdgeKind::kData),
             operand->shape().byteSize()});
    }
    for (const Instruction* before : user->get<Attr::ControlPredecessors>()) {
      if (const auto from = indexOf.find(before); from != indexOf.end())
        request.input.edges.push_back({from->second, to->second, 1, 0});
    }
  }
  measure(request);
  return request;
}

Scene makeGraphScene(const Grouping& grouping, GraphRequest& request, const NestedResult& layout,
                     const SceneLook& look) {
  Scene scene;
  scene.headerHeight = request.input.headerHeight;
  const bool isPlain = look.marks.empty() && look.way.empty();
  const auto places = isPlain ? std::nullopt : std::optional<ShownPlaces>(std::in_place, grouping, request);
  std::vector<SceneMark> marks(request.nodes.size(), SceneMark::kNone);
  if (places) marks = marksOf(*places, request.nodes.size(), look);
  scene.nodes.reserve(request.nodes.size());
  for (uint32_t i = 0; i < request.nodes.size(); ++i) {
    const GroupNode& group = grouping.node(request.nodes[i]);
    NodeText& text = request.texts[i];
    SceneNode node;
    node.id = group.key;
    const NestedRect& rect = layout.rects[i];
    node.rect = QRectF(rect.x, rect.y, rect.width, rect.height);
    node.parent = request.input.nodes[i].parent;
    node.title = std::move(text.title);
    node.subtitle = std::move(text.subtitle);
    node.tags = std::move(text.tags);
    node.role = nodeRole(group);
    node.mark = marks[i];
    node.group = group.group;
    node.open = request.input.nodes[i].open;
    node.emphasised = request.emphasised[i] != 0;
    node.category = request.tints[i];
    scene.nodes.push_back(std::move(node));
  }
  addBundleEdges(layout, scene);
  for (SceneEdge& edge : scene.edges) edge.category = request.tints[edge.to];
  if (places) lightWay(*places, look, scene);
  bendAsyncEdges(scene);
  for (const AliasLink& link : request.aliases)
    addAliasArc(scene, link.from, link.to, link.count, link.bytes);
  return scene;
}

}  // namespace hilo
