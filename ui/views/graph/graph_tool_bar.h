// The graph's tool bar: how nodes are grouped, what their colours say, the focus. It says what is chosen.
#pragma once

#include <QToolBar>

#include "ui/views/graph/graph_worker.h"

class QMenu;

namespace hilo {

class GraphToolBar : public QToolBar {
  Q_OBJECT

 public:
  explicit GraphToolBar(QWidget* parent = nullptr);

  void showGrouping(GroupingMode mode);
  void showFolding(bool fold);
  // Empty: whoever colours fills it.
  QMenu* colourMenu() { return colourMenu_; }

 Q_SIGNALS:
  void groupingChosen(hilo::GroupingMode mode);
  void foldingChosen(bool fold);
  void focusChosen(hilo::FocusKind kind, uint32_t hops);
  void pathsChosen();
  void focusLeft();
  void fitAsked();
  void selectionAsked();
  void openAllAsked();
  void closeAllAsked();
  void legendAsked();
  void exportAsked();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void buildGroupingMenu();
  void buildFocusMenu();

  QMenu* groupingMenu_ = nullptr;
  QMenu* colourMenu_ = nullptr;
  QAction* foldAction_ = nullptr;
};

}  // namespace hilo
