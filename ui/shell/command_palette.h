// Ctrl+K or Ctrl+P: a box over the window that finds everything by a few letters of its name: actions, views,
// files, passes, bookmarks, computations and instructions; and takes what was typed as a query.
#pragma once

#include <QAction>
#include <QLineEdit>
#include <QListWidget>
#include <QWidget>

#include "ui/widgets/view.h"

namespace hilo {

class CommandPalette : public QWidget {
  Q_OBJECT

 public:
  // `commands` is asked each time the palette opens; `search` takes what was typed as a query.
  CommandPalette(const ViewContext& context, std::function<std::vector<PaletteCommand>()> commands,
                 std::function<void(const QString&)> search, QWidget* parent);
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
    std::function<void()> run;  // null: go to `selection`
    Selection selection;
  };
  static constexpr size_t kShown = 100;

  // A name that fits; the instruction is invalid where it is the computation's.
  struct NameHit {
    int score = 0;
    ComputationId computation;
    InstructionId instruction;
  };
  // The best kShown. Any thread.
  static std::vector<NameHit> findNames(const Module& module, const std::string& typed,
                                        const CancelToken& cancel);
  void fill();
  void addNames(const Snapshot& snapshot, const std::vector<NameHit>& hits,
                std::vector<Entry>& entries) const;
  std::vector<Entry> foundCommands(const std::string& typed) const;
  void showEntries(std::vector<Entry> entries, const std::string& typed);
  void accept();

  ViewContext context_;
  JobScope scope_;
  std::function<std::vector<PaletteCommand>()> askCommands_;
  std::function<void(const QString&)> search_;
  std::vector<PaletteCommand> commands_;
  QLineEdit* box_;
  QListWidget* list_;
  std::vector<Entry> entries_;
};

}  // namespace hilo
