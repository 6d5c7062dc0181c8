#include "ui/widgets/table_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>

#include "ui/widgets/empty_overlay.h"

namespace hilo {

TableView::TableView(QWidget* parent) : QTreeView(parent) {
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setAllColumnsShowFocus(true);
  setAlternatingRowColors(true);
  setSortingEnabled(true);
  header()->setSortIndicator(-1, Qt::AscendingOrder);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setFrameShape(NoFrame);
}

void TableView::setEmptyText(const QString& text) {
  if (empty_ == nullptr) {
    empty_ = new EmptyOverlay(this, text);
  } else {
    empty_->setText(text);
  }
}

void TableView::setColumnWidths(const std::vector<int>& characters) {
  const int cell = fontMetrics().averageCharWidth();
  for (size_t i = 0; i < characters.size(); ++i) {
    header()->resizeSection(static_cast<int>(i), characters[i] * cell + 12);
  }
  // A number at the far end of a wide table belongs to nothing.
  const QVariant last =
      model()->headerData(model()->columnCount() - 1, Qt::Horizontal, Qt::TextAlignmentRole);
  header()->setStretchLastSection(!last.isValid());
}

void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTreeView::currentChanged(current, previous);
  if (current.row() != previous.row() || !previous.isValid())
    Q_EMIT currentRowChanged(current.siblingAtColumn(0));
}

QString TableView::selectionAsText() const {
  if (model() == nullptr) return {};
  QStringList lines;
  const auto lineOf = [&](auto cell) {
    QStringList cells;
    for (int c = 0; c < model()->columnCount(); ++c) cells << cell(c);
    return cells.join('\t');
  };
  lines << lineOf([&](int c) { return model()->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString(); });
  for (int row = 0; row < model()->rowCount(); ++row) {
    const QModelIndex first = model()->index(row, 0);
    if (selectionModel()->hasSelection() && !selectionModel()->isRowSelected(row, {})) continue;
    lines << lineOf([&](int c) { return first.siblingAtColumn(c).data().toString(); });
  }
  return lines.join('\n') + '\n';
}

void TableView::copy() const { QApplication::clipboard()->setText(selectionAsText()); }

void TableView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    copy();
    return;
  }
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()) {
    Q_EMIT activated(currentIndex());
    return;
  }
  QTreeView::keyPressEvent(event);
}

void TableView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addAction("Copy as text", this, &TableView::copy);
  menu.exec(event->globalPos());
}

}  // namespace hilo
