#include "ui/views/layouts/layouts_view.h"

#include <QScrollArea>
#include <QVBoxLayout>

#include "core/workspace/session/session.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/widgets/table_tab.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr const char* kEmpty = "Open a module to see what the order of its arrays in memory costs.";

// " (−119 ms)", in the colour of what is worse or better.
QString changeText(double now, double before, const QString& amount, const Theme& theme) {
  if (now == before) return {};
  const bool isMore = now > before;
  return QString(" <span style=\"color:%1\">(%2%3)</span>")
      .arg(theme.colour(isMore ? ColourRole::kMarkRemoved : ColourRole::kSuccess).name(), isMore ? "+" : "−",
           amount);
}

QString timeWith(double now, double before, const Theme& theme) {
  return QString("<b>%1</b>").arg(durationText(now)) +
         changeText(now, before, durationText(std::abs(now - before)), theme);
}
QString bytesWith(int64_t now, int64_t before, const Theme& theme) {
  return QString("<b>%1</b>").arg(bytesText(now)) + changeText(static_cast<double>(now),
                                                               static_cast<double>(before),
                                                               bytesText(std::abs(now - before)), theme);
}

QScrollArea* scrolled(QWidget* widget, const char* name, QWidget* parent) {
  auto* scroll = new QScrollArea(parent);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setAccessibleName(name);
  scroll->setWidget(widget);
  return scroll;
}

size_t costly(const LayoutStudy& study) {
  return static_cast<size_t>(
      std::ranges::count_if(study.rows, [](const LayoutRow& row) { return row.move.costs(); }));
}

}  // namespace

LayoutsView::LayoutsView(const ViewContext& context, QWidget* parent)
    : View(context, parent), moves_(layoutMoveColumns()), padded_(paddedColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  head_ = new QLabel(kEmpty, this);
  head_->setMargin(kSpace);
  head_->setWordWrap(true);
  head_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(head_);
  layout->addWidget(buildBar());
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  split_ = new QSplitter(Qt::Vertical, this);
  split_->setChildrenCollapsible(false);
  auto* upper = new QSplitter(Qt::Horizontal, split_);
  upper->setChildrenCollapsible(false);
  tables_ = new QTabWidget(upper);
  tables_->setDocumentMode(true);
  tables_->setAccessibleName("Tables");
  buildTables();
  panel_ = new LayoutPanel(upper);
  upper->setSizes({760, 420});
  upper->setStretchFactor(0, 3);
  upper->setStretchFactor(1, 2);
  buildSide();
  split_->setSizes({300, 360});
  layout->addWidget(split_, 1);
  layout->addStretch();
  connect(panel_, &LayoutPanel::adviceTaken, this, &LayoutsView::tryConstraint);
  connect(panel_, &LayoutPanel::nameClicked, this, [this](const QString& name) { select(toStd(name)); });
  connect(&context_.changes, &SessionChanges::currentShown, this, &LayoutsView::refresh);
  connect(&context_.changes, &SessionChanges::currentChanged, this, &LayoutsView::refresh);
  connect(&context_.changes, &SessionChanges::resultReady, this, &LayoutsView::noteReady);
  connect(&context_.changes, &SessionChanges::failed, this,
          [this](const QString& what, const Diagnostic& why) {
            if (!asked_.valid() || shown_ != nullptr || !what.startsWith("Layouts could not")) return;
            asked_ = {};
            clear("The layouts of this module cannot be looked at.");
            message_->sayWhy(why);
          });
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &LayoutsView::follow);
  clear(kEmpty);
}

QWidget* LayoutsView::buildBar() {
  auto* bar = new QWidget(this);
  auto* row = new WrappingRow(kSpaceSmall);
  row->setContentsMargins(kSpace, 0, kSpace, kSpaceSmall);
  bar->setLayout(row);
  undo_ = new QPushButton("Undo", bar);
  undo_->setToolTip("Take back what was tried last");
  progress_ = new JobProgress(context_.jobs, "End laying out", bar);
  row->add(undo_);
  row->add(progress_);
  connect(undo_, &QPushButton::clicked, this, &LayoutsView::undo);
  connect(progress_, &JobProgress::cancelled, this, [this] { message_->say("Stopped."); });
  return bar;
}

