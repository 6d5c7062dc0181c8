// Inspector rows as a two-column tree. Rows are replaced as a whole; links are told through linkAt.
#pragma once

#include <QAbstractItemModel>

#include "ui/models/inspector_rows.h"

namespace hilo {

class InspectorModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  explicit InspectorModel(QObject* parent = nullptr);
  ~InspectorModel() override;

  void setRows(std::vector<InspectorRow> rows);
  const std::vector<InspectorRow>& rows() const { return rows_; }
  const InspectorRow* rowAt(const QModelIndex& index) const;
  RowLink linkAt(const QModelIndex& index) const;
  // The given row and what is below it, as text.
  QString textOf(const QModelIndex& index) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Node;
  const Node* nodeOf(const QModelIndex& index) const;

  std::vector<InspectorRow> rows_;
  std::unique_ptr<Node> root_;
};

}  // namespace hilo
