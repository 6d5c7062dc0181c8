#include "ui/views/tiles/tile_picture.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/views/tiles/tile_rows.h"

namespace hilo {
namespace {

constexpr int kLine = 16;
constexpr double kTitle = 2.0 * kLine + kSpaceSmall;
constexpr double kLeastStep = 4;  // closer lines of a grid are left out
constexpr double kLeastTile = 3;  // a smaller tile is drawn so large

QRectF atLeast(QRectF rect) {
  const double width = std::max(rect.width(), kLeastTile), height = std::max(rect.height(), kLeastTile);
  return {rect.left(), rect.top(), width, height};
}

QColor pale(QColor colour, double share) {
  colour.setAlphaF(static_cast<float>(share));
  return colour;
}

bool isStrided(const TileRegion& region) {
  return std::ranges::any_of(region.dimensions,
                             [](const RegionDimension& d) { return std::abs(d.stride) > 1; });
}

}  // namespace

TilePicture::TilePicture(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName("Picture of a tile");
  setToolTip(
      "Click into the result or press the arrow keys to move the tile; Page Up and Page Down go along the "
      "order of launch");
}

void TilePicture::setContent(TilePictureContent content) {
  content_ = std::move(content);
  update();
}

std::vector<ArrayPlace> TilePicture::places() const {
  std::vector<TileRegion> regions;
  for (const PicturedArray& array : content_.arrays) regions.push_back(array.region);
  return placeArrays(regions, size(), kTitle);
}

QRectF TilePicture::arrayRect(size_t number) const { return places().at(number).array; }

void TilePicture::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), themeOf(*this).colour(ColourRole::kSurface));
  const auto all = places();
  for (size_t i = 0; i < all.size(); ++i) paintArray(painter, i, all[i]);
  if (!isEnabled()) painter.fillRect(rect(), pale(themeOf(*this).colour(ColourRole::kSurface), 0.7));
  if (!hasFocus()) return;
  painter.setPen(themeOf(*this).colour(ColourRole::kAccent));
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void TilePicture::paintArray(QPainter& painter, size_t number, const ArrayPlace& place) const {
  const Theme& theme = themeOf(*this);
  const PicturedArray& array = content_.arrays[number];
  painter.setFont(uiFont(12));
  const QFontMetrics metrics(painter.font());
  const QRectF line = place.card.adjusted(kSpace, kSpaceSmall, -kSpace, 0);
  const auto write = [&](int row, const QString& text, ColourRole role) {
    painter.setPen(theme.colour(role));
    painter.drawText(QRectF(line.left(), line.top() + row * kLine, line.width(), kLine), Qt::AlignLeft,
                     metrics.elidedText(text, Qt::ElideRight, static_cast<int>(line.width())));
  };
  write(0, array.title, ColourRole::kText);
  const DrawnDimensions drawn = drawnDimensions(array.region);
  const bool isMore = array.region.dimensions.size() > 2;
  write(1,
        regionText(array.region) +
            (isMore ? QString(", dimensions %1 and %2").arg(*drawn.rows).arg(*drawn.columns) : QString()),
        array.region.isRead ? ColourRole::kTextDim : ColourRole::kTextFaint);
  painter.fillRect(place.array, theme.colour(ColourRole::kSurfaceRaised));
  painter.save();
  painter.setClipRect(place.card.adjusted(kSpaceTiny, kTitle, -kSpaceTiny, -kSpaceTiny));
  paintTile(painter, array, place);
  painter.restore();
  if (number == 0) paintGrid(painter, array.region, place.array);
  painter.setPen(theme.colour(array.isResult ? ColourRole::kAccent : ColourRole::kBorder));
  painter.drawRect(place.array);
}

// Swept elements pale, those of the first step strong, what lies outside of the array as a warning.
void TilePicture::paintTile(QPainter& painter, const PicturedArray& array, const ArrayPlace& place) const {
  if (!array.region.isRead) return;
  const Theme& theme = themeOf(*this);
  const QColor own = theme.colour(array.isResult ? ColourRole::kAccent : ColourRole::kInfo);
  if (array.isResult && &array == content_.arrays.data()) {
    double share = 0.28;
    for (const TileRegion& before : content_.before) {
      painter.fillRect(tileRect(before, place.array), pale(theme.colour(ColourRole::kSuccess), share));
      share *= 0.75;
    }
  }
  const QRectF swept = sweptRect(array.region, place.array),
               tile = atLeast(tileRect(array.region, place.array));
  const QRectF inside = place.array.adjusted(0, 0, 0.5, 0.5);
  painter.fillRect(swept, pale(theme.colour(ColourRole::kWarning), 0.35));
  painter.fillRect(swept & inside, theme.colour(ColourRole::kSurfaceRaised));
  painter.fillRect(swept & inside, pale(own, 0.22));
  painter.fillRect(tile, pale(theme.colour(ColourRole::kWarning), 0.5));
  painter.fillRect(tile & inside, theme.colour(ColourRole::kSurfaceRaised));
  painter.fillRect(tile & inside,
                   QBrush(pale(own, 0.75), isStrided(array.region) ? Qt::Dense4Pattern : Qt::SolidPattern));
}

void TilePicture::paintGrid(QPainter& painter, const TileRegion& region, const QRectF& array) const {
  painter.setPen(themeOf(*this).colour(ColourRole::kBorder));
  const DrawnDimensions drawn = drawnDimensions(region);
  const auto step = [&](std::optional<size_t> dimension, int64_t tile, double length) {
    if (!dimension) return length;
    return length * static_cast<double>(tile) /
           static_cast<double>(std::max<int64_t>(1, region.dimensions[*dimension].size));
  };
  const double across = step(drawn.columns, content_.tileColumns, array.width()),
               down = step(drawn.rows, content_.tileRows, array.height());
  for (double x = across; across >= kLeastStep && x < array.width(); x += across)
    painter.drawLine(QPointF(array.left() + x, array.top()), QPointF(array.left() + x, array.bottom()));
  for (double y = down; down >= kLeastStep && y < array.height(); y += down)
    painter.drawLine(QPointF(array.left(), array.top() + y), QPointF(array.right(), array.top() + y));
}

void TilePicture::pointAt(QPointF point) {
  if (content_.arrays.empty()) return;
  const ArrayPlace place = places()[0];
  if (!place.card.contains(point)) return;
  const ElementAt at = elementAt(content_.arrays[0].region, place.array, point);
  Q_EMIT pointedAt(at.row, at.column);
}

void TilePicture::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) pointAt(event->position());
}

void TilePicture::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) pointAt(event->position());
}

void TilePicture::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return Q_EMIT moved(0, -1);
    case Qt::Key_Right:
      return Q_EMIT moved(0, 1);
    case Qt::Key_Up:
      return Q_EMIT moved(-1, 0);
    case Qt::Key_Down:
      return Q_EMIT moved(1, 0);
    case Qt::Key_PageUp:
      return Q_EMIT stepped(-1);
    case Qt::Key_PageDown:
      return Q_EMIT stepped(1);
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace hilo
