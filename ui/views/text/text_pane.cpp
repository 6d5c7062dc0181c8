#include "ui/views/text/text_pane.h"

#include <QActionGroup>
#include <QCursor>
#include <QToolTip>
#include <QVBoxLayout>

#include "core/analysis/cost_facts.h"
#include "core/analysis/instruction_card.h"
#include "core/workspace/memory/live_bytes.h"
#include "core/workspace/text/source_lines.h"
#include "core/workspace/values/value_study.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"

namespace hilo {

namespace {

struct Printing {
  std::shared_ptr<const PrintedModule> printed;
  absl::flat_hash_map<std::string_view, InstructionId> names;
  std::optional<TextContent> content;
};

QString cardOf(const Instruction& instruction) {
  constexpr size_t kFramesShown = 8;
  const auto row = [](const QString& label, const QString& value) {
    return QString("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
        .arg(label.toHtmlEscaped(), value.toHtmlEscaped());
  };
  const InstructionCard card = instructionCard(instruction);
  QString text =
      QString("<b>%1</b> = %2<table>").arg(qs(card.title).toHtmlEscaped(), qs(card.opcode).toHtmlEscaped());
  for (const auto& [label, value] : card.facts) text += row(qs(label), qs(value));
  const auto frames = sourceFramesOf(instruction);
  for (size_t n = 1; n < frames.size() && n <= kFramesShown; ++n) {
    const QString place = QString("%1:%2").arg(qs(frames[n].file)).arg(frames[n].line);
    text += row(n == 1 ? "called from" : "", place + "  " + qs(frames[n].function));
  }
  return text + "</table>";
}

}  // namespace

TextPane::TextPane(const ViewContext& context, QWidget* parent) : View(context, parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  text_ = new TextView(this);
  setFocusProxy(text_);
  text_->shown().setTailsFolded(true);
  text_->shown().setTablesFolded(true);
  find_ = new FindBar(text_, context_.jobs, this);
  layout->addWidget(text_, 1);
  layout->addWidget(find_);
  find_->hide();
  connect(text_, &TextView::findAsked, this, &TextPane::openFind);
  connect(&text_->caret(), &TextCaret::moved, this, [this](int line) { selectLine(line); });
  connect(text_, &TextView::nameActivated, this, [this](const QString& name) { activateName(name); });
  connect(text_, &TextView::nameHovered, this, &TextPane::hoverName);
  connect(&context_.changes, &SessionChanges::currentShown, this, &TextPane::print);
  connect(&context_.changes, &SessionChanges::currentChanged, this, [this] {
    if (context_.session.current() == nullptr) print();
  });
  text_->setAccessibleName("HLO text");
  connect(&context_.changes, &SessionChanges::resultReady, this, [this] { text_->additions().refresh(); });
  connect(&context_.changes, &SessionChanges::findingChanged, this, &TextPane::markFinding);
  setFacts(true);
  addActions();
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &TextPane::showSelection);
}

bool TextPane::openFind() {
  find_->open();
  return true;
}

void TextPane::addActions() {
  const std::pair<const char*, TextForm> forms[] = {{"Text as &read", TextForm::AsRead},
                                                    {"Text &short", TextForm::Short},
                                                    {"Text &canonical", TextForm::Canonical}};
  auto* group = new QActionGroup(this);
  for (const auto& [title, form] : forms) {
    QAction* choice = addMenuAction("View/Text fo&rm", QString("view.textForm%1").arg(static_cast<int>(form)),
                                    title, {}, [this, form] { setForm(form); });
    choice->setCheckable(true);
    choice->setChecked(form == form_);
    group->addAction(choice);
  }
  QAction* facts = addMenuAction("View", "view.facts", "Inline an&notations", QKeySequence("Ctrl+Shift+G"),
                                 {}, /*isRemembered=*/true);
  facts->setCheckable(true);
  facts->setChecked(factsShown_);
  connect(facts, &QAction::toggled, this, &TextPane::setFacts);
  addMenuAction("View", "view.foldAll", "F&old all blocks of the text", QKeySequence("Ctrl+Shift+["),
                [this] { text_->shown().setAllFolded(true); });
  addMenuAction("View", "view.unfoldAll", "&Unfold all", QKeySequence("Ctrl+Shift+]"),
                [this] { text_->shown().setAllFolded(false); });
}

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
      "print", "Print " + snapshot->title,
      [module = snapshot->module, form = form_](JobContext&) -> Result<Printing> {
        Printing out;
        out.printed = std::make_shared<const PrintedModule>(printForView(module, form));
        out.content.emplace(std::shared_ptr<const std::string>(out.printed, &out.printed->text));
        for (const Computation* c : module->computations()) {
          for (const Instruction* i : c->instructions()) out.names.emplace(i->name(), i->id());
        }
        return out;
      },
      [this, id = snapshot->id, form = form_](Result<Printing> printing) {
        if (!printing) return;
        printedForm_ = form;
        names_ = std::move(printing->names);
        showPrinted(id, std::move(printing->printed), *std::move(printing->content));
      },
      &scope_);
}

