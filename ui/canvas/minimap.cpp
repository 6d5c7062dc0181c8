#include "ui/canvas/minimap.h"

#include <array>

#include <QPainter>

#include "ui/canvas/fill_box.h"
#include "ui/canvas/scene_painter.h"

namespace hilo {
namespace {

constexpr int kWidth = 170, kHeight = 120, kMargin = 12, kLeastSide = 12;

}  // namespace

QRectF Minimap::area(const SceneIndex& index, const ViewTransform& view, QSizeF window) {
  const QRectF bounds = index.bounds();
  if (bounds.isEmpty() || window.width() < 3 * kWidth || window.height() < 3 * kHeight) return {};
  if (QRectF(QPointF(0, 0), window).contains(view.toScreen(bounds))) return {};
  const double scale = std::min(kWidth / bounds.width(), kHeight / bounds.height());
  const QSizeF size = (bounds.size() * scale).expandedTo(QSizeF(kLeastSide, kLeastSide));
  return QRectF(QPointF(window.width() - size.width() - kMargin, window.height() - size.height() - kMargin),
                size);
}

QPointF Minimap::sceneAt(const SceneIndex& index, const QRectF& area, QPointF place) {
  const QRectF bounds = index.bounds();
  return {bounds.left() + (place.x() - area.left()) / area.width() * bounds.width(),
          bounds.top() + (place.y() - area.top()) / area.height() * bounds.height()};
}

// The image, of the size it has.
void Minimap::draw(const IndexedScene& scene, NodePalette palette, const Theme& theme) {
  dark_ = theme.dark;
  image_.fill(theme.colour(ColourRole::kSurfaceRaised));
  std::array<QRgb, static_cast<size_t>(NodeRole::kCount)> colours{};
  for (size_t role = 0; role < colours.size(); ++role)
    colours[role] = nodeColours(palette, static_cast<NodeRole>(role), theme.dark).border.rgb();
  const QRgb ground = theme.colour(ColourRole::kGroupFillAlt).rgb();
  const QRectF bounds = scene.index.bounds();
  const double x = image_.width() / bounds.width(), y = image_.height() / bounds.height();
  for (const SceneNode& node : scene.scene.nodes) {
    const QRectF box((node.rect.left() - bounds.left()) * x, (node.rect.top() - bounds.top()) * y,
                     node.rect.width() * x, node.rect.height() * y);
    const bool special = node.heat >= 0 || node.category >= 0;
    const QRgb own =
        special ? coloursOf(node, palette, theme).border.rgb() : colours[static_cast<size_t>(node.role)];
    fillBox(image_, box, node.open ? ground : own);
  }
}

void Minimap::paint(QPainter& painter, const IndexedScene& scene, const ViewTransform& view, QSize window,
                    NodePalette palette, const Theme& theme) {
  const QRectF area = Minimap::area(scene.index, view, window);
  if (area.isEmpty()) return;
  const QSize pixels = (area.size() * painter.device()->devicePixelRatioF()).toSize();
  if (image_.size() != pixels || dark_ != theme.dark) {
    image_ = QImage(pixels, QImage::Format_ARGB32_Premultiplied);
    draw(scene, palette, theme);
  }
  painter.setOpacity(0.92);
  painter.drawImage(area, image_);
  painter.setOpacity(1);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(theme.colour(ColourRole::kBorder));
  painter.drawRect(area);
  const QRectF bounds = scene.index.bounds();
  const QRectF seen = view.toScene(QRectF(QPointF(0, 0), QSizeF(window))).intersected(bounds);
  const double x = area.width() / bounds.width(), y = area.height() / bounds.height();
  painter.setPen(QPen(theme.colour(ColourRole::kAccent), 1.5));
  painter.drawRect(QRectF(area.left() + (seen.left() - bounds.left()) * x,
                          area.top() + (seen.top() - bounds.top()) * y, seen.width() * x, seen.height() * y));
}

}  // namespace hilo
