#include "ui/widgets/table_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMessageBox>
#include <QRegularExpression>
#include <QSaveFile>
#include <utility>

#include "ui/models/table_model.h"
#include "ui/widgets/ask_file.h"
#include "ui/widgets/column_menu.h"
#include "ui/widgets/empty_overlay.h"

namespace hilo {
namespace {

// Columns of numbers are aligned (table_model.h).
bool isOfNumbers(const QTreeView& table, int column) {
  return table.model() != nullptr &&
         table.model()->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).isValid();
}

// The arrow of the column that a table is sorted by stands behind its title: drawn by the style it would be
// over the end of a title that is aligned to the right.
class SortedHeader : public QHeaderView {
 public:
  using QHeaderView::QHeaderView;

 protected:
  void initStyleOptionForIndex(QStyleOptionHeader* option, int logicalIndex) const override {
    QHeaderView::initStyleOptionForIndex(option, logicalIndex);
    if (option->sortIndicator == QStyleOptionHeader::None) return;
    option->text += sortIndicatorOrder() == Qt::AscendingOrder ? QStringLiteral(" ▴") : QStringLiteral(" ▾");
    option->sortIndicator = QStyleOptionHeader::None;
  }
};

// Who sorts by numbers looks for the largest: the first click on such a column sorts downwards. Called once
// the table sorts by its headers, which answers first.
void beginWithLargest(QTreeView& table) {
  QHeaderView* header = table.header();
  QObject::connect(header, &QHeaderView::sortIndicatorChanged, &table,
                   [&table, header, last = -1](int column, Qt::SortOrder order) mutable {
                     const bool isFirst = std::exchange(last, column) != column;
                     if (isFirst && order == Qt::AscendingOrder && isOfNumbers(table, column))
                       header->setSortIndicator(column, Qt::DescendingOrder);
                   });
}

}  // namespace

TableView::TableView(QWidget* parent) : QTreeView(parent) {
  setHeader(new SortedHeader(Qt::Horizontal, this));
  header()->setSectionsMovable(true);
  header()->setStretchLastSection(true);
  header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  // Names of instructions and scopes are told apart by their ends.
  setTextElideMode(Qt::ElideMiddle);
  setAllColumnsShowFocus(true);
  setAlternatingRowColors(true);
  setSortingEnabled(true);
  header()->setSortIndicator(-1, Qt::AscendingOrder);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setFrameShape(NoFrame);
  beginWithLargest(*this);
  header()->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(header(), &QWidget::customContextMenuRequested, this, [this](QPoint place) {
    if (model() == nullptr) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addColumns(*menu, *this);
    menu->popup(header()->viewport()->mapToGlobal(place));
  });
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

void TableView::setFillingColumn(int column, int leastCharacters) {
  fillingColumn_ = column;
  leastFilling_ = leastCharacters * fontMetrics().averageCharWidth() + 12;
  header()->setStretchLastSection(false);
  fill();
}

void TableView::fill() {
  if (fillingColumn_ < 0) return;
  const int others = header()->length() - header()->sectionSize(fillingColumn_);
  header()->resizeSection(fillingColumn_, std::max(leastFilling_, viewport()->width() - others));
}

void TableView::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  fill();
}

void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTreeView::currentChanged(current, previous);
  if (current.row() != previous.row() || !previous.isValid())
    Q_EMIT currentRowChanged(current.siblingAtColumn(0));
}

namespace {

// Head and rows, each cell through `cell`; `all` or nothing selected: every row.
QString textOfTable(const QTreeView& view, bool all, QChar separator, QString (*cell)(const QString&)) {
  const QAbstractItemModel* model = view.model();
  if (model == nullptr) return {};
  QString text;
  const auto addLine = [&](auto textAt) {
    for (int c = 0; c < model->columnCount(); ++c) {
      if (c > 0) text += separator;
      text += cell(textAt(c));
    }
    text += '\n';
  };
  addLine([&](int c) { return model->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString(); });
  for (int row = 0; row < model->rowCount(); ++row) {
    const bool wanted =
        all || !view.selectionModel()->hasSelection() || view.selectionModel()->isRowSelected(row, {});
    if (wanted) addLine([&](int c) { return model->index(row, c).data(TableRole::kExact).toString(); });
  }
  return text;
}

QString csvCell(const QString& text) {
  if (!text.contains(QRegularExpression("[\",\n\r]"))) return text;
  return '"' + QString(text).replace('"', "\"\"") + '"';
}

}  // namespace

QString TableView::selectionAsText() const {
  return textOfTable(*this, false, '\t', [](const QString& text) { return text; });
}

QString TableView::asCsv(bool all) const { return textOfTable(*this, all, ',', csvCell); }

void TableView::saveCsv() {
  const FileQuestion question{
      .title = "Save as CSV", .filter = "CSV (*.csv)", .saves = true, .suffix = "csv"};
  askFile(*this, question, [this](const QString& path) {
    QSaveFile file(path);
    const QByteArray csv = asCsv(true).toUtf8();
    if (file.open(QFile::WriteOnly) && file.write(csv) == csv.size() && file.commit()) return;
    QMessageBox::warning(this, "Save as CSV", path + " could not be written: " + file.errorString());
  });
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
  menu.addAction("Copy as CSV", this, [this] { QApplication::clipboard()->setText(asCsv(false)); });
  menu.addAction("Save all as CSV...", this, &TableView::saveCsv);
  Q_EMIT menuAsked(&menu);
  menu.exec(event->globalPos());
}

}  // namespace hilo
