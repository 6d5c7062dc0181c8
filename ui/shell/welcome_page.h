// What the centre shows while nothing is open: how to start, the bundled samples, recent files. It
// scrolls, so that no window is as tall as it needs to be for this page alone.
#pragma once

#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace hilo {

class WelcomePage : public QScrollArea {
  Q_OBJECT

 public:
  explicit WelcomePage(QWidget* parent = nullptr);
  void setRecent(const QStringList& paths);
  void setSamples(const QStringList& paths);
  // What was open when the program ended, however it ended.
  void setLast(const QStringList& paths);
  // Reading something: says so instead of inviting.
  void setBusy(const QString& what);

 Q_SIGNALS:
  void openAsked(const QString& path);
  void openFileAsked();
  void openFolderAsked();
  void reopenAsked();

 private:
  void fill(QVBoxLayout* list, const QStringList& paths, const QString& whenNone);

  QWidget* title_;
  QPushButton* reopen_;
  QVBoxLayout* samples_;
  QVBoxLayout* recent_;
};

// The sample modules that come with Hilo: beside the program when installed, in the checkout
// when built there.
QStringList bundledSamples();

}  // namespace hilo
