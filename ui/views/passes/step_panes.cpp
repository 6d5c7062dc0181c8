#include "ui/views/passes/step_panes.h"

#include "ui/widgets/diff_panel.h"
#include "ui/widgets/diff_text_view.h"

namespace hilo {
namespace {

PairKind pairKind(DiffKind kind) {
  switch (kind) {
    case DiffKind::Same:
      return PairKind::kSame;
    case DiffKind::Changed:
      return PairKind::kChanged;
    case DiffKind::Added:
      return PairKind::kAdded;
    case DiffKind::Removed:
      return PairKind::kRemoved;
    case DiffKind::Moved:
      return PairKind::kMoved;
  }
  return PairKind::kSame;
}

}  // namespace

StepPanes::StepPanes(const ViewContext& context, QWidget* parent) : QTabWidget(parent) {
  setDocumentMode(true);
  setAccessibleName("Before and after");
  diff_ = new DiffPanel(this);
  text_ = diff_->text();
  addTab(diff_, "Text");
  if (context.makeGraphPair) {
    graphs_ = context.makeGraphPair(this);
    addTab(graphs_, "Graph");
  }
  connect(diff_, &DiffPanel::semanticToggled, this, &StepPanes::semanticToggled);
}

bool StepPanes::isSemantic() const { return diff_->isSemantic(); }

void StepPanes::foldUnchanged(bool on) { text_->setUnchangedFolded(on); }

void StepPanes::clear() {
  content_.reset();
  text_->setTexts(std::make_shared<const std::string>(), std::make_shared<const std::string>(), {});
}

void StepPanes::showContent(std::shared_ptr<const StepContent> content) {
  content_ = std::move(content);
  showText();
  if (graphs_ != nullptr) graphs_->showStep(content_->before, content_->after, content_->diff);
}

void StepPanes::showText() {
  std::vector<DiffPair> pairs;
  pairs.reserve(content_->text.diff.rows.size());
  for (const DiffRow& row : content_->text.diff.rows) {
    // Both say "no line" with the same number.
    static_assert(DiffPair::kNone == DiffRow::kNoLine);
    pairs.push_back({row.left, row.right, pairKind(row.kind)});
  }
  // The texts alias the content: they live as long as the view shows them.
  const auto textOf = [&](const PrintedModule& printed) {
    return std::shared_ptr<const std::string>(content_, &printed.text);
  };
  text_->setTexts(textOf(content_->text.left), textOf(content_->text.right), std::move(pairs),
                  {content_->text.leftPartner, content_->text.rightPartner});
  text_->goToChange();
}

void StepPanes::revealInText(InstructionId before, InstructionId after) {
  const auto go = [](TextView* view, const PrintedModule& printed, InstructionId id) {
    const size_t line = id.valid() ? printed.lineOf(id) : PrintedModule::npos;
    if (line != PrintedModule::npos) view->goTo({static_cast<uint32_t>(line), 0});
  };
  go(text_->left(), content_->text.left, before);
  go(text_->right(), content_->text.right, after);
}

void StepPanes::revealInGraphs(InstructionId before, InstructionId after) {
  if (graphs_ != nullptr) graphs_->reveal(before, after);
}

void StepPanes::reveal(InstructionId before, InstructionId after) {
  revealInText(before, after);
  revealInGraphs(before, after);
}

}  // namespace hilo
