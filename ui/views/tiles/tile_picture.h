// The arrays that a fusion writes and reads as rectangles, with what one tile has of each. A click into the
// result moves the tile there, arrow keys move it to a neighbour, Page Up and Down along the order of launch.
#pragma once

#include <QWidget>

#include "ui/views/tiles/tile_picture_layout.h"

namespace hilo {

struct PicturedArray {
  QString title;  // "%p0 f32[64,32]"
  TileRegion region;
  bool isResult = false;
};

struct TilePictureContent {
  std::vector<PicturedArray> arrays;      // the results first
  int64_t tileRows = 1, tileColumns = 1;  // sizes of the result's tiles, as drawn
  std::vector<TileRegion> before;         // of the first result: the tiles that were launched just before
};

class TilePicture : public QWidget {
  Q_OBJECT

 public:
  explicit TilePicture(QWidget* parent = nullptr);
  void setContent(TilePictureContent content);
  const TilePictureContent& content() const { return content_; }
  // Where the array's rectangle is; for tests.
  QRectF arrayRect(size_t number) const;
  QSize minimumSizeHint() const override { return {220, 160}; }

 Q_SIGNALS:
  // An element of the first result was pointed at, in the dimensions that are drawn.
  void pointedAt(qint64 row, qint64 column);
  // By so many tiles in the dimensions that are drawn.
  void moved(int rows, int columns);
  // By so many tiles in the order of launch.
  void stepped(int programs);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  std::vector<ArrayPlace> places() const;
  void pointAt(QPointF point);
  void paintArray(QPainter& painter, size_t number, const ArrayPlace& place) const;
  void paintGrid(QPainter& painter, const TileRegion& region, const QRectF& array) const;
  void paintTile(QPainter& painter, const PicturedArray& array, const ArrayPlace& place) const;

  TilePictureContent content_;
};

}  // namespace hilo
