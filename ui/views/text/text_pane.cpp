#include "ui/views/text/text_pane.h"

#include <QCursor>
#include <QToolTip>
#include <QVBoxLayout>

#include "ui/models/text_of.h"

namespace hilo {

namespace {

struct Printing {
  std::shared_ptr<const PrintedModule> printed;
  absl::flat_hash_map<std::string_view, InstructionId> names;
};

QString cardOf(const Instruction& i) {
  QString text = QString("<b>%1</b> = %2<br>%3<br>%4")
                     .arg(qs(i.name()).toHtmlEscaped(), qs(i.opcodeText()).toHtmlEscaped(),
                          qs(toString(i.shape())).left(300).toHtmlEscaped(), bytesText(i.shape().byteSize()));
  if (!i.opName().empty()) text += "<br>" + qs(i.opName()).toHtmlEscaped();
  return text;
}

}  // namespace

TextPane::TextPane(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  text_ = new TextView(this);
  text_->setTailsFolded(true);
  text_->setTablesFolded(true);
  find_ = new FindBar(text_, this);
  layout->addWidget(text_, 1);
  layout->addWidget(find_);
  find_->hide();
  connect(text_, &TextView::findAsked, this, &TextPane::openFind);
  connect(text_, &TextView::cursorMoved, this, [this](int line) { selectLine(line); });
  connect(text_, &TextView::nameActivated, this, [this](const QString& name) { activateName(name); });
  connect(text_, &TextView::nameHovered, this, &TextPane::hoverName);
  connect(&context_.session, &Session::currentShown, this, &TextPane::print);
  connect(&context_.session, &Session::currentChanged, this, [this] {
    if (context_.session.current() == nullptr) print();
  });
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &TextPane::showSelection);
}

void TextPane::openFind() { find_->open(); }

void TextPane::setForm(TextForm form) {
  form_ = form;
  print();
}

bool TextPane::upToDate() const {
  const Snapshot* current = context_.session.current();
  return current == nullptr ? printed_ == nullptr : printedOf_ == current->id && printedForm_ == form_;
}

void TextPane::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  print();
}

void TextPane::print() {
  if (!isVisible() || upToDate() || !context_.session.isShown()) return;
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) {
    printed_.reset();
    names_.clear();
    printedOf_ = {};
    text_->setText(std::make_shared<const std::string>());
    return;
  }
  context_.jobs.submit(
      "print", "Print " + toStd(snapshot->title),
      [module = snapshot->module, form = form_](JobContext&) -> Result<Printing> {
        Printing out;
        out.printed = std::make_shared<const PrintedModule>(printForView(module, form));
        for (const Computation* c : module->computations()) {
          for (const Instruction* i : c->instructions()) out.names.emplace(i->name(), i->id());
        }
        return out;
      },
      [this, id = snapshot->id, form = form_](Result<Printing> printing) {
        if (!printing) return;
        printedForm_ = form;
        names_ = std::move(printing->names);
        showPrinted(id, std::move(printing->printed));
      },
      &scope_);
}

void TextPane::showPrinted(SnapshotId id, std::shared_ptr<const PrintedModule> printed) {
  printed_ = std::move(printed);
  printedOf_ = id;
  moving_ = true;
  text_->setText(std::shared_ptr<const std::string>(printed_, &printed_->text));
  moving_ = false;
  showSelection(context_.bus.selected());
}

void TextPane::showSelection(const Selection& selection) {
  const Snapshot* snapshot = context_.session.snapshotFor(selection);
  if (!printed_ || snapshot == nullptr || snapshot->id != printedOf_) return;
  const size_t line = selection.instruction.valid()   ? printed_->lineOf(selection.instruction)
                      : selection.computation.valid() ? printed_->lineOf(selection.computation)
                                                      : PrintedModule::npos;
  const Instruction* instruction = instructionOf(*printed_->module, selection);
  text_->setHighlightedWord(instruction == nullptr ? QString() : qs(instruction->name()));
  if (line == PrintedModule::npos || text_->caret().line == line) return;
  moving_ = true;
  text_->goTo({static_cast<uint32_t>(line), 0});
  moving_ = false;
}

void TextPane::selectLine(int line) {
  if (moving_ || !printed_ || line < 0 || static_cast<size_t>(line) >= printed_->lineCount()) return;
  const TextLine& at = printed_->lines[static_cast<size_t>(line)];
  const Snapshot* snapshot = context_.session.snapshot(printedOf_);
  if (snapshot == nullptr || !at.computation.valid()) return;
  context_.bus.select({snapshot->document, snapshot->id, at.computation, at.instruction});
}

const Instruction* TextPane::instructionNamed(const QString& name, const Computation** computation) const {
  if (!printed_) return nullptr;
  const std::string text = name.toStdString();
  const auto found = names_.find(text);
  if (found != names_.end()) return printed_->module->instruction(found->second);
  if (computation != nullptr) *computation = printed_->module->findComputation(text);
  return nullptr;
}

void TextPane::activateName(const QString& name) {
  const Computation* computation = nullptr;
  const Instruction* instruction = instructionNamed(name, &computation);
  const Snapshot* snapshot = context_.session.snapshot(printedOf_);
  if (snapshot == nullptr) return;
  if (instruction != nullptr) context_.bus.activate(context_.session.selectionOf(*snapshot, *instruction));
  if (computation != nullptr) context_.bus.activate(context_.session.selectionOf(*snapshot, *computation));
}

void TextPane::hoverName(const QString& name) {
  const Instruction* instruction = name.isEmpty() ? nullptr : instructionNamed(name, nullptr);
  const Snapshot* snapshot = context_.session.snapshot(printedOf_);
  if (instruction == nullptr || snapshot == nullptr) {
    QToolTip::hideText();
    context_.bus.hover({});
    return;
  }
  QToolTip::showText(QCursor::pos(), cardOf(*instruction), text_);
  context_.bus.hover(context_.session.selectionOf(*snapshot, *instruction));
}

}  // namespace hilo
