#include "ui/views/thunks/thunk_scene.h"

#include <algorithm>
#include <cmath>

#include <absl/container/flat_hash_map.h>

#include "ui/canvas/bundle_edges.h"
#include "ui/models/text_of.h"
#include "ui/views/thunks/heat_scale.h"

namespace hilo {
namespace {

constexpr double kCharPx = 7.8;
constexpr double kLeastWidth = 90, kMostWidth = 260;
constexpr float kHeight = 40;
constexpr size_t kKindColours = 12;
constexpr SceneNodeId kFirstFrame = SceneNodeId{1} << 32;

QString subtitleOf(const StudiedThunk& thunk) {
  QString text = thunk.kind == thunk.name ? QString() : qs(thunk.kind);
  if (const int64_t ns = timeOf(thunk); ns >= 0) text += QStringLiteral("  ") + durationText(ns);
  return text;
}

std::vector<uint8_t> withBodies(const ThunkStudy& study) {
  std::vector<uint8_t> hasBody(study.thunks.size(), 0);
  for (const StudiedThunk& thunk : study.thunks) {
    if (thunk.parent != StudiedThunk::kNone) hasBody[thunk.parent] = 1;
  }
  return hasBody;
}

// What is laid out: thunks, and a frame around those of one part of a thunk that runs several parts.
class Nodes {
 public:
  Nodes(const ThunkStudy& study, const ClosedThunks& closed) : hasBody(withBodies(study)), study_(study) {
    static_assert(kNoNode == StudiedThunk::kNone && kNoNode == kNoIndex);
    std::vector<std::string_view> firstPart(study.thunks.size());
    hasParts_.resize(study.thunks.size(), 0);
    for (const StudiedThunk& thunk : study.thunks) {
      if (thunk.parent == StudiedThunk::kNone) continue;
      std::string_view& first = firstPart[thunk.parent];
      if (first.empty()) first = thunk.part;
      if (first != thunk.part) hasParts_[thunk.parent] = 1;
    }
    for (uint32_t i = 0; i < study.thunks.size(); ++i) addThunk(i, closed);
    for (const ThunkHazard& hazard : study.hazards)
      input.edges.push_back({nodeOf[hazard.from], nodeOf[hazard.to]});
    for (const ThunkRace& race : study.races)
      input.edges.push_back(
          {nodeOf[race.first], nodeOf[race.second], static_cast<uint8_t>(SceneEdgeKind::kMissing)});
  }
  // A thunk of the part that the node frames; null: the node is a thunk.
  const StudiedThunk* frameOf(uint32_t node) const { return frames_[node]; }

  std::vector<uint8_t> hasBody;   // by thunk
  std::vector<uint32_t> nodeOf;   // by thunk
  std::vector<uint32_t> thunkOf;  // by node; of a frame the thunk that runs the part
  NestedInput input;

 private:
  void addThunk(uint32_t index, const ClosedThunks& closed) {
    const StudiedThunk& at = study_.thunks[index];
    const uint32_t parent = at.parent == StudiedThunk::kNone ? kNoNode : parentNode(at);
    const auto letters = static_cast<double>(std::max<qsizetype>(qs(at.name).size(), subtitleOf(at).size()));
    const auto width = static_cast<float>(std::clamp(letters * kCharPx + 18, kLeastWidth, kMostWidth));
    const bool group = hasBody[index] != 0;
    nodeOf.push_back(static_cast<uint32_t>(input.nodes.size()));
    thunkOf.push_back(index);
    frames_.push_back(nullptr);
    input.nodes.push_back({.parent = parent,
                           .width = width,
                           .height = kHeight,
                           .group = group,
                           .open = group && !closed.contains(index),
                           .inRow = hasParts_[index] != 0});
  }

  // The thunk that runs it, or the frame of its part there.
  uint32_t parentNode(const StudiedThunk& thunk) {
    if (hasParts_[thunk.parent] == 0) return nodeOf[thunk.parent];
    const auto [place, isNew] =
        parts_.try_emplace({thunk.parent, thunk.part}, static_cast<uint32_t>(input.nodes.size()));
    if (isNew) {
      thunkOf.push_back(thunk.parent);
      frames_.push_back(&thunk);
      input.nodes.push_back({.parent = nodeOf[thunk.parent],
                             .width = static_cast<float>(kLeastWidth),
                             .height = kHeight,
                             .group = true,
                             .open = true});
    }
    return place->second;
  }

