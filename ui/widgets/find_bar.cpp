#include "ui/widgets/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "ui/style/metrics.h"
#include "ui/widgets/text_view.h"

namespace hilo {

FindBar::FindBar(TextView* view, QWidget* parent) : QWidget(parent), view_(view) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  row->setSpacing(kSpaceSmall);
  text_ = new QLineEdit;
  text_->setPlaceholderText(tr("Find"));
  text_->setClearButtonEnabled(true);
  row->addWidget(text_, 1);
  case_ = addToggle(QStringLiteral("Aa"), tr("Match case"));
  word_ = addToggle(QStringLiteral("W"), tr("Whole words"));
  regex_ = addToggle(QStringLiteral(".*"), tr("Regular expression"));
  count_ = new QLabel;
  count_->setMinimumWidth(110);
  row->addWidget(count_);
  auto addStep = [&](Qt::ArrowType arrow, const QString& tip, bool backward) {
    auto* button = new QToolButton;
    button->setArrowType(arrow);
    button->setAutoRaise(true);
    button->setToolTip(tip);
    row->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, backward] { view_->findNext(backward); });
  };
  addStep(Qt::UpArrow, tr("Previous match (Shift+F3)"), true);
  addStep(Qt::DownArrow, tr("Next match (F3)"), false);
  connect(text_, &QLineEdit::textChanged, this, &FindBar::search);
  connect(text_, &QLineEdit::returnPressed, this, [this] { view_->findNext(); });
  connect(view_, &TextView::findChanged, this, [this](int current, int total, bool truncated) {
    const QString all = QString::number(total) + (truncated ? QStringLiteral("+") : QString());
    count_->setText(text_->text().isEmpty() ? QString()
                    : total == 0            ? tr("no match")
                    : current == 0          ? tr("%1 matches").arg(all)
                                            : tr("%1 of %2").arg(current).arg(all));
    count_->setToolTip({});
  });
  connect(view_, &TextView::findFailed, this, [this](const QString& why) {
    count_->setText(tr("not a valid expression"));
    count_->setToolTip(why);
  });
  hide();
}

QToolButton* FindBar::addToggle(const QString& label, const QString& tip) {
  auto* button = new QToolButton;
  button->setText(label);
  button->setToolTip(tip);
  button->setCheckable(true);
  button->setAutoRaise(true);
  layout()->addWidget(button);
  connect(button, &QToolButton::toggled, this, &FindBar::search);
  return button;
}

void FindBar::open() {
  const QString selected = view_->selectedText();
  if (!selected.isEmpty() && !selected.contains(u'\n')) text_->setText(selected);
  show();
  text_->setFocus();
  text_->selectAll();
  search();
}

void FindBar::close() {
  hide();
  view_->find({});
  view_->setFocus();
}

void FindBar::search() {
  view_->find({text_->text(), regex_->isChecked(), case_->isChecked(), word_->isChecked()});
}

void FindBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return close();
  if (event->key() == Qt::Key_F3) return view_->findNext(event->modifiers() & Qt::ShiftModifier);
  QWidget::keyPressEvent(event);
}

}  // namespace hilo
