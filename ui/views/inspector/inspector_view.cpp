#include "ui/views/inspector/inspector_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/analysis/cost_facts.h"
#include "core/workspace/kernels/kernel_payload.h"
#include "core/workspace/values/value_study.h"
#include "ui/models/buffer_rows.h"
#include "ui/models/literal_text.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/empty_overlay.h"
#include "ui/widgets/instruction_menu.h"

namespace hilo {
namespace {

// Leads to the text of the kernel that a custom call carries.
InspectorRow kernelRow(const Instruction& instruction) {
  InspectorRow row{"kernel", {}, {}, {}, true};
  RowLink link{.kind = RowLink::Kind::kFile};
  link.sourceFile = qs(std::string(kKernelPath) + std::string(instruction.name()));
  row.add({"text", "Open kernel", link});
  return row;
}

}  // namespace

InspectorView::InspectorView(const ViewContext& context, QWidget* parent)
    : View(context, parent), closedSections_{"opcodes"} {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  title_ = new QLabel(this);
  title_->setAccessibleName("What is shown");
  title_->setMargin(kSpaceSmall);
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  title_->setWordWrap(true);
  title_->hide();
  layout->addWidget(title_);
  buildTree();
  diagrams_ = new GridDiagram;
  diagramArea_ = new QScrollArea;
  diagramArea_->setAccessibleName("Diagrams");
  diagramArea_->setWidget(diagrams_);
  diagramArea_->setWidgetResizable(true);
  diagramArea_->setFrameShape(QFrame::NoFrame);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->addWidget(tree_);
  split->addWidget(diagramArea_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 1);
  split->setSizes({600, 260});
  layout->addWidget(split, 1);
  diagramArea_->hide();
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &InspectorView::refresh);
  connect(&context_.bus, &SelectionBus::lookedAt, this, &InspectorView::refresh);
  connect(&context_.changes, &SessionChanges::currentChanged, this, &InspectorView::refresh);
  connect(&context_.changes, &SessionChanges::currentShown, this, &InspectorView::refresh);
  const auto refreshShown = [this](SnapshotId id) {
    if (id == shown_) refresh();
  };
  connect(&context_.changes, &SessionChanges::resultReady, this, refreshShown);
}

void InspectorView::buildTree() {
  tree_ = new QTreeView(this);
  tree_->setAccessibleName("Properties");
  tree_->setModel(&model_);
  tree_->setUniformRowHeights(true);
  tree_->setAlternatingRowColors(true);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  tree_->setIndentation(14);
  tree_->setMouseTracking(true);
  tree_->viewport()->installEventFilter(this);
  tree_->installEventFilter(this);
  new EmptyOverlay(tree_, "Nothing is selected.\nClick an instruction in the graph, the text or the tree.");
  connect(tree_, &QTreeView::activated, this, &InspectorView::activateIndex);
  connect(tree_, &QTreeView::entered, this, &InspectorView::hoverIndex);
}

void InspectorView::appendCost(std::vector<InspectorRow>& rows, const Snapshot& snapshot,
                               const Selection& selection) {
  const auto counted = context_.session.result<ResultKind::Cost>(snapshot.id);
  if (!counted) {
    if (context_.session.isShown()) context_.session.request(snapshot.id, ResultKind::Cost);
    return;
  }
  const Instruction* instruction = instructionOf(*snapshot.module, selection);
  const Computation* computation = computationOf(*snapshot.module, selection);
  const CostFacts& facts = instruction != nullptr   ? counted->of(*instruction)
                           : computation != nullptr ? counted->of(*computation)
                                                    : counted->total();
  InspectorRow row{"cost", {}, {}, {}, true};
  row.value = QString("%1, %2 accessed").arg(flopsText(facts.flops), bytesText(facts.bytesAccessed));
  row.add({"flops", countText(facts.flops)});
  row.add({"transcendentals", countText(facts.transcendentals)});
  row.add({"bytes accessed", bytesText(facts.bytesAccessed)});
  row.add({"output bytes", bytesText(facts.outputBytes)});
  if (facts.bytesAccessed > 0) {
    row.add({"arithmetic intensity",
             QString::number(static_cast<double>(facts.flops) / static_cast<double>(facts.bytesAccessed), 'g',
                             3)});
  }
  if (facts.tripCountUnknown) row.add({"note", "a loop of unknown trip count was counted once"});
  rows.insert(rows.begin() + std::min<ptrdiff_t>(2, std::ssize(rows)), std::move(row));
}

