// Draws an array's corner by indices and in memory (array_picture.h). The element under the pointer is marked
// in both and said below; a click keeps it.
#pragma once

#include <QWidget>

#include "ui/views/layouts/array_picture.h"

namespace hilo {

class ArrayDrawing : public QWidget {
  Q_OBJECT

 public:
  explicit ArrayDrawing(QWidget* parent = nullptr);

  // Without addresses `why` is said in its place.
  void setArray(const QString& title, const std::optional<ArrayAddresses>& addresses, const QString& why);
  const std::optional<ArrayPicture>& picture() const { return picture_; }
  // What is marked; empty: nothing.
  const std::optional<ArrayCell>& marked() const { return kept_ ? kept_ : hovered_; }
  QString note() const;
  // Marks the element that lies at this byte; false where the array does not reach so far.
  bool markByte(int64_t byte);

 Q_SIGNALS:
  void markChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void place();
  void paintCell(QPainter& painter, const QRect& box, const ArrayCell& cell, const QString& text) const;
  QString indexText(const ArrayCell& cell, const QFontMetrics& metrics, int width) const;
  void paintIndices(QPainter& painter) const;
  void paintMemory(QPainter& painter) const;

  QString title_, why_;
  std::optional<ArrayAddresses> addresses_;
  std::optional<ArrayPicture> picture_;
  std::optional<ArrayCell> hovered_, kept_;
};

}  // namespace hilo
