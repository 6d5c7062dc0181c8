// What an empty table or tree says instead of nothing: what would be here and what to do to get it.
#pragma once

#include <QAbstractItemView>
#include <QLabel>

namespace hilo {

// A child of the view's viewport, seen while the view's model has no rows. Set the view's model first.
class EmptyOverlay : public QLabel {
  Q_OBJECT

 public:
  EmptyOverlay(QAbstractItemView* view, const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void refresh();
  QAbstractItemView* view_;
};

}  // namespace hilo
