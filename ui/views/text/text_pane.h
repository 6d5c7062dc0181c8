// The printed text of the current module, joined to it line by line. Printing waits until the pane is seen.
#pragma once

#include <QWidget>

#include "core/workspace/text/printed_module.h"
#include "ui/widgets/find_bar.h"
#include "ui/widgets/text_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class TextPane : public View {
  Q_OBJECT

 public:
  explicit TextPane(const ViewContext& context, QWidget* parent = nullptr);
  TextView& text() { return *text_; }
  bool openFind() override;
  void setForm(TextForm form);
  TextForm form() const { return form_; }
  // Bytes, flops and live bytes written faintly behind each instruction; in the table of stack
  // frames, the stacks.
  void setFacts(bool shown);
  bool factsShown() const { return factsShown_; }
  // What is written behind a line, from 0.
  QString factsAt(uint32_t line) const;
  // The printed text is of the current snapshot.
  bool upToDate() const;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void print();
  void showPrinted(SnapshotId id, std::shared_ptr<const PrintedModule> printed, TextContent content);
  void requestFacts();
  void addActions();
  void markFinding();
  QString stackAt(uint32_t line) const;
  void showSelection(const Selection& selection);
  void selectLine(int line);
  void activateName(const QString& name);
  void hoverName(const QString& name);
  const Instruction* instructionNamed(const QString& name, const Computation** computation) const;

  JobScope scope_;
  TextView* text_;
  FindBar* find_;
  TextForm form_ = TextForm::AsRead;
  SnapshotId printedOf_;
  TextForm printedForm_ = TextForm::AsRead;
  std::shared_ptr<const PrintedModule> printed_;
  // Names of the printed module, for hovers and clicks.
  absl::flat_hash_map<std::string_view, InstructionId> names_;
  bool factsShown_ = true;
  std::shared_ptr<const std::vector<int64_t>> live_;  // bytes by instruction id; null until counted
  SnapshotId liveOf_;
  uint32_t stackTable_ = 0;  // the line of the table's head; 0: there is none
  bool moving_ = false;      // the caret is moved by the bus, not by the user
};

}  // namespace hilo
