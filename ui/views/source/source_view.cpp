#include "ui/views/source/source_view.h"

#include <QFileInfo>
#include <QMenu>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/analysis/cost_facts.h"
#include "core/workspace/open/read_bytes.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/code_lexer.h"

namespace hilo {
namespace {
constexpr const char* kNoFolder =
    "The lines of your program that instructions came from show here.\nFile > Source folder..., or "
    "--source-root DIR "
    "on the command line, says where it lies.";
}

SourceView::SourceView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      model_({{"function", [](const FrameRow& r) { return r.function; }},
              {"file", [](const FrameRow& r) { return r.file; }},
              {"line", [](const FrameRow& r) { return QString::number(r.line); },
               [](const FrameRow& r) { return static_cast<double>(r.line); }}}) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  head_ = new QLabel(this);
  head_->setMargin(kSpaceSmall);
  head_->setForegroundRole(QPalette::PlaceholderText);
  head_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  head_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  buildFrames();
  buildText();
  auto* lower = new QWidget(this);
  auto* column = new QVBoxLayout(lower);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(head_);
  column->addWidget(text_, 1);
  column->addWidget(find_);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->addWidget(frames_);
  split->addWidget(lower);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 3);
  layout->addWidget(split);
  find_->hide();
  connect(&context_.changes, &SessionChanges::currentShown, this, &SourceView::join);
  connect(&context_.changes, &SessionChanges::sourceTreeChanged, this, [this] {
    joined_ = {};
    join();
  });
  connect(&context_.changes, &SessionChanges::resultReady, this, [this] { text_->additions().refresh(); });
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &SourceView::showSelection);
  say(kNoFolder);
}

void SourceView::buildFrames() {
  frames_ = new TableView(this);
  frames_->setModel(&model_);
  frames_->setAccessibleName("Source stack");
  frames_->setColumnWidths({24, 60, 6});
  frames_->setEmptyText("The source stack of the selection, innermost first.");
  model_.setForeground([this](const FrameRow& row) -> QVariant {
    return row.path.isEmpty() ? QVariant(palette().color(QPalette::PlaceholderText)) : QVariant();
  });
  connect(frames_, &TableView::currentRowChanged, this, [this] {
    if (const FrameRow* row = model_.rowAt(frames_->currentIndex())) showFrame(*row);
  });
  connect(frames_, &TableView::menuAsked, this, [this](QMenu* menu) {
    const FrameRow* row = model_.rowAt(frames_->currentIndex());
    if (row != nullptr) addEditor(*menu, row->file, row->line);
  });
  connect(frames_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
    if (const FrameRow* row = model_.rowAt(index)) context_.bus.ask(searchForSource(row->file, row->line));
  });
}

void SourceView::buildText() {
  text_ = new TextView(this);
  text_->setAccessibleName("Source text");
  text_->shown().setFoldable(false);
  text_->additions().setGhosts([this](uint32_t line) { return factsAt(line); });
  find_ = new FindBar(text_, context_.jobs, this);
  connect(text_, &TextView::findAsked, this, [this] { find_->open(); });
  connect(&text_->caret(), &TextCaret::moved, this, [this](int line) { selectLine(line); });
  connect(text_, &TextView::menuAsked, this, [this](QMenu* menu) {
    addEditor(*menu, recorded_, static_cast<int>(text_->caret().place().line) + 1);
  });
  connect(text_, &TextView::lineActivated, this, [this](int line) {
    if (!instructionsAt(static_cast<uint32_t>(line)).empty())
      context_.bus.ask(searchForSource(recorded_, line + 1));
  });
}

void SourceView::addEditor(QMenu& menu, const QString& file, int line) {
  menu.addAction("Open in editor",
                 [&bus = context_.bus, file, line] { bus.ask(OpenSource{.file = file, .line = line}); });
}

void SourceView::say(const QString& text) {
  head_->setText(text);
  head_->setWordWrap(path_.isEmpty());
  head_->setAlignment(path_.isEmpty() ? Qt::AlignCenter : Qt::AlignLeft | Qt::AlignVCenter);
  text_->setVisible(!path_.isEmpty());
  setFocusProxy(path_.isEmpty() ? static_cast<QWidget*>(frames_) : text_);
}

// Which instruction came from which line: once a module and set of folders.
void SourceView::join() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) {
    lines_ = nullptr;
    joined_ = {};
    model_.setRows({});
    return;
  }
  if (joined_ == snapshot->id) return showSelection();
  context_.jobs.submit(
      "sourceLines", "Resolving source locations of " + snapshot->title,
      [module = snapshot->module,
       tree = context_.session.sourceTree()](JobContext&) -> Result<std::shared_ptr<const SourceLines>> {
        return std::make_shared<const SourceLines>(module, tree);
      },
      [this, id = snapshot->id](Result<std::shared_ptr<const SourceLines>> lines) {
        if (!lines) return;
        lines_ = *lines;
        joined_ = id;
        showSelection();
      },
      &scope_);
}