  const ThunkStudy& study_;
  std::vector<uint8_t> hasParts_;
  std::vector<const StudiedThunk*> frames_;  // by node
  absl::flat_hash_map<std::pair<uint32_t, std::string_view>, uint32_t> parts_;
};

// By time where anything is known of it, else by kind.
class Colours {
 public:
  explicit Colours(const ThunkStudy& study) : heat_(heatScaleOf(study)) {}
  void apply(const StudiedThunk& thunk, SceneNode& node) {
    const int64_t ns = timeOf(thunk);
    if (ns > 0) {
      node.heat = static_cast<float>(heat_.share(static_cast<double>(ns)));
      return;
    }
    const auto kind =
        kinds_.try_emplace(thunk.kind, static_cast<int16_t>(kinds_.size() % kKindColours)).first;
    node.category = heat_.isKnown() ? kPlainNode : kind->second;
  }

 private:
  HeatScale heat_;
  absl::flat_hash_map<std::string_view, int16_t> kinds_;
};

}  // namespace

QString hazardText(const ThunkHazard& hazard) {
  QStringList words;
  if (hazard.readAfterWrite) words << QStringLiteral("read after write");
  if (hazard.writeAfterRead) words << QStringLiteral("write after read");
  if (hazard.writeAfterWrite) words << QStringLiteral("write after write");
  if (hazard.keepsOrder) words << QStringLiteral("begins after the other");
  return words.isEmpty() ? QStringLiteral("waits, as XLA printed it") : words.join(QStringLiteral(", "));
}

ClosedThunks closedAtFirst(const ThunkStudy& study) {
  constexpr size_t kMostOpen = 3'000;
  ClosedThunks closed;
  if (study.thunks.size() <= kMostOpen) return closed;
  const std::vector<uint8_t> hasBody = withBodies(study);
  for (uint32_t i = 0; i < study.thunks.size(); ++i) {
    if (hasBody[i] != 0) closed.insert(i);
  }
  return closed;
}

uint32_t thunkAt(SceneNodeId id) { return static_cast<uint32_t>(id < kFirstFrame ? id : (id >> 32) - 1); }

Result<Scene> makeThunkScene(const ThunkStudy& study, const ClosedThunks& closed, const CancelToken& cancel) {
  const Nodes nodes(study, closed);
  LayoutCache cache;
  TRY(const NestedResult layout, layoutNested(nodes.input, cache, cancel));
  Colours colours(study);
  Scene scene;
  std::vector<uint32_t> shownAs(nodes.input.nodes.size(), kNoIndex);
  for (uint32_t i = 0; i < shownAs.size(); ++i) {
    if (layout.visible[i] == 0) continue;
    const NestedNode& laidOut = nodes.input.nodes[i];
    const NestedRect& rect = layout.rects[i];
    shownAs[i] = static_cast<uint32_t>(scene.nodes.size());
    SceneNode& node = scene.nodes.emplace_back();
    node.rect = QRectF(rect.x, rect.y, rect.width, rect.height);
    node.parent = laidOut.parent == kNoNode ? kNoIndex : shownAs[laidOut.parent];
    node.group = laidOut.group;
    node.open = laidOut.open;
    if (node.open) node.role = NodeRole::kScope;
    if (const StudiedThunk* inFrame = nodes.frameOf(i)) {
      node.id = ((SceneNodeId{nodes.thunkOf[i]} + 1) << 32) + i;
      node.title = qs(inFrame->part);
      continue;
    }
    const StudiedThunk& thunk = study.thunks[nodes.thunkOf[i]];
    node.id = nodes.thunkOf[i];
    node.title = qs(thunk.name);
    node.subtitle = subtitleOf(thunk);
    if (!node.open) colours.apply(thunk, node);
  }
  // Where a thunk is not shown, on what is shown around it.
  for (const ThunkRace& race : study.races) {
    for (uint32_t at : {race.first, race.second}) {
      while (shownAs[nodes.nodeOf[at]] == kNoIndex) at = study.thunks[at].parent;
      scene.nodes[shownAs[nodes.nodeOf[at]]].mark = SceneMark::kFault;
    }
  }
  addBundleEdges(layout, scene);
  for (SceneEdge& edge : scene.edges) {
    edge.from = shownAs[edge.from];
    edge.to = shownAs[edge.to];
  }
  return scene;
}

}  // namespace hilo
