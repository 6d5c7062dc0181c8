#include "ui/canvas/view_transform.h"

#include <algorithm>

namespace hilo {

ViewTransform ViewTransform::zoomedAt(QPointF screen, double factor) const {
  const double next = std::clamp(scale * factor, kMinScale, kMaxScale);
  return {next, screen - toScene(screen) * next};
}

ViewTransform ViewTransform::fitting(const QRectF& area, QSizeF window, double margin, double maxScale) {
  ViewTransform view;
  const double width = window.width() - 2 * margin;
  const double height = window.height() - 2 * margin;
  if (area.width() > 0 && area.height() > 0 && width > 0 && height > 0) {
    view.scale = std::clamp(std::min(width / area.width(), height / area.height()), kMinScale, maxScale);
  }
  return view.centredOn(area.center(), window);
}

ViewTransform ViewTransform::revealing(const QRectF& area, QSizeF window, double margin) const {
  const QRectF shown = toScreen(area);
  QPointF delta;
  auto move = [margin](double low, double high, double size) {
    if (low < margin || high - low > size - 2 * margin) return margin - low;
    if (high > size - margin) return size - margin - high;
    return 0.0;
  };
  delta.setX(move(shown.left(), shown.right(), window.width()));
  delta.setY(move(shown.top(), shown.bottom(), window.height()));
  return panned(delta);
}

ViewTransform ViewTransform::filledBy(const QRectF& area, QSizeF window, double margin) const {
  const QRectF shown = toScreen(area);
  const auto move = [margin](double low, double high, double size) {
    if (high - low <= size - 2 * margin) return (size - low - high) / 2;
    return std::min(0.0, margin - low) + std::max(0.0, size - margin - high);
  };
  return panned({move(shown.left(), shown.right(), window.width()),
                 move(shown.top(), shown.bottom(), window.height())});
}

ViewTransform ViewTransform::centredOn(QPointF scene, QSizeF window) const {
  return {scale, QPointF(window.width() / 2, window.height() / 2) - scene * scale};
}

}  // namespace hilo
