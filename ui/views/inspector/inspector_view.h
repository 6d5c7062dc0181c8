// The inspector dock: everything known of what is selected, as rows; links go where they lead.
#pragma once

#include <QLabel>
#include <QTreeView>
#include <QWidget>

#include "ui/models/inspector_model.h"
#include "ui/widgets/grid_diagram.h"
#include "ui/widgets/view.h"

namespace hilo {

class InspectorView : public View {
  Q_OBJECT

 public:
  explicit InspectorView(const ViewContext& context, QWidget* parent = nullptr);
  QTreeView& tree() { return *tree_; }
  InspectorModel& model() { return model_; }
  GridDiagram& diagrams() { return *diagrams_; }
  QString asText() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildTree();
  void showDiagrams(const Instruction* instruction);
  void refresh();
  void appendCost(std::vector<InspectorRow>& rows, const Snapshot& snapshot, const Selection& selection);
  void appendBuffers(std::vector<InspectorRow>& rows, const Snapshot& snapshot, const Selection& selection);
  void appendValue(std::vector<InspectorRow>& rows, const Snapshot& snapshot, const Instruction& instruction);
  void openSections();
  void placeColumns();
  void rememberSections();
  void activateIndex(const QModelIndex& index);
  void hoverIndex(const QModelIndex& index);
  Selection targetOf(const RowLink& link) const;
  void copy() const;

  InspectorModel model_;
  QLabel* title_;
  QTreeView* tree_;
  GridDiagram* diagrams_;
  QScrollArea* diagramArea_;
  SnapshotId shown_;
  QSet<QString> closedSections_;
};

}  // namespace hilo
