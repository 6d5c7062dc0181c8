#include "ui/widgets/diff_panel.h"

#include <QCheckBox>
#include <QLabel>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/metrics.h"
#include "ui/widgets/diff_text_view.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {

DiffPanel::DiffPanel(QWidget* parent) : QWidget(parent), text_(new DiffTextView(this)) {
  auto* bar = new WrappingRow(kSpaceSmall);
  bar->setContentsMargins(kSpaceSmall, kSpaceSmall, kSpaceSmall, kSpaceSmall);
  auto* unified = addSwitch("Unified", "Both texts in one column: what went, then what came");
  auto* wrap = addSwitch("Wrap", "Long lines go on in the next row");
  semantic_ = addSwitch("Semantic only", "Without metadata, shardings, layouts and backend_config");
  auto* swap = addSwitch("Swap sides", "The text after stands left");
  auto* previous = addStep("\u2191", "Previous change", "Previous change (Shift+F7)", true);
  auto* next = addStep("\u2193", "Next change", "Next change (F7)", false);
  place_ = new QLabel(this);
  place_->setForegroundRole(QPalette::PlaceholderText);
  for (QWidget* widget : std::initializer_list<QWidget*>{unified, wrap, semantic_, swap, previous, next})
    bar->add(widget);
  bar->add(place_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(text_, 1);
  setFocusProxy(text_);
  connect(unified, &QAbstractButton::toggled, this, [this, swap](bool on) {
    text_->setUnified(on);
    swap->setEnabled(!on);
  });
  connect(wrap, &QAbstractButton::toggled, text_, &DiffTextView::setWrapped);
  connect(swap, &QAbstractButton::toggled, text_, &DiffTextView::setSwapped);
  connect(semantic_, &QAbstractButton::toggled, this, &DiffPanel::semanticToggled);
  connect(text_, &DiffTextView::changesMoved, this, &DiffPanel::showPlace);
  showPlace();
}

bool DiffPanel::isSemantic() const { return semantic_->isChecked(); }

QAbstractButton* DiffPanel::addSwitch(const QString& name, const QString& tip) {
  auto* box = new QCheckBox(name, this);
  box->setToolTip(tip);
  return box;
}

QAbstractButton* DiffPanel::addStep(const QString& sign, const QString& name, const QString& tip,
                                    bool backward) {
  auto* button = new QToolButton(this);
  button->setText(sign);
  button->setAccessibleName(name);
  button->setToolTip(tip);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::TabFocus);
  const auto go = [this, backward] { text_->goToChange(backward); };
  connect(button, &QAbstractButton::clicked, this, go);
  auto* key = new QShortcut(QKeySequence(backward ? "Shift+F7" : "F7"), this, go);
  key->setContext(Qt::WidgetWithChildrenShortcut);
  return button;
}

void DiffPanel::showPlace() {
  const int count = text_->changeCount(), current = text_->currentChange();
  place_->setText(count == 0    ? QString("no changes")
                  : current < 0 ? QString("%1 changes").arg(count)
                                : QString("%1 of %2").arg(current + 1).arg(count));
}

}  // namespace hilo
