// The sizes of a tile: for each dimension a slider over powers of two and the whole, a box for any number.
#pragma once

#include <QSlider>
#include <QSpinBox>
#include <QWidget>

#include "core/analysis/tiling/tiling_space.h"

namespace hilo {

class WrappingRow;

class SizeControls : public QWidget {
  Q_OBJECT

 public:
  explicit SizeControls(QWidget* parent = nullptr);

  // One control for each of TilingSpace::tiled().
  void setSpace(const TilingSpace& space, const std::vector<int64_t>& sizes);
  void setSizes(const std::vector<int64_t>& sizes);
  std::vector<int64_t> sizes() const;
  // Those that a message names are drawn as refused; "" takes it back.
  void markNamed(const QString& message);
  bool isMarked(size_t number) const;
  QSpinBox& box(size_t number) { return *controls_.at(number).box; }
  QSlider& slider(size_t number) { return *controls_.at(number).slider; }

 Q_SIGNALS:
  void changed();

 private:
  struct Control {
    QString name;  // "d0"
    QWidget* whole = nullptr;
    QSlider* slider = nullptr;
    QSpinBox* box = nullptr;
    std::vector<int64_t> choices;
  };
  Control makeControl(const QString& name, const TilingVariable& variable);
  static void placeSlider(const Control& control);

  WrappingRow* row_;
  std::vector<Control> controls_;
  bool setting_ = false;
};

}  // namespace hilo
