// Bars on a logarithmic scale, each with a name and a count.
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

namespace hilo {

struct HistogramBars {
  QString title;
  std::vector<int64_t> counts;
  QStringList names;  // one a bar
  // The first is drawn as what is right, the others as what is off.
  bool firstIsRight = false;
};

class HistogramWidget : public QWidget {
  Q_OBJECT

 public:
  // `whenEmpty`: what it says while there are no bars.
  explicit HistogramWidget(QString whenEmpty, QWidget* parent = nullptr);
  void setBars(HistogramBars bars);
  const HistogramBars& bars() const { return bars_; }
  QSize sizeHint() const override { return {320, 160}; }
  QSize minimumSizeHint() const override { return {160, 80}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString whenEmpty_;
  HistogramBars bars_;
};

// Of counts of elements with error 0, 1, 2, 3-4, 5-8, ... ULP.
HistogramBars ulpBars(std::vector<int64_t> counts);

}  // namespace hilo