void InspectorView::appendBuffers(std::vector<InspectorRow>& rows, const Snapshot& snapshot,
                                  const Selection& selection) {
  const auto buffers = context_.session.result<ResultKind::Buffers>(snapshot.id);
  if (!buffers) {
    if (context_.session.isShown()) context_.session.request(snapshot.id, ResultKind::Buffers);
    return;
  }
  const Instruction* instruction = instructionOf(*snapshot.module, selection);
  auto more = instruction != nullptr                                  ? bufferRows(*buffers, *instruction)
              : computationOf(*snapshot.module, selection) == nullptr ? bufferRows(*buffers, *snapshot.module)
                                                                      : std::vector<InspectorRow>();
  const auto place = rows.begin() + std::min<ptrdiff_t>(3, std::ssize(rows));
  rows.insert(place, std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Of an instruction whose value was computed.
void InspectorView::appendValue(std::vector<InspectorRow>& rows, const Snapshot& snapshot,
                                const Instruction& instruction) {
  const auto values = context_.session.result<ResultKind::Values>(snapshot.id);
  const auto value = values == nullptr ? nullptr : values->known(instruction);
  if (value == nullptr) return;
  InspectorRow row{"value", {}, {}, {}, true};
  row.value = qs(spreadText(value->devices[0]));
  row.add({"by", qs(values->request().engine)});
  for (size_t d = 0; d < value->devices.size(); ++d) {
    const ValueSummary& summary = value->devices[d];
    const QString of = value->devices.size() == 1 ? QString() : QString(" of device %1").arg(d);
    row.add({"mean" + of, QString::number(summary.mean, 'g', 6)});
    row.add({"zero" + of, countText(summary.zero)});
    if (!summary.isFinite()) row.add({"not finite" + of, qs(summary.firstNonfinite)});
  }
  row.add({"elements", literalText(value->literals[0], 8)});
  rows.insert(rows.begin() + std::min<ptrdiff_t>(2, std::ssize(rows)), std::move(row));
}

// The names have what they need, up to two fifths, or half where there is little room: the rest is
// for the values.
void InspectorView::placeColumns() {
  constexpr int kNarrow = 360;
  tree_->resizeColumnToContents(0);
  const int width = tree_->viewport()->width();
  const int limit = width < kNarrow ? width / 2 : width * 2 / 5;
  if (tree_->columnWidth(0) > limit) tree_->header()->resizeSection(0, limit);
}

void InspectorView::refresh() {
  rememberSections();
  const Selection& selection = context_.bus.pointed();
  const Snapshot* snapshot = snapshotFor(context_.session, selection);
  if (snapshot == nullptr) {
    shown_ = {};
    title_->hide();
    model_.setRows({});
    showDiagrams(nullptr);
    return;
  }
  shown_ = snapshot->id;
  const Instruction* instruction = instructionOf(*snapshot->module, selection);
  const Computation* computation = computationOf(*snapshot->module, selection);
  std::vector<InspectorRow> rows = instruction != nullptr   ? instructionRows(*instruction)
                                   : computation != nullptr ? computationRows(*computation)
                                                            : moduleRows(*snapshot->module);
  if (instruction != nullptr && carriesKernel(*instruction))
    rows.insert(rows.begin() + 1, kernelRow(*instruction));
  appendCost(rows, *snapshot, selection);
  if (instruction != nullptr) appendValue(rows, *snapshot, *instruction);
  appendBuffers(rows, *snapshot, selection);
  const QString what = instruction != nullptr   ? qs(instruction->name())
                       : computation != nullptr ? qs(computation->name())
                                                : qs(snapshot->module->name());
  QString title = QString("<b>%1</b>").arg(what.toHtmlEscaped());
  if (snapshot != context_.session.current()) title += "<br>in " + qs(snapshot->title).toHtmlEscaped();
  title_->setText(title);
  title_->show();
  model_.setRows(std::move(rows));
  openSections();
  showDiagrams(instruction);
}

void InspectorView::showDiagrams(const Instruction* instruction) {
  diagrams_->setDiagrams(instruction == nullptr ? std::vector<Diagram>() : diagramsOf(*instruction));
  diagramArea_->setVisible(!diagrams_->diagrams().empty());
}

void InspectorView::rememberSections() {
  for (int row = 0; row < model_.rowCount(); ++row) {
    const QModelIndex index = model_.index(row, 0);
    if (tree_->isExpanded(index) || model_.rowCount(index) == 0) {
      if (tree_->isExpanded(index)) closedSections_.remove(index.data().toString());
    } else {
      closedSections_.insert(index.data().toString());
    }
  }
}

void InspectorView::openSections() {
  constexpr int kManyRows = 40;
  for (int row = 0; row < model_.rowCount(); ++row) {
    const QModelIndex index = model_.index(row, 0);
    const bool open =
        !closedSections_.contains(index.data().toString()) && model_.rowCount(index) < kManyRows;
    tree_->setExpanded(index, open);
  }
  placeColumns();
}

Selection InspectorView::targetOf(const RowLink& link) const {
  const Snapshot* snapshot = context_.session.snapshot(shown_);
  const bool leads = link.kind == RowLink::Kind::kInstruction || link.kind == RowLink::Kind::kComputation;
  if (snapshot == nullptr || !leads) return {};
  return {snapshot->document, snapshot->id, link.computation, link.instruction};
}

void InspectorView::activateIndex(const QModelIndex& index) {
  const RowLink link = model_.linkAt(index);
  if (link.kind == RowLink::Kind::kSource) {
    context_.bus.ask(searchForSource(link.sourceFile, link.sourceLine));
  } else if (link.kind == RowLink::Kind::kFile) {
    context_.bus.ask(ShowFile{link.sourceFile, link.word});
  } else if (const Selection target = targetOf(link); !target.empty()) {
    context_.bus.activate(target);
  }
}

void InspectorView::hoverIndex(const QModelIndex& index) {
  const RowLink link = model_.linkAt(index);
  tree_->viewport()->setCursor(link.kind == RowLink::Kind::kNone ? Qt::ArrowCursor : Qt::PointingHandCursor);
  context_.bus.hover(targetOf(link));
}

QString InspectorView::asText() const { return rowsAsText(model_.rows()); }

void InspectorView::copy() const {
  QString text;
  for (const QModelIndex& index : tree_->selectionModel()->selectedRows()) text += model_.textOf(index);
  QApplication::clipboard()->setText(text.isEmpty() ? asText() : text);
}

bool InspectorView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_->viewport() && event->type() == QEvent::MouseButtonRelease) {
    // A link is followed by one click on its value, as links are everywhere else.
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const QModelIndex index = tree_->indexAt(mouse->pos());
    const bool onLink = index.column() == 1 && model_.linkAt(index).kind != RowLink::Kind::kNone;
    if (mouse->button() == Qt::LeftButton && mouse->modifiers() == Qt::NoModifier && onLink) {
      // Following replaces the rows: let the view finish with this event first.
      QMetaObject::invokeMethod(
          this, [this, link = QPersistentModelIndex(index)] { activateIndex(link); }, Qt::QueuedConnection);
    }
  }
  if (watched == tree_->viewport() && event->type() == QEvent::Resize) placeColumns();
  if (watched == tree_->viewport() && event->type() == QEvent::Leave) context_.bus.hover({});
  if (watched == tree_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
    copy();
    return true;
  }
  if (watched == tree_ && event->type() == QEvent::ContextMenu) {
    QMenu menu(this);
    menu.addAction("Copy as text", this, &InspectorView::copy);
    menu.addAction("Copy everything as text", this, [this] { QApplication::clipboard()->setText(asText()); });
    addInstructionMenu(menu, context_);
    menu.exec(static_cast<QContextMenuEvent*>(event)->globalPos());
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

View* makeInspectorView(const ViewContext& context) { return new InspectorView(context); }

}  // namespace hilo