// Stripes of the chain beside the drawing of one of its values.
QWidget* LayoutsView::buildSide() {
  auto* lower = new QSplitter(Qt::Horizontal, split_);
  lower->setChildrenCollapsible(false);
  stripes_ = new LayoutStripes;
  scrolled(stripes_, "Chain of values", lower);
  auto* drawn = new QWidget(lower);
  auto* column = new QVBoxLayout(drawn);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  drawing_ = new ArrayDrawing;
  column->addWidget(scrolled(drawing_, "Array in memory", drawn), 1);
  auto* words = new QWidget(drawn);
  auto* line = new WrappingRow(kSpaceSmall);
  line->setContentsMargins(kSpace, kSpaceTiny, kSpace, kSpaceTiny);
  words->setLayout(line);
  byte_ = new QLineEdit(words);
  byte_->setPlaceholderText("Byte");
  byte_->setAccessibleName("Byte whose element is marked");
  byte_->setMaximumWidth(110);
  mark_ = new QLabel(words);
  line->add(byte_);
  line->add(mark_);
  column->addWidget(words);
  lower->setSizes({560, 620});
  connect(stripes_, &LayoutStripes::currentChanged, this, &LayoutsView::showLink);
  connect(drawing_, &ArrayDrawing::markChanged, this, &LayoutsView::showMark);
  connect(byte_, &QLineEdit::returnPressed, this, [this] {
    bool isNumber = false;
    const int64_t byte = byte_->text().toLongLong(&isNumber);
    if (!isNumber || !drawing_->markByte(byte)) mark_->setText("The array has no such byte.");
  });
  return lower;
}

void LayoutsView::buildTables() {
  const auto add = [&](auto& model, const char* title, const char* empty, std::vector<int> widths,
                       auto show) {
    TableView* table = addTable(*tables_, model, title, empty, widths);
    table->setTextElideMode(Qt::ElideRight);
    connect(table, &TableView::currentRowChanged, this, [&model, show](const QModelIndex& index) {
      if (const auto* row = model.rowAt(index)) show(*row);
    });
    connect(table, &QAbstractItemView::activated, this,
            [this] { context_.bus.activate(context_.bus.selected()); });
  };
  add(moves_, "Copies and transposes", "Nothing is copied or transposed: all that meet agree on one order.",
      {22, 10, 18, 26, 26, 18, 10, 20}, [this](const LayoutRow& row) { showRow(row); });
  add(padded_, "Padding", "No array has padding: no layout has tiles that do not fit.", {26, 11, 11, 16, 50},
      [this](const PaddedArray& row) { showPadded(row); });
}

void LayoutsView::clear(const QString& text) {
  first_ = plain_ = shown_ = nullptr;
  tried_.clear();
  moves_.setRows({});
  padded_.setRows({});
  stripes_->setChain({}, -1);
  drawing_->setArray({}, std::nullopt, {});
  panel_->clear();
  head_->setText(text);
  message_->say({});
  split_->hide();
  undo_->parentWidget()->hide();
}

void LayoutsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

// Asks for the layouts of what is current, unless those are shown, or nobody looks.
void LayoutsView::refresh() {
  const Snapshot* current = context_.session.current();
  if (current == nullptr) {
    subject_ = asked_ = {};
    return clear(kEmpty);
  }
  if (current->id != subject_) {
    subject_ = current->id;
    asked_ = {};
    clear("Looking for who wants which order ...");
  }
  if (asked_ == subject_ || !isVisible() || !context_.session.isShown()) return;
  asked_ = subject_;
  context_.session.request(subject_, ResultKind::Layouts);
}

