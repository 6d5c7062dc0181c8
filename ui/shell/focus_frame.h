// A line around the view that has the keyboard, so that it is seen where keys go. One for each window, its
// own or that of a view in a dock torn off. UI thread.
#pragma once

#include <QPointer>
#include <QWidget>

namespace hilo {

class FocusFrame : public QObject {
  Q_OBJECT

 public:
  explicit FocusFrame(QWidget& window);
  // The view of the window that has the keyboard; null where none has.
  const QWidget* framed() const { return framed_; }
  // What is drawn; null where nothing is.
  const QWidget* line() const { return line_; }
  // A picture of a view has none.
  void setVisible(bool visible);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow(QWidget* focused);
  void takeAway();
  void fit();

  QWidget& window_;
  QPointer<QWidget> framed_;
  QPointer<QWidget> line_;  // in the view, and gone with it
};

}  // namespace hilo
