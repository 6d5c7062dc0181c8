// A table over a vector of plain rows: columns say how a row reads and how it sorts. Sorting reorders the
// rows themselves, stably, so row(index) is what the user sees at that index.
#pragma once

#include <QAbstractTableModel>
#include <QColor>
#include <functional>
#include <numeric>
#include <vector>

namespace hilo {

// Besides Qt's own roles: a number as it is, where the text is shortened for people ("1.24 ms").
struct TableRole {
  static constexpr int kExact = Qt::UserRole + 1;
};

template <typename Row>
struct TableColumn {
  QString title;
  std::function<QString(const Row&)> text;
  // Orders rows where the text does not; numbers go right-aligned.
  std::function<double(const Row&)> number = nullptr;
  std::function<QString(const Row&)> tip = nullptr;
};

template <typename Row>
class TableModel : public QAbstractTableModel {
 public:
  explicit TableModel(std::vector<TableColumn<Row>> columns, QObject* parent = nullptr)
      : QAbstractTableModel(parent), columns_(std::move(columns)) {}

  const std::vector<Row>& rows() const { return rows_; }
  const Row* rowAt(const QModelIndex& index) const {
    const bool inside = index.isValid() && static_cast<size_t>(index.row()) < rows_.size();
    return inside ? &rows_[static_cast<size_t>(index.row())] : nullptr;
  }
  // Keeps the sorting the user chose. Rows in place of as many rows keep what is selected.
  void setRows(std::vector<Row> rows) {
    if (rows.size() == rows_.size() && !rows_.empty()) {
      rows_ = std::move(rows);
      sortRows(nullptr);
      Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
      return;
    }
    beginResetModel();
    rows_ = std::move(rows);
    sortRows(nullptr);
    endResetModel();
  }
  void setForeground(std::function<QVariant(const Row&)> colour) { foreground_ = std::move(colour); }
  void setDecoration(std::function<QVariant(const Row&)> decoration) { decoration_ = std::move(decoration); }

  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
  }
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override {
    const Row* row = rowAt(index);
    if (row == nullptr) return {};
    const TableColumn<Row>& column = columns_[static_cast<size_t>(index.column())];
    switch (role) {
      case Qt::DisplayRole:
        return column.text(*row);
      case TableRole::kExact:
        return column.number ? QString::number(column.number(*row), 'g', 17) : column.text(*row);
      case Qt::ToolTipRole:
        return column.tip ? column.tip(*row) : column.text(*row);
      case Qt::TextAlignmentRole:
        return QVariant(
            static_cast<int>((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
      case Qt::ForegroundRole:
        return foreground_ ? foreground_(*row) : QVariant();
      case Qt::DecorationRole:
        return decoration_ && index.column() == 0 ? decoration_(*row) : QVariant();
      default:
        return {};
    }
  }
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const TableColumn<Row>& column = columns_[static_cast<size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::TextAlignmentRole && column.number) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
  }
  void sort(int column, Qt::SortOrder order) override {
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    sortColumn_ = column;
    sortOrder_ = order;
    std::vector<int> newPlace;
    sortRows(&newPlace);
    const QModelIndexList old = persistentIndexList();
    for (const QModelIndex& from : old) {
      changePersistentIndex(from, index(newPlace[static_cast<size_t>(from.row())], from.column()));
    }
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
  }

 private:
  // newPlace[old row] = new row, when asked for.
  void sortRows(std::vector<int>* newPlace) {
    std::vector<size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (sortColumn_ >= 0 && sortColumn_ < columnCount())
      orderBy(columns_[static_cast<size_t>(sortColumn_)], order);
    std::vector<Row> sorted;
    sorted.reserve(rows_.size());
    if (newPlace != nullptr) newPlace->resize(rows_.size());
    for (size_t i = 0; i < order.size(); ++i) {
      if (newPlace != nullptr) (*newPlace)[order[i]] = static_cast<int>(i);
      sorted.push_back(std::move(rows_[order[i]]));
    }
    rows_ = std::move(sorted);
  }
  void orderBy(const TableColumn<Row>& column, std::vector<size_t>& order) const {
    const auto sortBy = [&](const auto& keys) {
      std::ranges::sort(order, [&](size_t a, size_t b) {
        if (keys[a] == keys[b]) return a < b;
        return sortOrder_ == Qt::AscendingOrder ? keys[a] < keys[b] : keys[b] < keys[a];
      });
    };
    if (column.number) {
      std::vector<double> keys;
      for (const Row& row : rows_) keys.push_back(column.number(row));
      sortBy(keys);
    } else {
      std::vector<QString> keys;
      for (const Row& row : rows_) keys.push_back(column.text(row));
      sortBy(keys);
    }
  }

  std::vector<TableColumn<Row>> columns_;
  std::vector<Row> rows_;
  std::function<QVariant(const Row&)> foreground_;
  std::function<QVariant(const Row&)> decoration_;
  int sortColumn_ = -1;
  Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
};

}  // namespace hilo
