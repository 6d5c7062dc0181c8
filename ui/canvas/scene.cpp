#include "ui/canvas/scene.h"

namespace hilo {

QRectF Scene::bounds() const {
  QRectF bounds;
  for (const SceneNode& node : nodes) {
    if (node.parent == kNoIndex) bounds |= node.rect;
  }
  double left = bounds.left(), right = bounds.right(), top = bounds.top(), bottom = bounds.bottom();
  for (const QPointF point : points) {
    left = std::min(left, point.x());
    right = std::max(right, point.x());
    top = std::min(top, point.y());
    bottom = std::max(bottom, point.y());
  }
  return QRectF(QPointF(left, top), QPointF(right, bottom));
}

QString bytesText(qint64 bytes) {
  if (bytes == 0) return {};
  static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB", "PB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  const int decimals = unit == 0 || value >= 100 ? 0 : 1;
  return QStringLiteral("%1 %2").arg(value, 0, 'f', decimals).arg(QLatin1String(kUnits[unit]));
}

}  // namespace hilo
