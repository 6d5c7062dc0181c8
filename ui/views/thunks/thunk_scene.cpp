#include "ui/views/thunks/thunk_scene.h"

#include <algorithm>
#include <cmath>

#include <absl/container/flat_hash_map.h>

#include "ui/canvas/layout/nested_layout.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

constexpr double kDecades = 4;  // of time, that the colours span
constexpr double kCharPx = 7.2;
constexpr double kLeastWidth = 90, kMostWidth = 260;
constexpr float kHeight = 40;
constexpr size_t kKindColours = 12;

QString subtitleOf(const StudiedThunk& thunk) {
  QString text = thunk.kind == thunk.name ? QString() : qs(thunk.kind);
  if (!thunk.part.empty()) text = qs(thunk.part) + QStringLiteral(" · ") + text;
  if (const int64_t ns = timeOf(thunk); ns >= 0) text += QStringLiteral("  ") + durationText(ns);
  return text;
}

NestedInput inputOf(const ThunkStudy& study, const std::vector<uint8_t>& hasBody) {
  static_assert(kNoNode == StudiedThunk::kNone && kNoNode == kNoIndex);
  NestedInput input;
  for (size_t thunk = 0; thunk < study.thunks.size(); ++thunk) {
    const StudiedThunk& at = study.thunks[thunk];
    const auto letters = static_cast<double>(std::max<qsizetype>(qs(at.name).size(), subtitleOf(at).size()));
    const auto width = static_cast<float>(std::clamp(letters * kCharPx + 18, kLeastWidth, kMostWidth));
    const bool group = hasBody[thunk] != 0;
    input.nodes.push_back(
        {.parent = at.parent, .width = width, .height = kHeight, .group = group, .open = group});
  }
  for (const ThunkHazard& hazard : study.hazards) input.edges.push_back({hazard.from, hazard.to});
  return input;
}

}  // namespace

int64_t timeOf(const StudiedThunk& thunk) { return thunk.measuredNs >= 0 ? thunk.measuredNs : thunk.guessNs; }

QString hazardText(const ThunkHazard& hazard) {
  QStringList words;
  if (hazard.readAfterWrite) words << QStringLiteral("reads what the other wrote");
  if (hazard.writeAfterRead) words << QStringLiteral("writes what the other read");
  if (hazard.writeAfterWrite) words << QStringLiteral("writes what the other wrote");
  return words.isEmpty() ? QStringLiteral("waits, as XLA printed it") : words.join(QStringLiteral(", "));
}

Result<Scene> makeThunkScene(const ThunkStudy& study, const CancelToken& cancel) {
  const size_t count = study.thunks.size();
  std::vector<uint8_t> hasBody(count, 0);
  for (const StudiedThunk& thunk : study.thunks) {
    if (thunk.parent != StudiedThunk::kNone) hasBody[thunk.parent] = 1;
  }
  const NestedInput input = inputOf(study, hasBody);
  LayoutCache cache;
  TRY(const NestedResult layout, layoutNested(input, cache, cancel));
  int64_t longest = 1;
  for (size_t i = 0; i < count; ++i) {
    if (hasBody[i] == 0) longest = std::max(longest, timeOf(study.thunks[i]));
  }
  const bool timed = longest > 1;
  absl::flat_hash_map<std::string_view, int16_t> kinds;
  Scene scene;
  for (uint32_t i = 0; i < count; ++i) {
    const StudiedThunk& thunk = study.thunks[i];
    const NestedRect& rect = layout.rects[i];
    SceneNode node;
    node.id = i;
    node.rect = QRectF(rect.x, rect.y, rect.width, rect.height);
    node.parent = input.nodes[i].parent;
    node.title = qs(thunk.name);
    node.subtitle = subtitleOf(thunk);
    node.group = node.open = hasBody[i] != 0;
    const int64_t ns = timeOf(thunk);
    if (ns > 0 && !node.open) {
      const double share = 1 + std::log10(static_cast<double>(ns) / static_cast<double>(longest)) / kDecades;
      node.heat = static_cast<float>(std::clamp(share, 0.0, 1.0));
    } else if (!node.open) {
      // Where nothing is known of times, kinds have colours.
      const auto kind =
          kinds.try_emplace(thunk.kind, static_cast<int16_t>(kinds.size() % kKindColours)).first;
      node.category = timed ? kPlainNode : kind->second;
    }
    scene.nodes.push_back(std::move(node));
  }
  for (const LayoutPoint& point : layout.points) scene.points.emplace_back(point.x, point.y);
  for (const NestedBundle& bundle : layout.bundles) {
    SceneEdge edge;
    edge.from = bundle.from;
    edge.to = bundle.to;
    edge.firstPoint = bundle.firstPoint;
    edge.pointCount = bundle.pointCount;
    edge.shortened = bundle.shortened;
    scene.edges.push_back(edge);
  }
  return scene;
}

}  // namespace hilo
