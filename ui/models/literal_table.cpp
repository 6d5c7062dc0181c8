#include "ui/models/literal_table.h"

#include <algorithm>
#include <cmath>

#include "ui/models/literal_text.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

void collectArrays(const Literal& literal, const QString& path,
                   std::vector<std::pair<QString, Literal>>& arrays) {
  if (!literal.isTuple()) {
    if (literal.shape().isArray())
      arrays.emplace_back(path.isEmpty() ? QString() : "{" + path + "}", literal);
    return;
  }
  for (size_t i = 0; i < literal.elements().size(); ++i) {
    const QString number = QString::number(i);
    collectArrays(literal.elements()[i], path.isEmpty() ? number : path + "," + number, arrays);
  }
}

}  // namespace

std::vector<std::pair<QString, Literal>> arraysOf(const Literal& literal) {
  std::vector<std::pair<QString, Literal>> arrays;
  collectArrays(literal, {}, arrays);
  return arrays;
}

void LiteralTableModel::setLiteral(Literal literal) {
  beginResetModel();
  literal_ = std::move(literal);
  const Shape shape = literal_.shape();
  const bool shown = shape.isArray() && !literal_.isElided() && shape.elementCount() > 0;
  columns_ = !shown ? 0 : shape.rank() == 0 ? 1 : shape.dimension(shape.rank() - 1);
  rows_ = shown ? shape.elementCount() / columns_ : 0;
  endResetModel();
}

QString LiteralTableModel::leftOut() const {
  QStringList parts;
  if (columns_ > kMostColumns)
    parts << QString("the first %1 of %2 columns").arg(countText(kMostColumns), countText(columns_));
  if (rows_ > kMostRows)
    parts << QString("the first %1 of %2 rows").arg(countText(kMostRows), countText(rows_));
  return parts.join(", ");
}

int LiteralTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(std::min<int64_t>(rows_, kMostRows));
}

int LiteralTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(std::min<int64_t>(columns_, kMostColumns));
}

QVariant LiteralTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  return qs(elementText(literal_, index.row() * columns_ + index.column()));
}

QVariant LiteralTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || section < 0) return {};
  if (orientation == Qt::Horizontal) return section;
  const Shape shape = literal_.shape();
  if (!shape.isArray() || shape.rank() <= 1) return QString();
  QStringList index;
  int64_t place = section;
  for (size_t d = shape.rank() - 1; d-- > 0;) {
    index.prepend(QString::number(place % shape.dimension(d)));
    place /= shape.dimension(d);
  }
  return index.join(",");
}

}  // namespace hilo
