// Layouts of a hand-written kernel: which warp, lane and register holds each element, where it lies in shared
// or tensor memory, and the bank conflicts of a copy between the two. Of the kernel that the selected custom
// call carries, else of the first of the module, all arrays with what set their layouts; a layout can be
// asked for by itself too.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSplitter>

#include "ui/views/kernel_layouts/element_picture.h"
#include "ui/views/kernel_layouts/kernel_panel.h"
#include "ui/views/kernel_layouts/layout_form.h"
#include "ui/views/kernel_layouts/layout_rows.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class KernelLayoutsView : public View {
  Q_OBJECT

 public:
  explicit KernelLayoutsView(const ViewContext& context, QWidget* parent = nullptr);

  // A layout can be asked for with no module open.
  bool hasContent() const override { return true; }

  // --query names an array of the kernel, by a part of its name.
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;

  LayoutForm& form() { return *form_; }
  KernelPanel& kernel() { return *kernel_; }
  QComboBox& facet() { return *facet_; }
  ElementPicture& array() { return *array_; }
  ElementPicture& memory() { return *memory_; }
  TableView& accesses() { return *accesses_; }
  const TableModel<RegisterRow>& registerModel() const { return registerModel_; }
  const TableModel<AccessRow>& accessModel() const { return accessModel_; }
  QString head() const { return head_->text(); }
  QString message() const { return message_->text(); }

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  // Reads the kernel of the custom call that is selected, or the first of the module.
  void follow();
  void showKernel(const QString& name, Result<std::shared_ptr<const InferredKernel>> inferred);
  void buildBar();
  void buildPictures();
  void buildTables();
  void answer();     // to the form
  void showGrids();  // of drawn_
  void showHead();
  void select(int64_t element);
  void markAccess(const QModelIndex& index);
  void markRegister(const QModelIndex& index);
  void mark(int64_t element, const std::vector<int64_t>& marked);
  LayoutFacet shownFacet() const { return static_cast<LayoutFacet>(facet_->currentData().toInt()); }

  JobScope scope_;
  SnapshotId subject_;   // whose custom call is shown
  std::string carrier_;  // its name; "": none
  std::optional<DrawnLayout> drawn_;
  int64_t selected_ = -1;

  LayoutForm* form_;
  QLabel* kernelHead_;
  KernelPanel* kernel_;
  QComboBox* facet_;
  QLabel* head_;
  MessageLine* message_;
  QSplitter* split_;
  ElementPicture* array_;
  ElementPicture* memory_;
  TableView* registers_;
  TableView* accesses_;
  TableModel<RegisterRow> registerModel_;
  TableModel<AccessRow> accessModel_;
};

}  // namespace hilo
