#include "ui/views/thunks/thunk_scene.h"

#include <algorithm>
#include <cmath>

#include <absl/container/flat_hash_map.h>

#include "ui/canvas/bundle_edges.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

constexpr double kDecades = 4;  // of time, that the colours span
constexpr double kCharPx = 7.8;
constexpr double kLeastWidth = 90, kMostWidth = 260;
constexpr float kHeight = 40;
constexpr size_t kKindColours = 12;

QString subtitleOf(const StudiedThunk& thunk) {
  QString text = thunk.kind == thunk.name ? QString() : qs(thunk.kind);
  if (!thunk.part.empty())
    text = qs(thunk.part) + (text.isEmpty() ? QString() : QStringLiteral(" · ") + text);
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

NestedInput inputOf(const ThunkStudy& study, const std::vector<uint8_t>& hasBody,
                    const ClosedThunks& closed) {
  static_assert(kNoNode == StudiedThunk::kNone && kNoNode == kNoIndex);
  NestedInput input;
  for (uint32_t thunk = 0; thunk < study.thunks.size(); ++thunk) {
    const StudiedThunk& at = study.thunks[thunk];
    const auto letters = static_cast<double>(std::max<qsizetype>(qs(at.name).size(), subtitleOf(at).size()));
    const auto width = static_cast<float>(std::clamp(letters * kCharPx + 18, kLeastWidth, kMostWidth));
    const bool group = hasBody[thunk] != 0;
    input.nodes.push_back({.parent = at.parent,
                           .width = width,
                           .height = kHeight,
                           .group = group,
                           .open = group && !closed.contains(thunk)});
  }
  for (const ThunkHazard& hazard : study.hazards) input.edges.push_back({hazard.from, hazard.to});
  for (const ThunkRace& race : study.races)
    input.edges.push_back({race.first, race.second, static_cast<uint8_t>(SceneEdgeKind::kMissing)});
  return input;
}

// By time where anything is known of it, else by kind.
class Colours {
 public:
  Colours(const ThunkStudy& study, const std::vector<uint8_t>& hasBody) {
    for (size_t i = 0; i < study.thunks.size(); ++i) {
      if (hasBody[i] == 0) longest_ = std::max(longest_, timeOf(study.thunks[i]));
    }
  }
  void apply(const StudiedThunk& thunk, SceneNode& node) {
    const int64_t ns = timeOf(thunk);
    if (ns > 0) {
      const double share = 1 + std::log10(static_cast<double>(ns) / static_cast<double>(longest_)) / kDecades;
      node.heat = static_cast<float>(std::clamp(share, 0.0, 1.0));
      return;
    }
    const auto kind =
        kinds_.try_emplace(thunk.kind, static_cast<int16_t>(kinds_.size() % kKindColours)).first;
    node.category = longest_ > 1 ? kPlainNode : kind->second;
  }

 private:
  int64_t longest_ = 1;
  absl::flat_hash_map<std::string_view, int16_t> kinds_;
};

}  // namespace

int64_t timeOf(const StudiedThunk& thunk) { return thunk.measuredNs >= 0 ? thunk.measuredNs : thunk.guessNs; }

QString hazardText(const ThunkHazard& hazard) {
  QStringList words;
  if (hazard.readAfterWrite) words << QStringLiteral("reads what the other wrote");
  if (hazard.writeAfterRead) words << QStringLiteral("writes what the other read");
  if (hazard.writeAfterWrite) words << QStringLiteral("writes what the other wrote");
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

Result<Scene> makeThunkScene(const ThunkStudy& study, const ClosedThunks& closed, const CancelToken& cancel) {
  const std::vector<uint8_t> hasBody = withBodies(study);
  const NestedInput input = inputOf(study, hasBody, closed);
  LayoutCache cache;
  TRY(const NestedResult layout, layoutNested(input, cache, cancel));
  Colours colours(study, hasBody);
  Scene scene;
  std::vector<uint32_t> nodeOf(study.thunks.size(), kNoIndex);
  for (uint32_t i = 0; i < study.thunks.size(); ++i) {
    if (layout.visible[i] == 0) continue;
    const StudiedThunk& thunk = study.thunks[i];
    const NestedRect& rect = layout.rects[i];
    nodeOf[i] = static_cast<uint32_t>(scene.nodes.size());
    SceneNode node;
    node.id = i;
    node.rect = QRectF(rect.x, rect.y, rect.width, rect.height);
    node.parent = thunk.parent == StudiedThunk::kNone ? kNoIndex : nodeOf[thunk.parent];
    node.title = qs(thunk.name);
    node.subtitle = subtitleOf(thunk);
    node.group = hasBody[i] != 0;
    node.open = input.nodes[i].open;
    if (!node.open) colours.apply(thunk, node);
    scene.nodes.push_back(std::move(node));
  }
  // Where a thunk is not shown, on what is shown around it.
  for (const ThunkRace& race : study.races) {
    for (uint32_t at : {race.first, race.second}) {
      while (nodeOf[at] == kNoIndex) at = study.thunks[at].parent;
      scene.nodes[nodeOf[at]].mark = SceneMark::kFault;
    }
  }
  addBundleEdges(layout, scene);
  for (SceneEdge& edge : scene.edges) {
    edge.from = nodeOf[edge.from];
    edge.to = nodeOf[edge.to];
  }
  return scene;
}

}  // namespace hilo
