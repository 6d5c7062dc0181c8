// A line of text that ends in dots where it has too little room; the whole of it is its tool tip then.
#pragma once

#include <QLabel>

namespace hilo {

class ElidedLabel : public QLabel {
 public:
  explicit ElidedLabel(const QString& text, QWidget* parent = nullptr) : QLabel(text, parent) {}
  explicit ElidedLabel(QWidget* parent = nullptr) : QLabel(parent) {}

  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QString shown() const;
};

}  // namespace hilo
