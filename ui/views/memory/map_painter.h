// Draws one plan: its values by address and time, the axes, and under them how much is in use.
#pragma once

#include <QImage>
#include <QPainter>
#include <memory>

#include "core/workspace/memory/memory_plans.h"
#include "ui/style/colours.h"
#include "ui/views/memory/memory_map_layout.h"

namespace hilo {

// What is in no named group (kPlainCategory) has a colour of its own that is none of the page.
NodeColours groupColours(size_t category, const Theme& theme);

// All that is to be seen of a plan; `plan` is one of `plans`.
struct DrawnMap {
  std::shared_ptr<const MemoryPlans> plans;
  const MemoryPlan* plan = nullptr;
  QString title;
  std::vector<size_t> categories;  // by position in the profile: what groupColours() takes
  std::vector<MapBand> bands;
  std::vector<MapBox> boxes;
  MapAxis axis;
  MapWindow window;
  int64_t cursor = 0;
  std::optional<MapPlace> pointed;  // where the pointer is, in this map or in another view along time
  int64_t limit = 0;                // bytes the device has; 0: not said
  int64_t leastCurve = 0;           // what the curve is at least high
  InstructionId selected;
  bool active = false;

  size_t categoryOf(size_t value) const {
    return value < categories.size() ? categories[value] : kPlainCategory;
  }
};

inline constexpr int kMapTitleHeight = 22, kMapAxisWidth = 66;

// The values, and below them what is in use.
struct MapAreas {
  QRect map, curve;
};
MapAreas areasIn(const QRect& all);

QImage imageOfBoxes(const DrawnMap& drawn, QSize size, double ratio, const Theme& theme);

// Its arguments must outlive it.
class MapPainter {
 public:
  MapPainter(const DrawnMap& drawn, const QRect& all, const Theme& theme, QPainter& painter);
  // `boxes` is imageOfBoxes() of the map's area.
  void paint(const QImage& boxes) const;

 private:
  void paintTitle() const;
  void paintBands() const;
  void paintAxis() const;
  void paintLabels() const;
  void paintSelected() const;
  int64_t curveTop() const;
  void paintCurve() const;
  void paintCurveLine(int64_t bytes, const QColor& colour, const QString& text, Qt::Alignment side) const;
  void paintCursor() const;
  void paintPointed() const;

  const DrawnMap& drawn_;
  const int width_;
  const QRect map_, curve_;
  const Theme& theme_;
  QPainter& painter_;
};

}  // namespace hilo
