// How a reduction went: instructions over time, a step a mark. A click or an arrow key chooses a mark.
#pragma once

#include <QWidget>
#include <vector>

namespace hilo {

struct SizePoint {
  int64_t atNs = 0;
  int64_t instructions = 0;
};

// A logarithmic scale upwards, as a reduction goes from thousands to ten. One place a point, in pixels.
std::vector<QPoint> layOutSizes(const std::vector<SizePoint>& points, QRect area);

class SizeChart : public QWidget {
  Q_OBJECT

 public:
  explicit SizeChart(QWidget* parent = nullptr);
  void setPoints(std::vector<SizePoint> points);
  void setChosen(int point);
  int chosen() const { return chosen_; }

 Q_SIGNALS:
  void chosenChanged(int point);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QRect area() const;

  std::vector<SizePoint> points_;
  int chosen_ = -1;
};

}  // namespace hilo