void LayoutsView::noteReady(SnapshotId id, ResultKind kind) {
  if (kind != ResultKind::Layouts || id != asked_ || first_ != nullptr) return;
  first_ = context_.session.result<ResultKind::Layouts>(id);
  if (first_->isOurs()) plain_ = first_;
  show(first_);
}

void LayoutsView::show(std::shared_ptr<const LayoutStudy> study) {
  shown_ = std::move(study);
  split_->show();
  undo_->parentWidget()->show();
  undo_->setVisible(!tried_.empty());
  panel_->clear();
  stripes_->setChain({}, -1);
  moves_.setRows(shown_->rows);
  padded_.setRows(shown_->padded);
  tables_->setTabText(0, QString("Copies and transposes (%1)").arg(countText(moves_.rowCount())));
  tables_->setTabText(1, QString("Padding (%1)").arg(countText(padded_.rowCount())));
  showHead();
  auto* front = qobject_cast<TableView*>(tables_->widget(0));
  if (moves_.rowCount() > 0) front->setCurrentIndex(moves_.index(0, 0));
}

void LayoutsView::showHead() {
  const LayoutStudy& now = *shown_;
  const LayoutStudy& before = tried_.empty() ? now : tried_.size() > 1 ? *tried_[tried_.size() - 2] : *plain_;
  const Theme& theme = themeOf(*this);
  QString text =
      QString("<b>%1</b> of arrays &nbsp;·&nbsp; %2 moved &nbsp;·&nbsp; kernels that only move %3")
          .arg(countOf(costly(now), "copy or transpose", "copies and transposes"),
               bytesWith(now.bytes, before.bytes, theme), timeWith(now.aloneNs, before.aloneNs, theme));
  if (now.metrics && before.metrics)
    text += QString(" &nbsp;·&nbsp; step %1 &nbsp;·&nbsp; peak %2")
                .arg(timeWith(now.metrics->makespanNs, before.metrics->makespanNs, theme),
                     bytesWith(now.metrics->peakBytes, before.metrics->peakBytes, theme));
  QStringList more;
  more << (now.isOurs() ? "layouts as the pipeline gpu assigns them" : "layouts as the module has them");
  for (const LayoutConstraint& constraint : now.request.constraints)
    more << "with " + qs(constraint.instruction + " = " + constraint.layout).toHtmlEscaped();
  more << "estimated for " + qs(now.deviceText).toHtmlEscaped();
  head_->setText(text + "<br>" + more.join(" &nbsp;·&nbsp; "));
}

void LayoutsView::showRow(const LayoutRow& row) {
  panel_->show(row, adviceFor(*shown_, row.move));
  stripes_->setChain(row.move.chain, static_cast<int>(row.move.movePlace));
  if (!telling_) select(row.move.name);
}

void LayoutsView::showPadded(const PaddedArray& row) {
  const Instruction* array = shown_->module->instruction(row.instruction);
  if (array == nullptr) return;
  stripes_->setChain({}, -1);
  drawing_->setArray(qs(row.name), arrayAddresses(array->shape()), qs(whyNoAddresses(array->shape())));
  if (!telling_) select(row.name);
}

void LayoutsView::showLink(int line) {
  if (line < 0) return drawing_->setArray({}, std::nullopt, {});
  const LayoutChainLink& link = stripes_->chain()[static_cast<size_t>(line)];
  drawing_->setArray(qs(link.name), arrayAddresses(link.shape), qs(whyNoAddresses(link.shape)));
}

void LayoutsView::showMark() { mark_->setText(drawing_->note()); }

