#include "ui/models/inspector_model.h"

#include <QFont>

namespace hilo {

struct InspectorModel::Node {
  const InspectorRow* row = nullptr;
  const Node* parent = nullptr;
  int position = 0;
  std::vector<std::unique_ptr<Node>> children;

  void fill(const std::vector<InspectorRow>& rows) {
    for (const InspectorRow& r : rows) {
      auto child = std::make_unique<Node>(&r, this, static_cast<int>(children.size()));
      child->fill(r.children);
      children.push_back(std::move(child));
    }
  }
};

InspectorModel::InspectorModel(QObject* parent)
    : QAbstractItemModel(parent), root_(std::make_unique<Node>()) {}
InspectorModel::~InspectorModel() = default;

void InspectorModel::setRows(std::vector<InspectorRow> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  root_ = std::make_unique<Node>();
  root_->fill(rows_);
  endResetModel();
}

const InspectorModel::Node* InspectorModel::nodeOf(const QModelIndex& index) const {
  return index.isValid() ? static_cast<const Node*>(index.constInternalPointer()) : root_.get();
}

const InspectorRow* InspectorModel::rowAt(const QModelIndex& index) const {
  return index.isValid() ? nodeOf(index)->row : nullptr;
}

RowLink InspectorModel::linkAt(const QModelIndex& index) const {
  const InspectorRow* row = rowAt(index);
  return row == nullptr ? RowLink{} : row->link;
}

QString InspectorModel::textOf(const QModelIndex& index) const {
  const InspectorRow* row = rowAt(index);
  return row == nullptr ? rowsAsText(rows_) : rowsAsText({*row});
}

QModelIndex InspectorModel::index(int row, int column, const QModelIndex& parent) const {
  const Node* node = nodeOf(parent);
  if (row < 0 || column < 0 || column > 1) return {};
  if (parent.column() > 0 || static_cast<size_t>(row) >= node->children.size()) return {};
  return createIndex(row, column, node->children[static_cast<size_t>(row)].get());
}

QModelIndex InspectorModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const Node* parent = nodeOf(index)->parent;
  return parent == root_.get() ? QModelIndex() : createIndex(parent->position, 0, parent);
}

int InspectorModel::rowCount(const QModelIndex& parent) const {
  const Node* node = nodeOf(parent);
  return parent.column() > 0 ? 0 : static_cast<int>(node->children.size());
}

int InspectorModel::columnCount(const QModelIndex&) const { return 2; }

QVariant InspectorModel::data(const QModelIndex& index, int role) const {
  const InspectorRow* row = rowAt(index);
  if (row == nullptr) return {};
  if (role == Qt::DisplayRole) return index.column() == 0 ? row->name : row->value;
  if (role == Qt::ToolTipRole && index.column() == 1 && row->value.size() > 30) return row->value;
  if (role == Qt::FontRole) {
    QFont font;
    if (row->section && index.column() == 0) font.setBold(true);
    if (row->link.kind != RowLink::Kind::kNone && index.column() == 1) font.setUnderline(true);
    return font;
  }
  return {};
}

QVariant InspectorModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == 0 ? "property" : "value";
}

}  // namespace hilo
