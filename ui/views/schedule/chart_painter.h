// Draws a chart's rows through an axis view. What is narrower than a pixel is gathered by columns of pixels,
// so that a frame costs what the window is wide, plus a look at each event in sight.
#pragma once

#include <QFont>
#include <QPainter>
#include <QRectF>
#include <array>

#include "ui/canvas/axis_view.h"
#include "ui/style/colours.h"
#include "ui/views/schedule/chart_rows.h"
#include "ui/views/schedule/shown_order.h"

namespace hilo {

struct ChartLook {
  const Theme* theme = &lightTheme();
  AxisView view;
  double left = 0;   // of the plot, in the window
  double width = 0;  // of the plot
  InstructionId selected;
  InstructionId hovered;
  bool active = true;     // of two charts, the one that is edited
  int64_t mostBytes = 0;  // of the memory rows of all charts
  double longest = 0;     // of the axes of all charts
  bool critical = true;   // mark the longest chain
};

// Keeps its buffers between frames. UI thread.
class ChartPainter {
 public:
  void paint(QPainter& painter, const ShownOrder& order, std::span<const ChartRow> rows, const QString& title,
             const ChartLook& look);

 private:
  static constexpr size_t kRoles = static_cast<size_t>(NodeRole::kCount);
  struct Column;

  void paintTitle(const ChartRow& row, const QString& title);
  void paintBlockBands(std::span<const ChartRow> rows);
  void paintBlocks(const ChartRow& row);
  void paintLane(const ChartRow& row);
  void addEvent(const ChartRow& row, uint32_t index, Column& column);
  void addWide(const ChartRow& row, uint32_t index, double x, double wide);
  void flush(const ChartRow& row, Column& column);
  void drawGathered();
  void drawLabels();
  void paintGroups(std::span<const ChartRow> rows);
  void paintMemory(const ChartRow& row);
  void paintMarks(std::span<const ChartRow> rows);
  void paintRelations(std::span<const ChartRow> rows);
  void paintLabel(const ChartRow& row);
  // The stretch of a row between two places, cut to what the window shows: painting counts in no more
  // than 32 bits.
  QRectF cut(const ChartRow& row, double from, double to) const;
  void hatch(const QRectF& rect, bool border);
  double toX(double at) const { return look_->left + look_->view.toX(at); }
  QColor colour(ColourRole role) const { return look_->theme->colour(role); }
  std::optional<QRectF> rectOf(uint32_t event, std::span<const ChartRow> rows) const;

  struct Label {
    QRectF rect;
    uint32_t event;
    NodeRole role;
  };
  std::array<std::vector<QRectF>, kRoles> wide_, narrow_, thin_;
  std::vector<QRectF> exposed_, exposedThin_, critical_;
  std::vector<Label> labels_;
  std::vector<double> columns_;

  // Of the frame being painted.
  QPainter* painter_ = nullptr;
  const ShownOrder* order_ = nullptr;
  const ChartLook* look_ = nullptr;
};

}  // namespace hilo
