// The elements of an array as a table: the last dimension to the right, the others downwards. Read as they
// are looked at, so that a large array costs nothing.
#pragma once

#include <QAbstractTableModel>

#include "core/hlo/ir/literal.h"

namespace hilo {

class LiteralTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  static constexpr int kMostColumns = 1'024, kMostRows = 100'000;

  using QAbstractTableModel::QAbstractTableModel;
  // An array; anything else shows nothing. Copies share bytes.
  void setLiteral(Literal literal);
  const Literal& literal() const { return literal_; }
  // Past the limits: what is left out, for a line beside the table; "" where all is shown.
  QString leftOut() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  Literal literal_;
  int64_t columns_ = 0, rows_ = 0;
};

// Arrays of a value, each with its place: "{1,0}", "" for an array itself.
std::vector<std::pair<QString, Literal>> arraysOf(const Literal& literal);

}  // namespace hilo
