#include "ui/views/thunks/kernel_pane.h"

#include <QVBoxLayout>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/code_lexer.h"

namespace hilo {
namespace {

LineLexer lexerOf(const std::string& title) {
  if (title.starts_with("LLVM")) return lexerForFile(".ll");
  return title.starts_with("assembly") || title == "PTX" ? lexerForFile(".ptx") : lexerForFile(title);
}

// What people call an option; null of one that makes no difference to a kernel.
const char* labelOf(const LlvmKernelOption& option) {
  if (option.value == &LlvmKernelOptions::slpVectorizerDisabled) return "SLP vectorizer off";
  if (option.value == &LlvmKernelOptions::disableLoopUnrolling) return "Loop unrolling off";
  if (option.value == &LlvmKernelOptions::optimizeForSize) return "Optimise for size";
  return nullptr;
}

}  // namespace

KernelPane::KernelPane(QWidget* parent) : QStackedWidget(parent) {
  empty_ = new QLabel(this);
  empty_->setAccessibleName("Why no kernel is shown");
  empty_->setAlignment(Qt::AlignTop);
  empty_->setMargin(kSpace);
  empty_->setWordWrap(true);
  page_ = new QWidget(this);
  auto* layout = new QVBoxLayout(page_);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  gauges_ = new KernelGauges(page_);
  options_ = buildOptions();
  split_ = new QSplitter(Qt::Horizontal, page_);
  split_->setChildrenCollapsible(false);
  layout->addWidget(gauges_);
  layout->addWidget(options_);
  layout->addWidget(split_, 1);
  addWidget(empty_);
  addWidget(page_);
}

QWidget* KernelPane::buildOptions() {
  auto* bar = new QWidget(page_);
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(kSpace, kSpaceTiny, kSpace, kSpaceTiny);
  layout->setSpacing(kSpace);
  for (const LlvmKernelOption& option : kLlvmKernelOptions) {
    if (labelOf(option) == nullptr) continue;
    auto* box = new QCheckBox(labelOf(option), bar);
    const QString name = QString::fromUtf8(option.name.data(), static_cast<qsizetype>(option.name.size()));
    box->setToolTip(
        QStringLiteral("%1 of the instruction's llvm_kernel_options: shows the kernel compiled so, and what "
                       "becomes of its assembly; the module stays as it is")
            .arg(name));
    connect(box, &QCheckBox::clicked, this, [this, option](bool checked) {
      LlvmKernelOptions chosen = *forms_.options;
      chosen.*option.value = checked;
      Q_EMIT optionsChosen(chosen);
    });
    layout->addWidget(box);
    boxes_.emplace_back(option, box);
  }
  layout->addStretch(1);
  return bar;
}

void KernelPane::showOptions() {
  options_->setVisible(forms_.options.has_value());
  for (const auto& [option, box] : boxes_) box->setChecked(forms_.options && (*forms_.options).*option.value);
}

void KernelPane::addSide() {
  auto* widget = new QWidget(split_);
  widget->setMinimumWidth(80);
  auto* layout = new QVBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* title = new QLabel(widget);
  title->setContentsMargins(kSpace, kSpaceTiny, kSpace, kSpaceTiny);
  title->setMinimumWidth(1);
  auto* text = new TextView(widget);
  text->setCodeFontPx(11);
  text->shown().setFoldable(false);
  const size_t side = sides_.size();
  text->additions().setDecorator([this, side](uint32_t line) { return decorationOf(side, line); });
  connect(&text->caret(), &TextCaret::moved, this, [this, side](int line) { caretMoved(side, line); });
  layout->addWidget(title);
  layout->addWidget(text, 1);
  split_->addWidget(widget);
  sides_.push_back({widget, title, text});
}

LineDecoration KernelPane::decorationOf(size_t side, uint32_t line) const {
  LineDecoration decoration;
  if (side >= forms_.forms.size()) return decoration;
  const KernelForm& form = forms_.forms[side];
  const char mark = form.markOf(line);
  if (mark == '+') decoration.background = ColourRole::kAdded;
  if (mark == '-') decoration.background = ColourRole::kRemoved;
  const InstructionId of = form.at(line);
  if (const auto band = bands_.find(of.value); of.valid() && band != bands_.end())
    decoration.band = band->second;
  if (selected_.valid() && of == selected_) decoration.background = ColourRole::kOccurrence;
  return decoration;
}

void KernelPane::setText(const QString& text) {
  forms_ = {};
  selected_ = {};
  empty_->setText(text);
  setCurrentWidget(empty_);
}

void KernelPane::setForms(KernelForms forms) {
  forms_ = std::move(forms);
  selected_ = {};
  bands_.clear();
  for (const KernelForm& form : forms_.forms) {
    for (const InstructionId id : form.instructions) {
      if (id.valid()) bands_.try_emplace(id.value, bands_.size());
    }
  }
  while (sides_.size() < forms_.forms.size()) addSide();
  moving_ = true;
  for (size_t i = 0; i < sides_.size(); ++i) {
    const bool used = i < forms_.forms.size();
    sides_[i].widget->setVisible(used);
    if (!used) continue;
    const KernelForm& form = forms_.forms[i];
    sides_[i].title->setText(qs(form.title));
    sides_[i].text->setAccessibleName(qs(form.title));
    sides_[i].text->shown().setLexer(lexerOf(form.title));
    sides_[i].text->setText(std::make_shared<const std::string>(form.text));
  }
  moving_ = false;
  showOptions();
  gauges_->setGauges(forms_.gauges);
  split_->setSizes(QList<int>(static_cast<qsizetype>(sides_.size()), 1000));
  setCurrentWidget(page_);
}

std::vector<uint32_t> KernelPane::litLines(size_t number) const {
  std::vector<uint32_t> lines;
  const auto& instructions = forms_.forms[number].instructions;
  for (uint32_t line = 0; line < instructions.size(); ++line) {
    if (selected_.valid() && instructions[line] == selected_) lines.push_back(line);
  }
  return lines;
}

void KernelPane::caretMoved(size_t side, int line) {
  if (moving_ || side >= forms_.forms.size() || line < 0) return;
  const InstructionId instruction = forms_.forms[side].at(static_cast<size_t>(line));
  if (!instruction.valid() || instruction == selected_) return;
  light(instruction, side);
  Q_EMIT instructionSelected(instruction);
}

void KernelPane::select(InstructionId instruction) {
  if (instruction != selected_) light(instruction, SIZE_MAX);
}

void KernelPane::light(InstructionId instruction, size_t butNot) {
  selected_ = instruction;
  moving_ = true;
  for (size_t i = 0; i < forms_.forms.size(); ++i) {
    const auto lines = litLines(i);
    if (i != butNot && !lines.empty()) sides_[i].text->goTo({lines[0], 0});
    sides_[i].text->additions().refresh();
  }
  moving_ = false;
}

}  // namespace hilo
