#include "ui/views/tiles/size_controls.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QRegularExpression>
#include <QSignalBlocker>

#include "core/analysis/tiling/suggested_sizes.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr int kSliderWidth = 90;

int64_t sizeOf(const TilingVariable& variable) {
  return std::clamp<int64_t>(variable.index.range.upper + 1, 1, INT_MAX);
}

QString whose(const TilingVariable& variable) {
  const bool isFolded = variable.index.kind == IndexVariable::Kind::Symbol;
  return QString("%1 %%2, %3")
      .arg(isFolded ? "folded by" : "of the result", qs(variable.instruction->name()),
           countOf(static_cast<size_t>(sizeOf(variable)), "element"));
}

// Steps to the next power of two, or to the whole.
class SizeBox : public QSpinBox {
 public:
  SizeBox(std::vector<int64_t> choices, QWidget* parent) : QSpinBox(parent), choices_(std::move(choices)) {}
  void stepBy(int steps) override {
    int64_t size = value();
    for (; steps > 0; --steps) {
      const auto next = std::ranges::upper_bound(choices_, size);
      if (next != choices_.end()) size = *next;
    }
    for (; steps < 0; ++steps) {
      const auto at = std::ranges::lower_bound(choices_, size);
      if (at != choices_.begin()) size = *std::prev(at);
    }
    setValue(static_cast<int>(size));
  }

 private:
  std::vector<int64_t> choices_;
};

}  // namespace

SizeControls::SizeControls(QWidget* parent) : QWidget(parent), row_(new WrappingRow(kSpace)) {
  row_->setContentsMargins(kSpace, 0, kSpace, kSpaceSmall);
  setLayout(row_);
}

void SizeControls::setSpace(const TilingSpace& space, const std::vector<int64_t>& sizes) {
  while (QLayoutItem* item = row_->takeAt(0)) delete item;
  for (const Control& control : controls_) delete control.whole;
  controls_.clear();
  const auto names = space.names();
  for (const size_t i : space.tiled()) {
    controls_.push_back(makeControl(qs(names[i]), space.variables[i]));
    row_->add(controls_.back().whole);
    controls_.back().whole->show();
  }
  setSizes(sizes);
  updateGeometry();
}

SizeControls::Control SizeControls::makeControl(const QString& name, const TilingVariable& variable) {
  Control made{.name = name, .whole = new QWidget(this), .choices = sizeChoices(sizeOf(variable))};
  auto* layout = new QHBoxLayout(made.whole);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kSpaceSmall);
  auto* label = new QLabel(name, made.whole);
  made.slider = new QSlider(Qt::Horizontal, made.whole);
  made.slider->setRange(0, static_cast<int>(made.choices.size()) - 1);
  made.slider->setFixedWidth(kSliderWidth);
  made.slider->setPageStep(1);
  made.slider->setAccessibleName("Slider of " + name);
  made.box = new SizeBox(made.choices, made.whole);
  made.box->setRange(1, static_cast<int>(sizeOf(variable)));
  made.box->setSuffix(QString(" of %1").arg(sizeOf(variable)));
  made.box->setAccessibleName("Tile of " + name);
  for (QWidget* widget :
       {static_cast<QWidget*>(label), static_cast<QWidget*>(made.slider), static_cast<QWidget*>(made.box)}) {
    widget->setToolTip(whose(variable));
    layout->addWidget(widget);
  }
  connect(made.slider, &QSlider::valueChanged, this, [box = made.box, choices = made.choices](int at) {
    box->setValue(static_cast<int>(choices[static_cast<size_t>(at)]));
  });
  connect(made.box, &QSpinBox::valueChanged, this, [this, box = made.box] {
    for (const Control& control : controls_) {
      if (control.box == box) placeSlider(control);
    }
    if (!setting_) Q_EMIT changed();
  });
  return made;
}

// To the choice that is not below the number.
void SizeControls::placeSlider(const Control& control) {
  const QSignalBlocker quiet(control.slider);
  const auto at = std::ranges::lower_bound(control.choices, control.box->value());
  const auto last = std::ssize(control.choices) - 1;
  control.slider->setValue(static_cast<int>(std::min(at - control.choices.begin(), last)));
}

void SizeControls::setSizes(const std::vector<int64_t>& sizes) {
  setting_ = true;
  for (size_t i = 0; i < controls_.size(); ++i) {
    controls_[i].box->setValue(static_cast<int>(std::min<int64_t>(sizes[i], INT_MAX)));
    placeSlider(controls_[i]);
  }
  setting_ = false;
}

std::vector<int64_t> SizeControls::sizes() const {
  std::vector<int64_t> sizes;
  for (const Control& control : controls_) sizes.push_back(control.box->value());
  return sizes;
}

void SizeControls::markNamed(const QString& message) {
  const QString colour = themeOf(*this).colour(ColourRole::kError).name();
  for (const Control& control : controls_) {
    const bool isNamed = QRegularExpression("\\b" + control.name + "\\b").match(message).hasMatch();
    control.box->setProperty("refused", isNamed);
    control.box->setStyleSheet(isNamed ? QString("QSpinBox { color: %1; }").arg(colour) : QString());
  }
}

bool SizeControls::isMarked(size_t number) const {
  return controls_.at(number).box->property("refused").toBool();
}

}  // namespace hilo
