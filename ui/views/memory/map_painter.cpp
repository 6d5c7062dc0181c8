#include "ui/views/memory/map_painter.h"

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/memory/map_legend.h"

namespace hilo {
namespace {

constexpr int kCurveHeight = 84;
constexpr int kRulerHeight = 15;
constexpr int kStepsHeight = kRulerHeight + 18;
constexpr int kSmallFontPx = 11;
constexpr int kLabelWidth = 54, kLabelHeight = 13;  // boxes smaller than this have no name

}  // namespace

NodeColours groupColours(size_t category, const Theme& theme) {
  if (category != kPlainCategory) return categoryColours(category, theme.dark);
  return {theme.colour(ColourRole::kBorder), theme.colour(ColourRole::kTextFaint),
          theme.colour(ColourRole::kText)};
}

MapAreas areasIn(const QRect& all) {
  const QRect map =
      all.adjusted(kMapAxisWidth, kMapTitleHeight, -kSpace, -kCurveHeight - kStepsHeight - kSpaceSmall);
  return {map, {map.left(), map.bottom() + 1 + kSpaceSmall, map.width(), kCurveHeight}};
}

QImage imageOfBoxes(const DrawnMap& drawn, QSize size, double ratio, const Theme& theme) {
  QImage image(size * ratio, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  absl::flat_hash_map<size_t, std::pair<QRgb, QRgb>> known;
  std::vector<QRgb> fills, edges;
  for (const MapBox& box : drawn.boxes) {
    const size_t category = drawn.categoryOf(box.value);
    const auto [at, isNew] = known.try_emplace(category);
    if (isNew) {
      const NodeColours colours = groupColours(category, theme);
      at->second = {colours.fill.rgb(), colours.border.rgb()};
    }
    fills.push_back(at->second.first);
    edges.push_back(at->second.second);
  }
  fillBoxes(image, drawn.boxes, drawn.window, fills, edges);
  image.setDevicePixelRatio(ratio);
  return image;
}

MapPainter::MapPainter(const DrawnMap& drawn, const QRect& all, const Theme& theme, QPainter& painter)
    : drawn_(drawn),
      width_(all.width()),
      map_(areasIn(all).map),
      curve_(areasIn(all).curve),
      theme_(theme),
      painter_(painter) {}

void MapPainter::paint(const QImage& boxes) const {
  painter_.setFont(uiFont(kSmallFontPx));
  paintTitle();
  paintBands();
  painter_.drawImage(map_.topLeft(), boxes);
  paintAxis();
  painter_.save();
  painter_.setClipRect(map_);
  paintLabels();
  paintSelected();
  painter_.restore();
  paintCurve();
  paintCursor();
  paintPointed();
}

void MapPainter::paintTitle() const {
  QFont bold = uiFont(12);
  bold.setBold(drawn_.active);
  painter_.setFont(bold);
  painter_.setPen(theme_.colour(drawn_.active ? ColourRole::kText : ColourRole::kTextDim));
  const QRect line(kSpace, 0, width_ - 2 * kSpace, kMapTitleHeight);
  painter_.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                    painter_.fontMetrics().elidedText(drawn_.title, Qt::ElideRight, line.width()));
  const int taken = painter_.fontMetrics().horizontalAdvance(drawn_.title);
  painter_.setFont(uiFont(kSmallFontPx));
  paintMapLegend(painter_, line, taken, theme_);
}

// What is allocated and nobody's at the moment: hatched, where no box covers it.
void MapPainter::paintBands() const {
  const QRect& area = map_;
  painter_.save();
  painter_.setClipRect(area);
  painter_.translate(area.topLeft());
  for (const MapBand& band : drawn_.bands) {
    const double top = yOf(static_cast<double>(band.baseBytes + band.sizeBytes), drawn_.window, area.size());
    const double bottom = yOf(static_cast<double>(band.baseBytes), drawn_.window, area.size());
    const QRectF rect(0, top, area.width(), bottom - top);
    painter_.fillRect(rect, theme_.colour(ColourRole::kGroupFillAlt));
    painter_.fillRect(rect, QBrush(theme_.colour(ColourRole::kGroupBorder), Qt::BDiagPattern));
  }
  painter_.restore();
}

void MapPainter::paintAxis() const {
  const QRect& area = map_;
  const int64_t step = axisStepBytes(drawn_.window.height, std::max(2, area.height() / 48));
  painter_.setPen(theme_.colour(ColourRole::kTextDim));
  const auto first = static_cast<int64_t>(drawn_.window.bytes) / step * step;
  for (int64_t bytes = first; static_cast<double>(bytes) <= drawn_.window.bytes + drawn_.window.height;
       bytes += step) {
    const int y = area.top() + static_cast<int>(yOf(static_cast<double>(bytes), drawn_.window, area.size()));
    if (y < area.top() || y > area.bottom() + 1) continue;
    painter_.drawLine(area.left() - 4, y, area.left() - 1, y);
    painter_.drawText(QRect(0, y - 8, kMapAxisWidth - 7, 16), Qt::AlignRight | Qt::AlignVCenter,
                      bytesText(bytes));
  }
  painter_.setPen(theme_.colour(ColourRole::kBorder));
  painter_.setBrush(Qt::NoBrush);
  painter_.drawRect(area.adjusted(-1, -1, 0, 0));
  // Where one allocation ends and the next begins.
  painter_.setPen(QPen(theme_.colour(ColourRole::kTextDim), 1));
  for (size_t i = 1; i < drawn_.bands.size() && drawn_.bands.size() <= 64; ++i) {
    const int y = area.top() + static_cast<int>(yOf(static_cast<double>(drawn_.bands[i].baseBytes),
                                                    drawn_.window, area.size()));
    if (y > area.top() && y < area.bottom() && drawn_.bands[i].kind != drawn_.bands[i - 1].kind)
      painter_.drawLine(area.left() - 4, y, area.right(), y);
  }
}

void MapPainter::paintLabels() const {
  const QRect& area = map_;
  const QFontMetrics metrics = painter_.fontMetrics();
  for (const MapBox& box : drawn_.boxes) {
    const QRectF rect = rectOf(box, drawn_.window, area.size()).translated(area.topLeft()).intersected(area);
    if (rect.width() < kLabelWidth || rect.height() < kLabelHeight) continue;
    painter_.setPen(groupColours(drawn_.categoryOf(box.value), theme_).text);
    const QRectF text = rect.adjusted(4, 0, -4, 0);
    painter_.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                      metrics.elidedText(qs(drawn_.plan->profile.values[box.value].name), Qt::ElideMiddle,
                                         static_cast<int>(text.width())));
  }
}

