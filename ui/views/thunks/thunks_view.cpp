#include "ui/views/thunks/thunks_view.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/thunks/thunk_scene.h"

namespace hilo {
namespace {

constexpr const char* kNothingOpen = "Open a module to see what it runs.";
constexpr const char* kHowTo =
    "Compile this module for this processor to see its thunks, what each waits for and how long it takes.";

QString timeText(int64_t ns) { return ns < 0 ? QString() : durationText(ns); }

std::vector<TableColumn<ThunkTableRow>> columns() {
  using Row = ThunkTableRow;
  return {
      {"thunk", [](const Row& row) { return qs(row.facts.name); }},
      {"kind", [](const Row& row) { return qs(row.facts.kind); }},
      {"in", [](const Row& row) { return qs(row.facts.part); }},
      {"measured", [](const Row& row) { return timeText(row.facts.measuredNs); },
       [](const Row& row) { return static_cast<double>(row.facts.measuredNs); }},
      {"guess", [](const Row& row) { return timeText(row.facts.guessNs); },
       [](const Row& row) { return static_cast<double>(row.facts.guessNs); }},
      {"bytes",
       [](const Row& row) { return row.facts.usedBytes > 0 ? bytesText(row.facts.usedBytes) : QString(); },
       [](const Row& row) { return static_cast<double>(row.facts.usedBytes); }}};
}

// What there is most to say about: nothing that only waits for what it runs.
uint32_t longest(const ThunkStudy& study) {
  std::vector<uint8_t> hasBody(study.thunks.size(), 0);
  for (const StudiedThunk& thunk : study.thunks) {
    if (thunk.parent != StudiedThunk::kNone) hasBody[thunk.parent] = 1;
  }
  uint32_t best = 0;
  int64_t most = -1;
  for (uint32_t i = 0; i < study.thunks.size(); ++i) {
    if (hasBody[i] != 0 || timeOf(study.thunks[i]) <= most) continue;
    best = i;
    most = timeOf(study.thunks[i]);
  }
  return best;
}

QPlainTextEdit* addText(QTabWidget* tabs, const QString& title) {
  auto* text = new QPlainTextEdit(tabs);
  text->setReadOnly(true);
  text->setLineWrapMode(QPlainTextEdit::NoWrap);
  text->setFont(codeFont(12));
  text->setFrameShape(QFrame::NoFrame);
  text->setAccessibleName(title);
  tabs->addTab(text, title);
  return text;
}

// The dump and the module of it that the snapshot is the last stage of, if it holds a thunk sequence.
std::optional<std::pair<std::shared_ptr<const OpenedDump>, size_t>> sequenceOf(const Session& session,
                                                                               const Snapshot& snapshot) {
  const Document* document = session.document(snapshot.document);
  if (document == nullptr || document->dump == nullptr) return std::nullopt;
  for (size_t m = 0; m < document->stages.size(); ++m) {
    const auto& stages = document->stages[m];
    if (!stages.empty() && stages.back() == snapshot.id && hasThunkSequence(*document->dump, m))
      return std::pair(document->dump, m);
  }
  return std::nullopt;
}

}  // namespace

ThunksView::ThunksView(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), model_(columns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  head_ = new QLabel(kNothingOpen, this);
  head_->setWordWrap(true);
  head_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  compile_ = new QPushButton("Compile and measure", this);
  compile_->setToolTip("Compile the module as it stands, run it on made-up arguments and time each thunk");
  bar->addWidget(head_, 1);
  bar->addWidget(compile_);
  layout->addLayout(bar);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  canvas_ = new CanvasWidget;
  canvas_->setAccessibleName("Graph of thunks");
  split->addWidget(canvas_);
  auto* right = new QSplitter(Qt::Vertical, split);
  right->setChildrenCollapsible(false);
  table_ = new TableView(right);
  table_->setModel(&model_);
  table_->setEmptyText(kHowTo);
  table_->setColumnWidths({20, 9, 10, 11, 9, 9});
  table_->setAccessibleName("Table of thunks");
  details_ = new QTabWidget(right);
  details_->setDocumentMode(true);
  details_->setAccessibleName("Details of the thunk");
  uses_ = addText(details_, "Bytes and hazards");
  kernel_ = addText(details_, "Kernel");
  split->addWidget(right);
  split->setSizes({560, 540});
  layout->addWidget(split, 1);
  canvas_->setHoverText(
      [this](SceneNodeId id) {
        const StudiedThunk& thunk = drawn_->study.thunks[id];
        return QStringLiteral("<b>%1</b> %2<br>%3")
            .arg(qs(thunk.name).toHtmlEscaped(), qs(thunk.kind), timeText(timeOf(thunk)));
      },
      [this](const SceneEdge& edge) {
        for (const ThunkHazard& hazard : drawn_->study.hazards) {
          if (hazard.from == edge.from && hazard.to == edge.to) return hazardText(hazard);
        }
        return QString();
      });
  connect(compile_, &QPushButton::clicked, this, &ThunksView::compile);
  connect(canvas_, &CanvasWidget::nodeSelected, this, [this](quint64 id) {
    select(id == kNoSceneNode ? StudiedThunk::kNone : static_cast<uint32_t>(id), true);
  });
  connect(table_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    if (const ThunkTableRow* row = model_.rowAt(index); row != nullptr && !telling_) select(row->thunk, true);
  });
  connect(&context_.session, &Session::currentShown, this, &ThunksView::refresh);
  connect(&context_.session, &Session::currentChanged, this, [this] {
    if (context_.session.current() == nullptr) refresh();
  });
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &ThunksView::follow);
}