void SourceView::showSelection() {
  const Snapshot* snapshot = context_.session.snapshot(joined_);
  const Instruction* instruction =
      snapshot == nullptr ? nullptr : instructionOf(*snapshot->module, context_.bus.selected());
  if (instruction == nullptr || lines_ == nullptr) return;
  std::vector<FrameRow> rows;
  int own = -1;
  for (const SourceFrame& frame : sourceFramesOf(*instruction)) {
    rows.push_back({qs(frame.function), qs(frame.file), qs(lines_->pathOf(frame.file)), frame.line});
    if (own < 0 && !rows.back().path.isEmpty()) own = static_cast<int>(rows.size()) - 1;
  }
  const bool none = rows.empty();
  model_.setRows(std::move(rows));
  if (none) return say(qs(instruction->name()) + " has no source line in its metadata.");
  if (own >= 0) return frames_->setCurrentIndex(frames_->model()->index(own, 0));
  if (context_.session.sourceTree().empty()) return say(kNoFolder);
  say("No file of this stack is below " + qs(context_.session.sourceTree().roots().front()) + ".");
}

void SourceView::showFrame(const FrameRow& frame) {
  if (frame.path.isEmpty()) return;
  recorded_ = frame.file;
  showFile(frame.path, frame.line);
}

void SourceView::showFile(const QString& path, int line) {
  if (path == path_) return goToLine(line);
  context_.jobs.submit(
      "source", "Read " + toStd(QFileInfo(path).fileName()),
      [path = toStd(path)](JobContext& job) -> Result<std::shared_ptr<const std::string>> {
        TRY(std::string text, readText(path, job.cancel()));
        return std::make_shared<const std::string>(std::move(text));
      },
      [this, path, line](Result<std::shared_ptr<const std::string>> text) {
        if (text && lines_ != nullptr) return showText(path, *std::move(text), line);
        if (text) return;
        Q_EMIT context_.changes.failed("The source could not be shown", text.error());
      },
      &scope_);
}

void SourceView::showText(const QString& path, std::shared_ptr<const std::string> text, int line) {
  moving_ = true;
  path_ = path;
  text_->shown().setLexer(lexerForFile(toStd(path)));
  text_->setText(std::move(text));
  std::vector<LineMark> marks;
  const auto& file = lines_->ofFile(toStd(path));
  for (const auto& [at, instructions] : file) {
    if (at > 0) marks.push_back({static_cast<uint32_t>(at - 1), ColourRole::kMarkChanged});
  }
  text_->additions().setMarks(std::move(marks));
  // Within its folder: where that lies is known to whoever gave it.
  QString shown = path;
  for (const std::string& root : context_.session.sourceTree().roots()) {
    if (path.startsWith(qs(root) + "/")) shown = path.mid(qs(root).size() + 1);
  }
  say(QString("%1: %2 of %3 lines became instructions")
          .arg(shown)
          .arg(file.size())
          .arg(countText(text_->lines().count())));
  moving_ = false;
  goToLine(line);
}

void SourceView::goToLine(int line) {
  moving_ = true;
  if (static_cast<int>(text_->caret().place().line) != line - 1)
    text_->goTo({static_cast<uint32_t>(std::max(line, 1) - 1), 0});
  moving_ = false;
}

const std::vector<InstructionId>& SourceView::instructionsAt(uint32_t line) const {
  static const std::vector<InstructionId> none;
  if (lines_ == nullptr) return none;
  const auto& file = lines_->ofFile(toStd(path_));
  const auto found = file.find(static_cast<int32_t>(line) + 1);
  return found == file.end() ? none : found->second;
}

QString SourceView::factsAt(uint32_t line) const {
  const auto& instructions = instructionsAt(line);
  const Snapshot* snapshot = context_.session.snapshot(joined_);
  if (instructions.empty() || snapshot == nullptr) return {};
  QString facts = countOf(instructions.size(), "instruction");
  const auto counted = context_.session.result<ResultKind::Cost>(snapshot->id);
  if (!counted) return facts;
  int64_t flops = 0, bytes = 0;
  for (const InstructionId id : instructions) {
    const CostFacts& cost = counted->of(*snapshot->module->instruction(id));
    flops += cost.flops;
    bytes += cost.bytesAccessed;
  }
  if (flops > 0) facts += "  " + flopsText(flops);
  return facts + "  " + bytesText(bytes) + " accessed";
}

// The dearest instruction of the line, so that the other views go where it matters.
void SourceView::selectLine(int line) {
  const auto& instructions = instructionsAt(static_cast<uint32_t>(line));
  const Snapshot* snapshot = context_.session.snapshot(joined_);
  if (moving_ || instructions.empty() || snapshot == nullptr) return;
  const auto counted = context_.session.result<ResultKind::Cost>(snapshot->id);
  const auto bytesOf = [&](InstructionId id) {
    const Instruction& i = *snapshot->module->instruction(id);
    return counted ? counted->of(i).bytesAccessed : i.shape().byteSize();
  };
  const InstructionId dearest = *std::ranges::max_element(instructions, {}, bytesOf);
  context_.bus.activate(selectionOf(*snapshot, *snapshot->module->instruction(dearest)));
}

View* makeSourceView(const ViewContext& context) { return new SourceView(context); }

}  // namespace hilo
