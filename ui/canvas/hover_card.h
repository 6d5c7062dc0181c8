// A small card of rich text beside the pointer. It takes no focus and no clicks.
#pragma once

#include <QLabel>

namespace hilo {

class HoverCard : public QLabel {
  Q_OBJECT

 public:
  explicit HoverCard(QWidget* parent);
  // Shows `html` near `place` (in the parent's coordinates), within the parent where it fits. Empty hides.
  void showAt(QPoint place, const QString& html);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace hilo
