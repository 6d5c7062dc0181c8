#include "ui/views/graph/graph_picture.h"

#include "core/analysis/neighbourhood.h"
#include "ui/canvas/layout/layout_files.h"

namespace hilo {
namespace {

constexpr size_t kFocusLimit = 400;

std::vector<const Instruction*> focused(const Module& module, const GraphFocus& focus) {
  const Instruction* centre = module.instruction(focus.centre);
  if (centre == nullptr) return {};
  switch (focus.kind) {
    case FocusKind::Hops:
      return instructionsWithin(*centre, focus.hops, kFocusLimit);
    case FocusKind::Operands:
      return coneOf(*centre, ConeDirection::Operands, kFocusLimit);
    case FocusKind::Users:
      return coneOf(*centre, ConeDirection::Users, kFocusLimit);
    case FocusKind::Paths:
      if (const Instruction* other = module.instruction(focus.other); other != nullptr)
        return pathsBetween(*centre, *other, kFocusLimit);
  }
  return {};
}

}  // namespace

Result<GraphPicture> PictureMaker::make(const GraphOrder& order, LayoutEngine engine,
                                        const CancelToken& cancel) {
  GraphPicture picture;
  prepare(order, picture, cancel);
  if (cancel.cancelled()) return fail("cancelled", "drawing cancelled");
  GraphRequest request = this->request(order, picture);
  request.input.engine = engine;
  TRY(const NestedResult layout, layoutNested(request.input, cache_, cancel));
  picture.refined = layout.refined;
  picture.edgeCount = layout.bundles.size();
  picture.notes = layout.notes;
  note(order, request, picture);
  static const SceneLook kPlain;
  Scene scene = makeGraphScene(*grouping_, request, layout, order.look != nullptr ? *order.look : kPlain);
  if (order.overlay != OverlayKind::None)
    picture.legend = applyOverlay(*grouping_, request, overlay(order), scene);
  picture.scene = std::make_shared<const IndexedScene>(std::move(scene));
  return picture;
}

const Overlay& PictureMaker::overlay(const GraphOrder& order) {
  if (order.overlay == OverlayKind::Given) return *order.given;
  if (order.overlay != overlayKind_ || order.module != overlayOf_) {
    overlay_ = makeOverlay(*order.module, order.overlay);
    overlayKind_ = order.overlay;
    overlayOf_ = order.module;
  }
  return overlay_;
}

void PictureMaker::setLayoutFolder(const std::string& folder) {
  cache_.setFiles(folder.empty() ? nullptr : std::make_shared<const LayoutFiles>(folder));
}

std::vector<InstructionId> PictureMaker::instructionsOf(const Module& module, uint64_t key) const {
  std::vector<InstructionId> ids;
  if (grouping_ == nullptr || &grouping_->module() != &module) return ids;
  std::vector<GroupId> waiting;
  if (const GroupId id = grouping_->findKey(key); id != kNoGroup) waiting.push_back(id);
  while (!waiting.empty()) {
    const GroupNode& node = grouping_->node(waiting.back());
    waiting.pop_back();
    if (node.instruction != nullptr) {
      ids.push_back(node.instruction->id());
    } else {
      waiting.insert(waiting.end(), node.children.begin(), node.children.end());
    }
  }
  return ids;
}

void PictureMaker::forget() {
  grouping_ = nullptr;
  overlay_ = {};
  overlayKind_ = OverlayKind::None;
  overlayOf_ = nullptr;
}

void PictureMaker::prepare(const GraphOrder& order, GraphPicture& picture, const CancelToken& cancel) {
  const bool other = grouping_ == nullptr || &grouping_->module() != order.module.get() ||
                     grouping_->mode() != order.mode || grouping_->wasCancelled();
  if (other)
    grouping_ = std::make_unique<Grouping>(order.module, GroupingOptions{.mode = order.mode}, cancel);
  picture.open = order.open;
  picture.followed = order.followed;
  picture.hasEntry = grouping_->root() != kNoGroup;
  if (!picture.hasEntry) return;
  bool known = false;
  // Callers that were open are made again; what is made on the way comes after.
  for (GroupId id = 0; id < grouping_->nodeCount(); ++id) {
    if (!picture.open.contains(grouping_->node(id).key)) continue;
    known = true;
    if (!grouping_->expand(id, cancel)) return;
  }
  if (order.start && !known) {
    picture.open.clear();
    picture.followed.clear();
    openForFirstLook(*grouping_, picture.open, cancel);
  }
  for (uint64_t key : order.unfold) {
    if (const GroupId id = grouping_->findKey(key); id != kNoGroup)
      openUntilChoice(*grouping_, id, picture.open, cancel);
  }
  if (order.openAll) picture.allOpened = openEverything(*grouping_, picture.open, cancel);
  if (const Instruction* instruction = order.module->instruction(order.reveal); instruction != nullptr)
    openWayTo(*instruction, picture, cancel);
}

void PictureMaker::openWayTo(const Instruction& instruction, GraphPicture& picture,
                             const CancelToken& cancel) {
  const GroupId id = grouping_->find(instruction, cancel);
  if (id == kNoGroup) return;
  for (uint64_t key : picture.followed) picture.open.erase(key);
  picture.followed.clear();
  for (GroupId at = grouping_->node(id).parent; at != kNoGroup; at = grouping_->node(at).parent) {
    const uint64_t key = grouping_->node(at).key;
    if (picture.open.insert(key).second) picture.followed.insert(key);
  }
}

GraphRequest PictureMaker::request(const GraphOrder& order, GraphPicture& picture) {
  if (!order.focus) return makeGraphRequest(*grouping_, picture.open, order.options);
  const std::vector<const Instruction*> shown = focused(*order.module, *order.focus);
  picture.focusCut = shown.size() >= kFocusLimit;
  return shown.empty() ? GraphRequest() : makeFlatRequest(*grouping_, shown, order.options);
}

void PictureMaker::note(const GraphOrder& order, const GraphRequest& request, GraphPicture& picture) const {
  absl::flat_hash_map<GroupId, uint32_t> shownAs;
  shownAs.reserve(request.nodes.size());
  picture.instructions.reserve(request.nodes.size());
  picture.nodeOf.reserve(request.nodes.size() + request.folded.size());
  for (const auto& [instruction, node] : request.folded) picture.nodeOf.try_emplace(instruction, node);
  for (uint32_t i = 0; i < request.nodes.size(); ++i) {
    const GroupNode& node = grouping_->node(request.nodes[i]);
    shownAs.emplace(request.nodes[i], i);
    picture.instructions.push_back(node.instruction);
    if (node.instruction != nullptr) picture.nodeOf[node.instruction] = i;
    if (node.group && !request.input.nodes[i].open)
      picture.opcodes[i] = opcodesIn(*grouping_, request.nodes[i]);
  }
  const Instruction* selected = order.module->instruction(order.selected);
  if (selected == nullptr) return;
  if (const auto node = picture.nodeOf.find(selected); node != picture.nodeOf.end()) {
    picture.selectedNode = node->second;
    return;
  }
  GroupId at = grouping_->findMade(*selected);
  while (at != kNoGroup && !shownAs.contains(at)) at = grouping_->node(at).parent;
  if (at != kNoGroup) picture.selectedNode = shownAs.at(at);
}

}  // namespace hilo
