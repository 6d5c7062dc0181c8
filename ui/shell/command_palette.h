// Ctrl+K: a box over the window that finds any action, computation or instruction by a few letters of its
// name.
#pragma once

#include <QAction>
#include <QLineEdit>
#include <QListWidget>
#include <QWidget>

#include "ui/models/view_context.h"

namespace hilo {

class CommandPalette : public QWidget {
  Q_OBJECT

 public:
  // `actions` is asked each time the palette opens.
  CommandPalette(const ViewContext& context, std::function<QList<QAction*>()> actions, QWidget* parent);
  void open();
  QLineEdit& box() { return *box_; }
  QListWidget& list() { return *list_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Entry {
    int score = 0;
    QString text;
    QString detail;
    QAction* action = nullptr;
    Selection selection;
  };
  static constexpr size_t kShown = 100;

  void fill();
  std::vector<Entry> found(const std::string& typed) const;
  void addNames(const std::string& typed, std::vector<Entry>& entries) const;
  void accept();

  ViewContext context_;
  std::function<QList<QAction*>()> actions_;
  QLineEdit* box_;
  QListWidget* list_;
  std::vector<Entry> entries_;
};

}  // namespace hilo
