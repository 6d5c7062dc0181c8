#include "ui/views/memory/map_scene.h"

namespace hilo {

void MapScene::setPlan(std::shared_ptr<const MemoryPlans> plans, const MemoryPlan* plan,
                       const QString& title) {
  drawn_.plans = std::move(plans);
  drawn_.plan = plan;
  drawn_.title = title;
  drawn_.categories.clear();
  drawn_.selected = {};
  drawn_.pointed = {};
  drawn_.axis = MapAxis::ofSteps(plan == nullptr ? 1 : plan->profile.liveBytes.size());
  layOut();
  drawn_.cursor = drawn_.plan == nullptr ? 0 : drawn_.plan->profile.peakStep;
  fit();
}

void MapScene::setContent(MapContent content) {
  if (content == content_) return;
  content_ = content;
  layOut();
  keepTime();
}

void MapScene::setAxis(MapAxis axis) {
  drawn_.axis = std::move(axis);
  layOut();
  fit();
}

void MapScene::setCategories(std::vector<size_t> categories) {
  drawn_.categories = std::move(categories);
  Q_EMIT changed(true);
}

void MapScene::setCursor(int64_t step) {
  if (drawn_.plan == nullptr) return;
  drawn_.cursor =
      std::clamp<int64_t>(step, 0, static_cast<int64_t>(drawn_.plan->profile.liveBytes.size()) - 1);
  // The window follows a cursor that leaves it.
  MapWindow next = drawn_.window;
  const double from = drawn_.axis.at(drawn_.cursor), to = drawn_.axis.at(drawn_.cursor + 1);
  if (from < next.step || to > next.step + next.steps) next.step = from - next.steps / 2;
  setWindow(clamped(next, whole_), true);
  Q_EMIT changed(false);
}

void MapScene::setPointed(std::optional<MapPlace> place) {
  if (place == drawn_.pointed || drawn_.plan == nullptr) return;
  drawn_.pointed = place;
  Q_EMIT changed(false);
}

void MapScene::setSelected(InstructionId instruction) {
  drawn_.selected = instruction;
  Q_EMIT changed(false);
}

void MapScene::setLimit(int64_t bytes) {
  drawn_.limit = bytes;
  Q_EMIT changed(false);
}

void MapScene::setActive(bool active) {
  drawn_.active = active;
  Q_EMIT changed(false);
}

void MapScene::setScale(int64_t mapBytes, int64_t curveBytes) {
  leastMap_ = mapBytes;
  drawn_.leastCurve = curveBytes;
  if (drawn_.plan == nullptr) return;
  whole_ = wholeMap(drawn_.axis, drawn_.bands, leastMap_);
  keepTime();
  Q_EMIT changed(false);
}

// All addresses, at the same time as before.
void MapScene::keepTime() {
  MapWindow next = whole_;
  next.step = drawn_.window.step;
  next.steps = drawn_.window.steps;
  setWindow(clamped(next, whole_), false);
}

void MapScene::layOut() {
  drawn_.bands.clear();
  drawn_.boxes.clear();
  whole_ = {};
  if (drawn_.plan != nullptr) {
    drawn_.bands = layOutBands(drawn_.plan->assignment, content_);
    drawn_.boxes = layOutBoxes(drawn_.plan->profile, drawn_.bands, drawn_.axis);
    whole_ = wholeMap(drawn_.axis, drawn_.bands, leastMap_);
  }
  Q_EMIT changed(true);
}

void MapScene::setWindow(const MapWindow& window, bool tell) {
  if (window == drawn_.window) return;
  const bool moved = window.step != drawn_.window.step || window.steps != drawn_.window.steps;
  drawn_.window = window;
  Q_EMIT changed(true);
  if (tell && moved) Q_EMIT timeWindowChanged(drawn_.window.step, drawn_.window.steps);
}

void MapScene::setTimeWindow(double from, double length) {
  MapWindow next = drawn_.window;
  next.step = from;
  next.steps = length;
  setWindow(clamped(next, whole_), false);
}

void MapScene::fit() { setWindow(whole_, true); }

void MapScene::zoom(double factor, std::optional<double> atStep, std::optional<double> atBytes) {
  setWindow(clamped(zoomed(drawn_.window, factor, atStep, atBytes), whole_), true);
}

void MapScene::zoomAtCursor(double factor) {
  const double middle = (drawn_.axis.at(drawn_.cursor) + drawn_.axis.at(drawn_.cursor + 1)) / 2;
  zoom(factor, std::clamp((middle - drawn_.window.step) / drawn_.window.steps, 0.0, 1.0), {});
}

void MapScene::pan(double time, double bytes) {
  MapWindow next = drawn_.window;
  next.step += time * drawn_.window.steps;
  next.bytes += bytes * drawn_.window.height;
  setWindow(clamped(next, whole_), true);
}

std::optional<size_t> MapScene::valueAt(QPointF place, QSizeF size) const {
  if (drawn_.plan == nullptr) return std::nullopt;
  const auto box = boxAt(drawn_.boxes, drawn_.window, size, place);
  return box ? std::optional(drawn_.boxes[*box].value) : std::nullopt;
}

QRectF MapScene::rectOfValue(size_t value, QSizeF size) const {
  const auto box = std::ranges::find(drawn_.boxes, value, &MapBox::value);
  return box == drawn_.boxes.end() ? QRectF() : rectOf(*box, drawn_.window, size);
}

}  // namespace hilo