QString ThunksView::kernelCode() const { return kernel_->toPlainText(); }
QString ThunksView::uses() const { return uses_->toPlainText(); }

void ThunksView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void ThunksView::refresh() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) {
    shown_ = {};
    compile_->setEnabled(false);
    return clear(kNothingOpen);
  }
  if (!isVisible() || snapshot->id == shown_) return;
  shown_ = snapshot->id;
  compile_->setEnabled(true);
  clear(kHowTo);
  if (const auto sequence = sequenceOf(context_.session, *snapshot)) {
    ask("Read the thunk sequence", [dump = sequence->first, m = sequence->second, module = snapshot->module](
                                       const JobContext&) { return studyThunksOfDump(*dump, m, *module); });
  }
}

void ThunksView::compile() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) return;
  shown_ = snapshot->id;
  ask("Compile and measure",
      [module = snapshot->module](const JobContext& job) { return studyThunks(module, job); });
}

void ThunksView::ask(const QString& title, std::function<Result<ThunkStudy>(const JobContext&)> make) {
  head_->setText(title + QStringLiteral("…"));
  context_.jobs.submit(
      "thunks", title.toStdString(),
      [make = std::move(make)](JobContext& job) -> Result<std::shared_ptr<const Drawn>> {
        TRY(ThunkStudy study, make(job));
        TRY(Scene scene, makeThunkScene(study, job.cancel()));
        return std::make_shared<const Drawn>(
            Drawn{std::move(study), std::make_shared<const IndexedScene>(std::move(scene))});
      },
      [this, of = shown_, title](Result<std::shared_ptr<const Drawn>> drawn) {
        if (of != shown_) return;
        if (drawn) return show(of, std::move(*drawn));
        clear(title + QStringLiteral(": ") + qs(drawn.error().message));
        Q_EMIT context_.session.failed(title, drawn.error());
      },
      &scope_);
}