void MapPainter::paintSelected() const {
  if (!drawn_.selected.valid()) return;
  const QRect& area = map_;
  // What shares its place is outlined thinly.
  absl::flat_hash_set<uint32_t> places;
  for (const MapBox& box : drawn_.boxes) {
    const PlacedValue& value = drawn_.plan->profile.values[box.value];
    if (value.instruction == drawn_.selected) places.insert(value.place);
  }
  painter_.setBrush(Qt::NoBrush);
  for (const bool own : {false, true}) {
    for (const MapBox& box : drawn_.boxes) {
      const PlacedValue& value = drawn_.plan->profile.values[box.value];
      if (!places.contains(value.place) || (value.instruction == drawn_.selected) != own) continue;
      const QRectF rect = rectOf(box, drawn_.window, area.size()).translated(area.topLeft());
      if (own) {
        painter_.setPen(QPen(theme_.colour(ColourRole::kSurface), 4));
        painter_.drawRect(rect);
      }
      painter_.setPen(own ? QPen(theme_.colour(ColourRole::kAccent), 2)
                          : QPen(theme_.colour(ColourRole::kAccent), 1, Qt::DashLine));
      painter_.drawRect(rect);
    }
  }
}

int64_t MapPainter::curveTop() const {
  return std::max({drawn_.leastCurve, drawn_.plan->profile.totals.total, drawn_.plan->profile.peakBytes,
                   drawn_.limit, int64_t{1}});
}

void MapPainter::paintCurveLine(int64_t bytes, const QColor& colour, const QString& text,
                                Qt::Alignment side) const {
  const QRect& area = curve_;
  const int y = area.bottom() - static_cast<int>(static_cast<double>(bytes) /
                                                 (static_cast<double>(curveTop()) * 1.12) * area.height());
  painter_.setPen(QPen(colour, 1, Qt::DashLine));
  painter_.drawLine(area.left(), y, area.right(), y);
  painter_.setPen(colour);
  const QRect above(area.left() + 4, y - 14, area.width() - 8, 13);
  const QRect below(area.left() + 4, y + 1, area.width() - 8, 13);
  painter_.drawText(y - 14 < area.top() ? below : above, side | Qt::AlignVCenter, text);
}

