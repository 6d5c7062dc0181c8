// Bars: how many elements differ by how many units in the last place.
#pragma once

#include <QWidget>
#include <vector>

namespace hilo {

class HistogramWidget : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;
  // Counts of elements with error 0, 1, 2, 3-4, 5-8, ... ULP.
  void setCounts(std::vector<int64_t> counts);
  // "0", "1", "2", "3-4", ...
  static QString bucketName(size_t bucket);
  QSize sizeHint() const override { return {320, 160}; }
  QSize minimumSizeHint() const override { return {160, 110}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<int64_t> counts_;
};

}  // namespace hilo
