// One plan laid out on an axis, and the part of it that is seen: where its values lie, zoom and pan within
// the whole. UI thread.
#pragma once

#include <QObject>

#include "ui/views/memory/map_painter.h"

namespace hilo {

class MapScene : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  // `plan` is one of `plans`; nullptr shows nothing.
  void setPlan(std::shared_ptr<const MemoryPlans> plans, const MemoryPlan* plan, const QString& title);
  void setContent(MapContent content);
  // All of it is in sight again. Of as many steps as the plan has.
  void setAxis(MapAxis axis);
  // By position in the profile; what categoryColours() takes.
  void setCategories(std::vector<size_t> categories);
  void setCursor(int64_t step);
  // Of the plan's steps; nullopt: nothing is pointed at.
  void setPointed(std::optional<MapPlace> place);
  void setSelected(InstructionId instruction);
  // What the map and the curve below it are at least high, so that two plans are drawn to one scale.
  void setScale(int64_t mapBytes, int64_t curveBytes);
  // Bytes the device has; 0: not said.
  void setLimit(int64_t bytes);
  // Whose values the tables beside the maps list.
  void setActive(bool active);

  // As another map of the same axis has it: tells nobody.
  void setTimeWindow(double from, double length);
  void fit();
  // By a factor about a point, by shares of the window from 0 to 1; of the cursor alone.
  void zoom(double factor, std::optional<double> atStep, std::optional<double> atBytes);
  void zoomAtCursor(double factor);
  // By shares of the window: negative shows what is earlier, and lower.
  void pan(double time, double bytes);

  const DrawnMap& drawn() const { return drawn_; }
  const MemoryPlan* plan() const { return drawn_.plan; }
  int64_t shownBytes() const { return heightOf(drawn_.bands); }
  // Places are in an area of this size.
  std::optional<size_t> valueAt(QPointF place, QSizeF size) const;
  QRectF rectOfValue(size_t value, QSizeF size) const;

 Q_SIGNALS:
  // Boxes: where they lie or how they are coloured; else only what is drawn above them.
  void changed(bool boxes);
  void timeWindowChanged(double from, double length);

 private:
  void layOut();
  void keepTime();
  void setWindow(const MapWindow& window, bool tell);

  DrawnMap drawn_;
  MapContent content_ = MapContent::kTemporaries;
  MapWindow whole_;
  int64_t leastMap_ = 0;
};

}  // namespace hilo
