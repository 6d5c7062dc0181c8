// What is to be drawn: a layout by name or as text, the array's shape and width of element, and how it lies
// in shared memory.
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QWidget>
#include <optional>

#include "core/analysis/kernel_layouts/register_layout.h"
#include "core/analysis/kernel_layouts/shared_layout.h"
#include "core/base/result.h"

namespace hilo {

struct LayoutQuestion {
  std::optional<RegisterLayout> registers;  // nothing: no thread holds it, and `shared` is there
  bool isTensor = false;                    // the layout is one of tensor memory
  std::optional<SharedLayout> shared;
  Sizes shape;
  int64_t elementBits = 16;
};

// What the form's fields say, as a person would write it.
struct LayoutTexts {
  QString registers, shape;  // an empty shape is the layout's usual one
  int elementBits = 16;
  QString shared;  // empty: none
};
// In the fields: no registers, no shared memory, tensor memory.
inline constexpr const char* kNoMemory = "none";
inline constexpr const char* kTensorMemory = "tensor memory";

// "64x32", "(64, 32)", "64, 32". "kernel-shape" otherwise.
Result<Sizes> parseShape(const QString& text);
// A few of the layout's first tiles: enough to see all of it.
Sizes usualShape(const RegisterLayout& layout);

class LayoutForm : public QWidget {
  Q_OBJECT

 public:
  explicit LayoutForm(QWidget* parent = nullptr);

  // The first part that cannot be read says why.
  Result<LayoutQuestion> question() const;
  void ask(const LayoutTexts& texts);

  QComboBox& layoutBox() { return *layout_; }
  QLineEdit& shape() { return *shape_; }
  QComboBox& bits() { return *bits_; }
  QComboBox& shared() { return *shared_; }

 Q_SIGNALS:
  void changed();

 private:
  void layoutChosen();  // its usual shape where the one that stands there does not fit

  QComboBox* layout_;
  QLineEdit* shape_;
  QComboBox* bits_;
  QComboBox* shared_;
};

}  // namespace hilo
