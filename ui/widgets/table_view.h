// A table as the studio shows every table: sortable by its headers, whole rows selected, Ctrl+C copies the
// selected rows (all when none is) as tab-separated text, its menu saves it as CSV.
#pragma once

#include <QMenu>
#include <QTreeView>

namespace hilo {

class EmptyOverlay;

class TableView : public QTreeView {
  Q_OBJECT

 public:
  explicit TableView(QWidget* parent = nullptr);

  // Model must be set before. `text` shows while there are no rows; may be said anew.
  void setEmptyText(const QString& text);
  // Widths in characters; the last column takes what is left.
  void setColumnWidths(const std::vector<int>& characters);
  // `column` takes what the others leave, at least so many characters: then the table scrolls sideways.
  void setFillingColumn(int column, int leastCharacters);
  QString selectionAsText() const;
  // The same as comma-separated values (RFC 4180), all rows when `all`.
  QString asCsv(bool all) const;

 Q_SIGNALS:
  // The current row changed, by mouse or keyboard; the index is of column 0.
  void currentRowChanged(const QModelIndex& index);
  // The menu is about to be shown: what else the owner's rows can do is added here.
  void menuAsked(QMenu* menu);

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  // After columns were hidden or resized.
  void fill();

 private:
  void copy() const;
  void saveCsv();

  EmptyOverlay* empty_ = nullptr;
  int fillingColumn_ = -1, leastFilling_ = 0;
};

}  // namespace hilo
