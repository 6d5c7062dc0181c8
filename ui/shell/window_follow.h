// A window that follows another one: what is selected there is selected here, and the time cursor there is
// the one here. Each window reads files for itself, so instructions meet by name, in the module that is shown
// here: it may be another stage, or of another file. A switch in the status bar and in the Window menu says
// so and ends it.
#pragma once

#include <QObject>

#include "ui/models/time_cursor.h"

class QToolButton;

namespace hilo {

class MainWindow;

class WindowFollow : public QObject {
  Q_OBJECT

 public:
  // Both outlive it. On where the follower's action "window.follow" is checked.
  WindowFollow(MainWindow& leader, MainWindow& follower);
  ~WindowFollow() override;

 private:
  void switchTo(bool on);
  void select();
  Moment here(const Moment& there) const;

  MainWindow& leader_;
  MainWindow& follower_;
  QToolButton* button_;
};

}  // namespace hilo