void TextPane::showPrinted(SnapshotId id, std::shared_ptr<const PrintedModule> printed, TextContent content) {
  printed_ = std::move(printed);
  printedOf_ = id;
  moving_ = true;
  text_->setText(std::move(content));
  moving_ = false;
  stackTable_ = 0;
  for (uint32_t line = 0; line < printed_->lineCount() && !printed_->lines[line].computation.valid();
       ++line) {
    if (printed_->line(line) == "StackFrames") stackTable_ = line;
  }
  showSelection(context_.bus.selected());
  markFinding();
  requestFacts();
}

void TextPane::markFinding() {
  const auto& finding = context_.session.finding();
  std::vector<LineMark> marks;
  if (printed_ && finding && finding->snapshot == printedOf_) {
    const size_t line = printed_->lineOf(finding->instruction);
    if (line != PrintedModule::npos) marks.push_back({static_cast<uint32_t>(line), ColourRole::kError});
  }
  text_->additions().setMarks(std::move(marks));
  text_->additions().refresh();
}

void TextPane::setFacts(bool shown) {
  factsShown_ = shown;
  text_->additions().setGhosts(shown ? [this](uint32_t line) { return factsAt(line); }
                                     : std::function<QString(uint32_t)>());
  requestFacts();
}

void TextPane::requestFacts() {
  const Snapshot* snapshot = context_.session.snapshot(printedOf_);
  if (!factsShown_ || !printed_ || snapshot == nullptr) return;
  context_.session.request(printedOf_, ResultKind::Cost);
  if (liveOf_ == printedOf_) return;
  live_ = nullptr;
  context_.jobs.submit(
      "liveBytes", "Count live bytes of " + snapshot->title,
      [module = snapshot->module](JobContext&) -> Result<std::shared_ptr<const std::vector<int64_t>>> {
        auto live = liveBytesOf(module);
        // A module whose values cannot be followed has none to show; running or planning it says why.
        if (!live) return nullptr;
        return std::make_shared<const std::vector<int64_t>>(*std::move(live));
      },
      [this, id = printedOf_](Result<std::shared_ptr<const std::vector<int64_t>>> live) {
        if (!live || id != printedOf_) return;
        live_ = *live;
        liveOf_ = id;
        text_->additions().refresh();
      },
      &scope_);
}

QString TextPane::factsAt(uint32_t line) const {
  if (!printed_ || line >= printed_->lineCount()) return {};
  const TextLine& at = printed_->lines[line];
  if (!at.computation.valid()) return stackAt(line);
  const Snapshot* snapshot = context_.session.snapshot(printedOf_);
  const Instruction* instruction =
      at.instruction.valid() ? printed_->module->instruction(at.instruction) : nullptr;
  if (instruction == nullptr || snapshot == nullptr) return {};
  QStringList facts = {bytesText(instruction->shape().byteSize())};
  if (const auto counted = context_.session.result<ResultKind::Cost>(snapshot->id)) {
    const CostFacts& cost = counted->of(*instruction);
    if (cost.flops > 0) facts << flopsText(cost.flops);
  }
  if (live_ != nullptr && liveOf_ == printedOf_ && (*live_)[at.instruction.value] >= 0)
    facts << "live " + bytesText((*live_)[at.instruction.value]);
  if (const auto values = context_.session.result<ResultKind::Values>(snapshot->id)) {
    if (const auto value = values->known(*instruction)) facts << qs(spreadText(value->devices[0]));
  }
  if (const auto& finding = context_.session.finding();
      finding && finding->snapshot == printedOf_ && finding->instruction == at.instruction)
    facts << qs(finding->text);
  return facts.join("  ");
}

// "model.py:12 f < train.py:3 main" for a line of the table of stack frames.
QString TextPane::stackAt(uint32_t line) const {
  const StackFrameTables& tables = printed_->module->stackFrames();
  if (stackTable_ == 0 || line <= stackTable_ || line > stackTable_ + tables.stackFrames.size()) return {};
  const auto frames = sourceStack(tables, static_cast<int32_t>(line - stackTable_));
  QStringList places;
  for (const SourceFrame& frame : frames) {
    const QString file = qs(frame.file);
    places << QString("%1:%2 %3")
                  .arg(file.mid(file.lastIndexOf('/') + 1))
                  .arg(frame.line)
                  .arg(qs(frame.function));
  }
  return places.join("  <  ");
}

void TextPane::showSelection(const Selection& selection) {
  const Snapshot* snapshot = snapshotFor(context_.session, selection);
  if (!printed_ || snapshot == nullptr || snapshot->id != printedOf_) return;
  const size_t line = selection.instruction.valid()   ? printed_->lineOf(selection.instruction)
                      : selection.computation.valid() ? printed_->lineOf(selection.computation)
                                                      : PrintedModule::npos;
  const Instruction* instruction = instructionOf(*printed_->module, selection);
  text_->additions().setHighlightedWord(instruction == nullptr ? QString() : qs(instruction->name()));
  if (line == PrintedModule::npos || text_->caret().place().line == line) return;
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
  if (instruction != nullptr) context_.bus.activate(selectionOf(*snapshot, *instruction));
  if (computation != nullptr) context_.bus.activate(selectionOf(*snapshot, *computation));
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
  context_.bus.hover(selectionOf(*snapshot, *instruction));
}

View* makeTextPane(const ViewContext& context) { return new TextPane(context); }

}  // namespace hilo
