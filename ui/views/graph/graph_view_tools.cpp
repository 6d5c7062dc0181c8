// The graph view's tool bar, menus and status, and how it is arranged.
#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QVBoxLayout>

#include "ui/models/text_of.h"
#include "ui/views/graph/graph_tool_bar.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/graph/legend.h"

namespace hilo {
namespace {

constexpr uint32_t kDefaultHops = 2;

}  // namespace

void GraphView::connectToolBar(JobQueue& jobs) {
  colours_ = new GraphColours(jobs, worker_.tag(), *canvas_, toolBar_->colourMenu(),
                              static_cast<QVBoxLayout&>(*layout()), this);
  connect(colours_, &GraphColours::changed, this, [this] { order(canvas_->selected()); });
  connect(colours_, &GraphColours::paletteChanged, legend_, &GraphLegend::refresh);
  connect(colours_, &GraphColours::explained, legend_, &QWidget::setVisible);
  connect(colours_, &GraphColours::said, this, &GraphView::say);
  connect(toolBar_, &GraphToolBar::groupingChosen, this, &GraphView::setGrouping);
  connect(toolBar_, &GraphToolBar::foldingChosen, this, &GraphView::setFolding);
  connect(toolBar_, &GraphToolBar::focusChosen, this,
          [this](FocusKind kind, uint32_t hops) { focusOn(selection_.around(kind, hops)); });
  connect(toolBar_, &GraphToolBar::pathsChosen, this, &GraphView::focusOnPaths);
  connect(toolBar_, &GraphToolBar::focusLeft, this, &GraphView::leaveFocus);
  connect(toolBar_, &GraphToolBar::fitAsked, canvas_, &CanvasWidget::fit);
  connect(toolBar_, &GraphToolBar::selectionAsked, canvas_, &CanvasWidget::zoomToSelection);
  connect(toolBar_, &GraphToolBar::openAllAsked, this, &GraphView::openAll);
  connect(toolBar_, &GraphToolBar::closeAllAsked, this, &GraphView::closeAll);
  connect(toolBar_, &GraphToolBar::legendAsked, legend_,
          [this] { legend_->setVisible(legend_->isHidden()); });
  connect(toolBar_, &GraphToolBar::exportAsked, this, [this] { export_.ask(GraphExport::Part::All); });
}

QStringList GraphView::arrangement() const {
  QStringList words;
  if (mode_ == GroupingMode::ByComputation) words << QStringLiteral("computations");
  if (!options_.fold) words << QStringLiteral("unfolded");
  if (const QString colour = colours_->name(); !colour.isEmpty()) words << QStringLiteral("colour=") + colour;
  for (const QString& query : colours_->queries()) words << QStringLiteral("query=") + query;
  if (focus_ && focus_->kind == FocusKind::Hops) words << QStringLiteral("focus=%1").arg(focus_->hops);
  if (focus_ && focus_->kind == FocusKind::Operands) words << QStringLiteral("focus=operands");
  if (focus_ && focus_->kind == FocusKind::Users) words << QStringLiteral("focus=users");
  if (!legend_->isHidden()) words << QStringLiteral("legend");
  return words;
}

Status GraphView::focusBy(const QString& name) {
  TRY(const GraphFocus focus, selection_.named(name));
  focusOn(focus);
  return {};
}

void GraphView::focusOnPaths() {
  if (module_ == nullptr) return;
  const auto paths = selection_.paths(*module_);
  if (!paths) return say(tr("Select one instruction and then another to see the paths between them."));
  focusOn(*paths);
}

void GraphView::say(const QString& status) {
  status_->setToolTip(status);
  status_->setText(status);
}

void GraphView::showMenu(quint64 key, QPoint place) {
  if (picture_.get() == nullptr) return;
  QMenu menu(this);
  const uint32_t node = canvas_->index().find(key);
  if (node != kNoIndex) {
    const SceneNode& shown = canvas_->scene().nodes[node];
    if (shown.group)
      menu.addAction(shown.open ? tr("Close") : tr("Open"), this, [this, key] { toggle(key); });
    if (picture_->instructions[node] != nullptr) {
      Q_EMIT menuAsked(&menu);
      menu.addAction(tr("Neighbourhood"), this,
                     [this] { focusOn(selection_.around(FocusKind::Hops, kDefaultHops)); });
      menu.addAction(tr("Operands (transitive)"), this,
                     [this] { focusOn(selection_.around(FocusKind::Operands)); });
      menu.addAction(tr("Users (transitive)"), this,
                     [this] { focusOn(selection_.around(FocusKind::Users)); });
    }
    menu.addSeparator();
    menu.addAction(tr("Copy name"), this, [text = shown.title] { QApplication::clipboard()->setText(text); });
    menu.addAction(tr("Copy as an HLO module"), this, [this, key] { export_.copyAsModule(key); });
    menu.addAction(tr("Save as an HLO module…"), this, [this, key] { export_.saveAsModule(key); });
    menu.addAction(tr("Export a picture of this…"), this,
                   [this] { export_.ask(GraphExport::Part::Selection); });
    menu.addSeparator();
  }
  if (focus_) menu.addAction(tr("Clear focus"), this, &GraphView::leaveFocus);
  menu.addAction(tr("Open all groups"), this, &GraphView::openAll);
  menu.addAction(tr("Close all groups"), this, &GraphView::closeAll);
  menu.addAction(tr("Export all…"), this, [this] { export_.ask(GraphExport::Part::All); });
  menu.addAction(tr("Export what is in sight…"), this, [this] { export_.ask(GraphExport::Part::InSight); });
  menu.exec(place);
}

}  // namespace hilo
