// How the scene lies in the window: screen = scene * scale + offset. A value with pure operations.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace hilo {

struct ViewTransform {
  static constexpr double kMinScale = 1e-4;
  static constexpr double kMaxScale = 8.0;

  double scale = 1;
  QPointF offset;  // where the scene's origin is on the screen

  QPointF toScreen(QPointF scene) const { return scene * scale + offset; }
  QPointF toScene(QPointF screen) const { return (screen - offset) / scale; }
  QRectF toScreen(const QRectF& scene) const { return {toScreen(scene.topLeft()), scene.size() * scale}; }
  QRectF toScene(const QRectF& screen) const { return {toScene(screen.topLeft()), screen.size() / scale}; }

  // The same with the scene point under `screen` kept there. The scale stays within its limits.
  ViewTransform zoomedAt(QPointF screen, double factor) const;
  ViewTransform panned(QPointF screenDelta) const { return {scale, offset + screenDelta}; }

  // Centres `area` as large as fits into `window` less `margin` on each side, up to `maxScale`. An empty area
  // or window gives the scale 1 with the area's centre in the middle.
  static ViewTransform fitting(const QRectF& area, QSizeF window, double margin, double maxScale = 1.5);
  // Keeps the scale, moves as little as needed to bring `area` into the window less `margin`; its top left
  // wins when it does not fit.
  ViewTransform revealing(const QRectF& area, QSizeF window, double margin) const;
  ViewTransform centredOn(QPointF scene, QSizeF window) const;
  // Keeps the scale, moves as little as needed to leave no more than `margin` of the window empty beside
  // `area`; centred where it is smaller than the window.
  ViewTransform filledBy(const QRectF& area, QSizeF window, double margin) const;

  friend bool operator==(const ViewTransform&, const ViewTransform&) = default;
};

}  // namespace hilo
