// A scene as a file: SVG and PNG as drawn on screen at full detail, DOT as a graph with the
// groups as clusters.
#pragma once

#include <QImage>
#include <QString>

#include "core/base/result.h"
#include "ui/canvas/scene_painter.h"

namespace hilo {

// `options.selected` and the like are honoured; culling is off. Fails with "file-not-written".
Status writeSceneSvg(const Scene& scene, const PaintOptions& options, const QString& path);
// The whole scene in an image of the given scale, never more than 16,384 pixels a side or 100 million in all:
// a larger scene is drawn smaller.
QImage sceneImage(const Scene& scene, const PaintOptions& options, double scale = 1);
Status writeScenePng(const Scene& scene, const PaintOptions& options, const QString& path, double scale = 1);
// One page of the size of the scene.
Status writeScenePdf(const Scene& scene, const PaintOptions& options, const QString& path);
std::string sceneDot(const Scene& scene, const PaintOptions& options);
Status writeSceneDot(const Scene& scene, const PaintOptions& options, const QString& path);

}  // namespace hilo
