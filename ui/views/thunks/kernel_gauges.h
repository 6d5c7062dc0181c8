// What a kernel takes of a GPU and does to its memory, a bar each: name, bar, amount. As many beside each
// other as there is room for.
#pragma once

#include <QWidget>

#include "core/workspace/thunks/kernel_forms.h"

namespace hilo {

class KernelGauges : public QWidget {
 public:
  explicit KernelGauges(QWidget* parent = nullptr);
  // None: the widget is hidden.
  void setGauges(std::vector<KernelGauge> gauges);
  const std::vector<KernelGauge>& gauges() const { return gauges_; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override { return {400, heightForWidth(400)}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  int columns(int width) const;
  QRect cell(size_t number, int width) const;

  std::vector<KernelGauge> gauges_;
};

}  // namespace hilo
