// The lines above the graph in which queries are typed: each has a colour, and what matches it is drawn in
// it. One line more than there are queries waits for the next. UI thread.
#pragma once

#include <functional>
#include <memory>

#include <QStringList>
#include <QTimer>
#include <QWidget>

#include "core/analysis/query/query.h"

class QLabel;
class QVBoxLayout;

namespace hilo {

class QueryBox;

class QueryColours : public QWidget {
  Q_OBJECT

 public:
  explicit QueryColours(std::function<std::shared_ptr<const Module>()> module, QWidget* parent = nullptr);

  // Does not emit.
  void setQueries(const QStringList& queries);
  QStringList queries() const;
  // How many instructions each query colours, in order.
  void setCounts(std::span<const uint32_t> counts);
  // To the first line that is empty.
  void takeFocus();

 Q_SIGNALS:
  // All that are typed can be read; some time after the last key.
  void queriesChanged(const std::vector<hilo::Query>& queries);
  void closed();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Line {
    QWidget* widget = nullptr;
    QLabel* swatch = nullptr;
    QueryBox* box = nullptr;
    QLabel* count = nullptr;
  };
  void addLine(const QString& query);
  void dropLine(QWidget* line);
  void keepOneEmpty();
  void paintSwatches();
  void tell();

  std::function<std::shared_ptr<const Module>()> module_;
  QVBoxLayout* column_;
  std::vector<Line> lines_;
  QTimer timer_;
};

}  // namespace hilo
