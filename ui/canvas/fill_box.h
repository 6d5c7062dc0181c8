// Boxes into an image by the hundred thousand: what QPainter does, without its set-up for each.
#pragma once

#include <algorithm>

#include <QImage>
#include <QRectF>

namespace hilo {

// At least a pixel; cut at the image's borders. The image has 32 bits a pixel and is not shared.
inline void fillBox(QImage& image, const QRectF& box, QRgb colour) {
  const int left = std::max(0, static_cast<int>(box.left()));
  const int top = std::max(0, static_cast<int>(box.top()));
  const int right = std::min(image.width(), std::max(left + 1, static_cast<int>(box.right())));
  const int bottom = std::min(image.height(), std::max(top + 1, static_cast<int>(box.bottom())));
  for (int y = top; y < bottom; ++y) {
    auto* row = reinterpret_cast<QRgb*>(image.scanLine(y));
    std::fill(row + left, row + std::max(left, right), colour);
  }
}

}  // namespace hilo
