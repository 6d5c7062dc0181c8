// What a fusion becomes with the sizes that are chosen: its tile program, LLVM IR for this machine's
// processor, PTX for a GPU architecture. Made in the background, while it is in sight.
#pragma once

#include <QComboBox>
#include <QTimer>

#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/text_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class TileCode : public QWidget {
  Q_OBJECT

 public:
  enum class Form : uint8_t { Program, Llvm, Ptx };
  TileCode(const ViewContext& context, Form form, QWidget* parent = nullptr);

  // Sizes that are legal; none: nothing is shown. The module outlives the instruction.
  void setTiles(std::shared_ptr<const Module> module, const Instruction* instruction,
                std::vector<int64_t> sizes);
  TextView& text() { return *text_; }
  QString message() const { return message_->text(); }
  // Of PTX: for which GPU.
  QComboBox* architecture() { return architecture_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void make();
  void show(Result<std::string> made);

  const ViewContext& context_;
  const Form form_;
  JobScope scope_;
  std::shared_ptr<const Module> module_;
  const Instruction* instruction_ = nullptr;
  std::vector<int64_t> sizes_;
  bool isOld_ = false;  // what is shown is of other sizes
  QTimer timer_;        // sizes change many times a second while a slider moves
  QComboBox* architecture_ = nullptr;
  JobProgress* progress_;
  MessageLine* message_;
  TextView* text_;
};

}  // namespace hilo