void LayoutsView::tryConstraint(const LayoutConstraint& constraint) {
  if (shown_ == nullptr || shown_->tried() == nullptr) return;
  LayoutRequest plain{
      .module = first_->tried(), .path = first_->request.path, .device = first_->request.device};
  LayoutRequest request = plain;
  if (!tried_.empty()) request.constraints = tried_.back()->request.constraints;
  std::erase_if(request.constraints,
                [&](const LayoutConstraint& c) { return c.instruction == constraint.instruction; });
  request.constraints.push_back(constraint);
  using Both = std::pair<std::shared_ptr<const LayoutStudy>, std::shared_ptr<const LayoutStudy>>;
  message_->say({});
  progress_->setJob(context_.jobs.submit(
      "layouts-try", "Lay out again",
      [plain, request, had = plain_](JobContext& job) -> Result<Both> {
        Both both{had, nullptr};
        if (had == nullptr) {
          TRY(both.first, makeLayoutStudy(plain, job));
        }
        TRY(both.second, makeLayoutStudy(request, job));
        return both;
      },
      [this, of = subject_](Result<Both> made) {
        progress_->setJob({});
        if (of != subject_ || first_ == nullptr) return;
        if (!made) return message_->sayWhy(made.error());
        plain_ = made->first;
        tried_.push_back(made->second);
        show(tried_.back());
      },
      &scope_));
}

void LayoutsView::undo() {
  if (tried_.empty()) return;
  tried_.pop_back();
  show(tried_.empty() ? first_ : tried_.back());
}

// Selects what is called so in what is current.
void LayoutsView::select(const std::string& name) {
  const Snapshot* current = context_.session.current();
  const Instruction* instruction = current == nullptr ? nullptr : current->module->findInstruction(name);
  if (instruction == nullptr) return;
  telling_ = true;
  context_.bus.select(selectionOf(*current, *instruction));
  telling_ = false;
}

void LayoutsView::follow(const Selection& selection) {
  if (telling_ || shown_ == nullptr || !isVisible()) return;
  const Snapshot* snapshot = snapshotFor(context_.session, selection);
  const Instruction* instruction =
      snapshot == nullptr ? nullptr : instructionOf(*snapshot->module, selection);
  if (instruction == nullptr) return;
  telling_ = true;
  if (!goTo(qs(instruction->name())) && instruction->shape().isArray())
    drawing_->setArray(qs(instruction->name()), arrayAddresses(instruction->shape()),
                       qs(whyNoAddresses(instruction->shape())));
  telling_ = false;
}

// The row of a copy or transpose, or of the kernel that it is in.
bool LayoutsView::goTo(const QString& name) {
  auto* table = qobject_cast<TableView*>(tables_->widget(0));
  for (int row = 0; row < moves_.rowCount(); ++row) {
    const LayoutMove& move = moves_.rows()[static_cast<size_t>(row)].move;
    if (move.name != toStd(name) && move.kernelName != toStd(name)) continue;
    tables_->setCurrentIndex(0);
    table->setCurrentIndex(moves_.index(row, 0));
    return true;
  }
  return false;
}

// `hilo layouts` with what was tried; a picture where what is current was made by passes.
QString LayoutsView::commandLine(ShownState state) const {
  const ModuleInput input = shown_ != nullptr ? pipedModule(context_.session) : ModuleInput();
  if (input.file.isEmpty()) return View::commandLine(std::move(state));
  QString line = input.before + "hilo layouts " + input.file;
  for (const LayoutConstraint& constraint : shown_->request.constraints)
    line += " --try " + shellWord(qs(constraint.instruction + "=" + constraint.layout));
  return line;
}

Status LayoutsView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  TRY_STATUS(steps.wait());
  if (shown_ == nullptr) return {};
  if (!request.query.isEmpty() && !goTo(request.query)) {
    return fail("no-such-row", fmt::format("'{}' is no copy or transpose", toStd(request.query)), {},
                {"--query names a copy, a transpose, or the kernel that one is in"});
  }
  const auto& advice = panel_->advice();
  const auto first =
      std::ranges::find_if(advice, [](const LayoutAdvice& a) { return a.constraint.has_value(); });
  if (request.run && first != advice.end()) {
    tryConstraint(*first->constraint);
    TRY_STATUS(steps.wait());
  }
  return {};
}

View* makeLayoutsView(const ViewContext& context) { return new LayoutsView(context); }

}  // namespace hilo