void ThunksView::show(SnapshotId, std::shared_ptr<const Drawn> drawn) {
  drawn_ = std::move(drawn);
  selected_ = StudiedThunk::kNone;
  const ThunkStudy& study = drawn_->study;
  int64_t total = 0;
  for (const StudiedThunk& thunk : study.thunks) {
    if (thunk.parent == StudiedThunk::kNone) total += std::max<int64_t>(thunk.measuredNs, 0);
  }
  QString head = QStringLiteral("%1: %2, %3")
                     .arg(qs(study.title), countOf(study.thunks.size(), "thunk"),
                          countOf(study.hazards.size(), "hazard"));
  if (total > 0) head += QStringLiteral(", ") + durationText(total) + QStringLiteral(" one after the other");
  if (study.kernels != nullptr)
    head += study.races.empty() ? QStringLiteral("; no race")
                                : QStringLiteral("; ") + countOf(study.races.size(), "race");
  head_->setText(head);
  canvas_->setScene(drawn_->scene);
  std::vector<ThunkTableRow> rows;
  for (uint32_t i = 0; i < study.thunks.size(); ++i) rows.push_back({i, study.thunks[i]});
  model_.setRows(std::move(rows));
  follow(context_.bus.selected());
  if (selected_ == StudiedThunk::kNone && !study.thunks.empty()) select(longest(study), false);
}

void ThunksView::clear(const QString& text) {
  head_->setText(text);
  drawn_ = nullptr;
  selected_ = StudiedThunk::kNone;
  canvas_->setScene(Scene());
  model_.setRows({});
  uses_->clear();
  kernel_->clear();
}

void ThunksView::select(uint32_t thunk, bool tell) {
  if (drawn_ == nullptr || (thunk == selected_ && !tell)) return;
  selected_ = thunk;
  telling_ = true;
  if (thunk == StudiedThunk::kNone) {
    canvas_->select({});
  } else {
    canvas_->select({thunk});
    canvas_->reveal(thunk);
    for (int row = 0; row < model_.rowCount(); ++row) {
      if (model_.rowAt(model_.index(row, 0))->thunk == thunk) table_->setCurrentIndex(model_.index(row, 0));
    }
    showDetails(thunk);
    const auto& instructions = drawn_->study.thunks[thunk].instructions;
    const Snapshot* snapshot = context_.session.snapshot(shown_);
    if (tell && !instructions.empty() && snapshot != nullptr) {
      if (const Instruction* instruction = snapshot->module->instruction(instructions[0]);
          instruction != nullptr)
        context_.bus.select(context_.session.selectionOf(*snapshot, *instruction));
    }
  }
  telling_ = false;
}

void ThunksView::showDetails(uint32_t index) {
  const ThunkStudy& study = drawn_->study;
  const StudiedThunk& thunk = study.thunks[index];
  QStringList lines;
  if (!thunk.description.empty()) lines << qs(thunk.description);
  for (const std::string& slice : thunk.reads) lines << QStringLiteral("reads  ") + qs(slice);
  for (const std::string& slice : thunk.writes) lines << QStringLiteral("writes ") + qs(slice);
  for (const ThunkHazard& hazard : study.hazards) {
    if (hazard.to == index)
      lines << QStringLiteral("after  %1: %2").arg(qs(study.thunks[hazard.from].name), hazardText(hazard));
    if (hazard.from == index) lines << QStringLiteral("before %1").arg(qs(study.thunks[hazard.to].name));
  }
  uses_->setPlainText(lines.join(u'\n'));
  kernel_->clear();
  if (thunk.kernel == StudiedThunk::kNone) return;
  kernel_->setPlainText(QStringLiteral("compiling…"));
  context_.jobs.submit(
      "thunk-kernel", "Show the kernel of " + thunk.name,
      [drawn = drawn_, index](JobContext&) { return kernelText(drawn->study, index); },
      [this, index](Result<std::string> text) {
        if (index != selected_) return;
        kernel_->setPlainText(qs(text ? *text : text.error().message));
      },
      &scope_);
}

// The thunk of the selected instruction, while there is one.
void ThunksView::follow(const Selection& selection) {
  const Snapshot* snapshot = context_.session.snapshotFor(selection);
  if (telling_ || drawn_ == nullptr || snapshot == nullptr || snapshot->id != shown_) return;
  const auto& thunks = drawn_->study.thunks;
  for (uint32_t i = 0; i < thunks.size(); ++i) {
    if (std::ranges::find(thunks[i].instructions, selection.instruction) == thunks[i].instructions.end())
      continue;
    return select(i, false);
  }
}

}  // namespace hilo