void MapPainter::paintCurve() const {
  const QRect& area = curve_;
  const std::vector<int64_t>& live = drawn_.plan->profile.liveBytes;
  const double scale = area.height() / (static_cast<double>(curveTop()) * 1.12);
  painter_.fillRect(area, theme_.colour(ColourRole::kSurfaceRaised));
  const QColor inUse = theme_.colour(ColourRole::kAccent), over = theme_.colour(ColourRole::kError);
  for (int x = 0; x < area.width(); ++x) {
    const int64_t from = drawn_.axis.stepAt(stepAt(x, drawn_.window, area.size()));
    const int64_t to = std::max(from, drawn_.axis.stepAt(stepAt(x + 1, drawn_.window, area.size()) - 1e-6));
    int64_t most = 0;
    for (int64_t step = from; step <= to && step < static_cast<int64_t>(live.size()); ++step)
      most = std::max(most, live[static_cast<size_t>(step)]);
    const int height = static_cast<int>(static_cast<double>(most) * scale);
    QColor colour = drawn_.limit > 0 && most > drawn_.limit ? over : inUse;
    colour.setAlpha(90);
    painter_.fillRect(area.left() + x, area.bottom() + 1 - height, 1, height, colour);
    painter_.fillRect(area.left() + x, area.bottom() - height, 1, 1,
                      drawn_.limit > 0 && most > drawn_.limit ? over : inUse);
  }
  paintCurveLine(drawn_.plan->profile.totals.total, theme_.colour(ColourRole::kTextDim),
                 "plan " + bytesText(drawn_.plan->profile.totals.total), Qt::AlignRight);
  if (drawn_.limit > 0) paintCurveLine(drawn_.limit, over, "limit " + bytesText(drawn_.limit), Qt::AlignLeft);
  painter_.setPen(theme_.colour(ColourRole::kTextDim));
  painter_.drawText(QRect(0, area.top(), kMapAxisWidth - 7, area.height()), Qt::AlignRight | Qt::AlignVCenter,
                    "in use");
  painter_.setPen(theme_.colour(ColourRole::kBorder));
  painter_.drawRect(area.adjusted(-1, -1, 0, 0));
}

void MapPainter::paintCursor() const {
  const QRect &area = map_, &curve = curve_;
  const double begin = drawn_.axis.at(drawn_.cursor);
  const double middle = (begin + drawn_.axis.at(drawn_.cursor + 1)) / 2;
  const int x = area.left() + static_cast<int>(xOf(middle, drawn_.window, area.size()));
  const auto step = static_cast<size_t>(drawn_.cursor);
  const bool known = step < drawn_.plans->sequence.size();
  const QString name = known
                           ? "%" + qs(drawn_.plans->module->instruction(drawn_.plans->sequence[step])->name())
                           : QString("the end");
  QString text =
      QString("step %1 of %2 \u00b7 %3 \u00b7 %4 in use")
          .arg(countText(drawn_.cursor), countText(static_cast<int64_t>(drawn_.plans->sequence.size())), name,
               bytesText(drawn_.plan->profile.liveBytes[step]));
  if (drawn_.axis.isTime()) text.prepend("at " + durationText(static_cast<int64_t>(begin)) + " \u00b7 ");
  if (x >= area.left() && x <= area.right()) {
    painter_.setPen(QPen(theme_.colour(ColourRole::kText), 1));
    painter_.drawLine(x, area.top(), x, curve.bottom());
  }
  paintRuler(painter_, QRect(area.left(), curve.bottom() + 1, area.width(), kRulerHeight), drawn_.window,
             drawn_.axis.isTime(), theme_);
  painter_.setPen(theme_.colour(ColourRole::kText));
  const QRect line(area.left(), curve.bottom() + 1 + kRulerHeight, area.width(), kStepsHeight - kRulerHeight);
  const QString shown = painter_.fontMetrics().elidedText(text, Qt::ElideMiddle, line.width());
  const int width = painter_.fontMetrics().horizontalAdvance(shown) + 2;
  const int left = std::clamp(x - width / 2, line.left(), std::max(line.left(), line.right() - width));
  painter_.drawText(QRect(left, line.top(), width, line.height()), Qt::AlignLeft | Qt::AlignVCenter, shown);
}

// A line through the values and what is in use of them, with the step and its bytes.
void MapPainter::paintPointed() const {
  if (!drawn_.pointed) return;
  const double at = drawn_.axis.at(*drawn_.pointed);
  const int x = map_.left() + static_cast<int>(xOf(at, drawn_.window, map_.size()));
  if (x < map_.left() || x > map_.right()) return;
  painter_.setPen(QPen(theme_.colour(ColourRole::kTextDim), 1, Qt::DashLine));
  painter_.drawLine(x, map_.top(), x, curve_.bottom());
  const auto step = static_cast<size_t>(drawn_.pointed->step);
  const QString text =
      QString("step %1 \u00b7 %2 in use")
          .arg(countText(drawn_.pointed->step), bytesText(drawn_.plan->profile.liveBytes[step]));
  QRect box(x + kSpaceSmall, map_.top(), painter_.fontMetrics().horizontalAdvance(text) + 2 * kSpaceSmall,
            painter_.fontMetrics().height() + 2);
  box.moveLeft(std::max(map_.left(), std::min(box.left(), map_.right() - box.width())));
  painter_.fillRect(box, theme_.colour(ColourRole::kSurfaceRaised));
  painter_.setPen(theme_.colour(ColourRole::kText));
  painter_.drawText(box, Qt::AlignCenter, text);
}

}  // namespace hilo
