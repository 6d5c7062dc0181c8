#include "ui/views/tree/tree_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QVBoxLayout>

#include "core/workspace/session/comparable.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/empty_overlay.h"
#include "ui/widgets/instruction_menu.h"

namespace hilo {
namespace {
constexpr int kFilterDelayMs = 120;
constexpr size_t kExpandMatches = 300;
}  // namespace

TreeView::TreeView(const ViewContext& context, QWidget* parent)
    : View(context, parent), model_(context.session, context.changes) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, kSpaceSmall, 0, 0);
  layout->setSpacing(kSpaceSmall);
  filter_ = new QLineEdit(this);
  filter_->setPlaceholderText("Filter: name, opcode or query");
  filter_->setClearButtonEnabled(true);
  filter_->setAccessibleName("Filter");
  filter_->installEventFilter(this);
  layout->addWidget(filter_);
  buildTree();
  layout->addWidget(tree_);
  filterTimer_.setSingleShot(true);
  filterTimer_.setInterval(kFilterDelayMs);
  connect(&filterTimer_, &QTimer::timeout, this, &TreeView::applyFilter);
  connect(filter_, &QLineEdit::textChanged, &filterTimer_, qOverload<>(&QTimer::start));
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &TreeView::showSelection);
  connect(&context_.changes, &SessionChanges::findingChanged, tree_, [this] { tree_->viewport()->update(); });
  connect(&context_.changes, &SessionChanges::currentChanged, this,
          [this] { showSelection(context_.bus.selected()); });
  addMenuAction("Go", "go.filterTree", "Filter &modules...", QKeySequence("Ctrl+Shift+M"), [this] {
    comeToFront();
    filter_->setFocus();
  });
}

void TreeView::buildTree() {
  tree_ = new QTreeView(this);
  tree_->setAccessibleName("Modules");
  tree_->setModel(&model_);
  tree_->setUniformRowHeights(true);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  tree_->setIndentation(14);
  tree_->setContextMenuPolicy(Qt::CustomContextMenu);
  tree_->setMouseTracking(true);
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  tree_->setTextElideMode(Qt::ElideMiddle);
  new EmptyOverlay(tree_,
                   "Nothing is open.\nCtrl+O opens a file, Ctrl+Shift+O a dump directory; "
                   "either can be dropped here.");
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, &TreeView::selectCurrent);
  connect(tree_, &QTreeView::activated, this, &TreeView::activateIndex);
  connect(tree_, &QTreeView::entered, this, [this](const QModelIndex& index) {
    const auto entry = model_.entryAt(index);
    context_.bus.hover(entry.kind == ModuleTreeModel::Kind::kInstruction ? entry.selection : Selection{});
  });
  connect(tree_, &QWidget::customContextMenuRequested, this, &TreeView::showMenu);
  connect(&model_, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex& parent) {
    if (!parent.isValid()) tree_->expand(model_.index(model_.rowCount() - 1, 0));
  });
}

// Names go first: a narrow tree has nothing else, a wide one everything.
void TreeView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const int cell = tree_->fontMetrics().averageCharWidth();
  const int room = width() / cell;
  tree_->setColumnHidden(1, room < 32);
  tree_->setColumnHidden(2, room < 64);
  tree_->header()->resizeSection(1, std::clamp(room / 4, 9, 22) * cell);
  tree_->header()->resizeSection(2, room / 3 * cell);
}

void TreeView::applyFilter() {
  const Status filtered = model_.setFilter(filter_->text());
  filter_->setToolTip(filtered ? QString("Words, or a query as in Search: opcode:dot bytes>1MB")
                               : qs(filtered.error().message));
  if (filter_->text().trimmed().isEmpty()) {
    tree_->expandToDepth(0);
    showSelection(context_.bus.selected());
  } else if (model_.filterMatches() <= kExpandMatches) {
    tree_->expandAll();
  } else {
    tree_->expandToDepth(0);
  }
}

void TreeView::selectCurrent(const QModelIndex& index) {
  if (showing_ || !index.isValid()) return;
  const auto entry = model_.entryAt(index);
  if (entry.selection.snapshot.valid()) context_.bus.select(entry.selection);
  if (entry.kind == ModuleTreeModel::Kind::kDocument) context_.session.showCompiled(entry.selection.document);
}

void TreeView::activateIndex(const QModelIndex& index) {
  const auto entry = model_.entryAt(index);
  if (entry.kind == ModuleTreeModel::Kind::kStage) {
    context_.session.showStage(entry.selection.document, entry.moduleIndex, entry.stageIndex);
  } else if (entry.kind == ModuleTreeModel::Kind::kStep) {
    showStep(context_.session, entry.series, entry.step);
  } else if (entry.kind == ModuleTreeModel::Kind::kFile) {
    context_.bus.ask(ShowFile{entry.path, {}});
  } else if (entry.selection.snapshot.valid()) {
    context_.bus.activate(entry.selection);
  } else if (entry.kind == ModuleTreeModel::Kind::kDocument) {
    context_.session.showCompiled(entry.selection.document);
  }
}

void TreeView::showSelection(const Selection& selection) {
  if (selection.empty()) return;
  const QModelIndex index = model_.indexOf(selection);
  if (!index.isValid()) return;
  showing_ = true;
  tree_->setCurrentIndex(index);
  tree_->scrollTo(index, QAbstractItemView::EnsureVisible);
  showing_ = false;
}

// What is shown is the module after, this one the module before.
void TreeView::compareWith(const ModuleTreeModel::Entry& entry) {
  Session& session = context_.session;
  compareWithCurrent(session,
                     entry.kind == ModuleTreeModel::Kind::kStage
                         ? stepOf(session, entry.selection.document, entry.moduleIndex, entry.stageIndex)
                         : stepOf(session, entry.selection.snapshot));
  context_.bus.ask(ShowView{"passes"});
}

void TreeView::showMenu(const QPoint& place) {
  const QModelIndex index = tree_->indexAt(place);
  if (!index.isValid()) return;
  QMenu menu(this);
  const auto entry = model_.entryAt(index);
  menu.addAction("Go to", this, [this, index] { activateIndex(index); });
  menu.addAction("Copy name", this,
                 [index] { QApplication::clipboard()->setText(index.siblingAtColumn(0).data().toString()); });
  using Kind = ModuleTreeModel::Kind;
  const bool isModule =
      entry.kind == Kind::kStage || entry.kind == Kind::kStep || entry.kind == Kind::kDocument;
  if (isModule && (entry.kind == Kind::kStage || entry.selection.snapshot.valid())) {
    menu.addAction("Compare with the module shown", this, [this, entry] { compareWith(entry); });
  }
  if (entry.kind == Kind::kDocument) {
    menu.addAction("Close", this, [this, entry] { context_.session.close(entry.selection.document); });
  }
  if (entry.kind == Kind::kInstruction) {
    tree_->setCurrentIndex(index);
    addInstructionMenu(menu, context_);
  }
  menu.exec(tree_->viewport()->mapToGlobal(place));
}

bool TreeView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == filter_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Down) {
      tree_->setFocus();
      return true;
    }
    if (key == Qt::Key_Escape && !filter_->text().isEmpty()) {
      filter_->clear();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

View* makeTreeView(const ViewContext& context) { return new TreeView(context); }

}  // namespace hilo
