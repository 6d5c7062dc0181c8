#include "ui/views/memory/map_legend.h"

#include <cmath>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr int kTick = 4;
constexpr int kTickRoom = 70;
constexpr int kSwatch = 14;

enum class Mark : uint8_t { Unused, Selection, SameBuffer, Plan };
struct LegendEntry {
  Mark mark;
  const char* text;
};
constexpr LegendEntry kEntries[] = {{Mark::Unused, "unused"},
                                    {Mark::Selection, "selection"},
                                    {Mark::SameBuffer, "same buffer"},
                                    {Mark::Plan, "size of the plan"}};

void paintMark(QPainter& painter, Mark mark, const QRect& box, const Theme& theme) {
  switch (mark) {
    case Mark::Unused:
      painter.fillRect(box, theme.colour(ColourRole::kGroupFillAlt));
      painter.fillRect(box, QBrush(theme.colour(ColourRole::kGroupBorder), Qt::BDiagPattern));
      return;
    case Mark::Selection:
    case Mark::SameBuffer:
      painter.setPen(mark == Mark::Selection ? QPen(theme.colour(ColourRole::kAccent), 2)
                                             : QPen(theme.colour(ColourRole::kAccent), 1, Qt::DashLine));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(box.adjusted(1, 1, -1, -1));
      return;
    case Mark::Plan:
      painter.setPen(QPen(theme.colour(ColourRole::kTextDim), 1, Qt::DashLine));
      painter.drawLine(box.left(), box.center().y(), box.right(), box.center().y());
      return;
  }
}

}  // namespace

int64_t stepsBetweenTicks(double steps, int most) {
  const double least = std::max(1.0, steps / std::max(1, most));
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const int times : {1, 2, 5}) {
    if (times * power >= least) return static_cast<int64_t>(times * power);
  }
  return static_cast<int64_t>(10 * power);
}

void paintRuler(QPainter& painter, const QRect& line, const MapWindow& window, bool isTime,
                const Theme& theme) {
  const int64_t between = stepsBetweenTicks(window.steps, line.width() / kTickRoom);
  painter.setPen(theme.colour(ColourRole::kTextDim));
  for (auto step = static_cast<int64_t>(window.step) / between * between;
       static_cast<double>(step) < window.step + window.steps; step += between) {
    const int x = line.left() + static_cast<int>(xOf(static_cast<double>(step), window, line.size()));
    if (x < line.left()) continue;
    painter.drawLine(x, line.top(), x, line.top() + kTick);
    const QRect text(x + 3, line.top() + 1, kTickRoom, line.height() - 1);
    if (text.right() <= line.right() + kTickRoom / 3)
      painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, isTime ? durationText(step) : countText(step));
  }
}

int paintMapLegend(QPainter& painter, const QRect& line, int taken, const Theme& theme) {
  const QFontMetrics metrics = painter.fontMetrics();
  int width = 0;
  for (const LegendEntry& entry : kEntries)
    width += kSwatch + kSpaceSmall + metrics.horizontalAdvance(entry.text) + kSpace;
  if (taken + kSpace + width > line.width()) return 0;
  int x = line.right() - width;
  for (const LegendEntry& entry : kEntries) {
    paintMark(painter, entry.mark, QRect(x, line.center().y() - 5, kSwatch, 11), theme);
    x += kSwatch + kSpaceSmall;
    painter.setPen(theme.colour(ColourRole::kTextDim));
    painter.drawText(QRect(x, line.top(), metrics.horizontalAdvance(entry.text) + 2, line.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, entry.text);
    x += metrics.horizontalAdvance(entry.text) + kSpace;
  }
  return width;
}

}  // namespace hilo
