#include "ui/widgets/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

#include "ui/style/metrics.h"
#include "ui/widgets/text_view.h"

namespace hilo {

FindBar::FindBar(TextView* view, JobQueue& jobs, QWidget* parent) : QWidget(parent), view_(view) {
  view_->search().setJobs(jobs);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  row->setSpacing(kSpaceSmall);
  text_ = new QLineEdit;
  text_->setPlaceholderText(tr("Find, or :LINE"));
  text_->setAccessibleName(tr("Find"));
  text_->setClearButtonEnabled(true);
  text_->setMinimumWidth(90);
  row->addWidget(text_, 1);
  case_ = addToggle(QStringLiteral("Aa"), tr("Match case"));
  word_ = addToggle(QStringLiteral("W"), tr("Whole words"));
  regex_ = addToggle(QStringLiteral(".*"), tr("Regular expression"));
  count_ = new QLabel;
  row->addWidget(count_);
  auto addStep = [&](Qt::ArrowType arrow, const QString& tip, bool backward) {
    auto* button = new QToolButton;
    button->setArrowType(arrow);
    button->setAutoRaise(true);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    row->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, backward] { view_->findNext(backward); });
  };
  addStep(Qt::UpArrow, tr("Previous match (Shift+F3)"), true);
  addStep(Qt::DownArrow, tr("Next match (F3)"), false);
  connect(text_, &QLineEdit::textChanged, this, &FindBar::search);
  connect(text_, &QLineEdit::textEdited, this, [this] { isTyped_ = true; });
  connect(text_, &QLineEdit::returnPressed, this, [this] { view_->findNext(); });
  connect(&view_->search(), &TextSearch::changed, this, [this](int current, int total, bool truncated) {
    const QString all = QString::number(total) + (truncated ? QStringLiteral("+") : QString());
    count_->setText(text_->text().isEmpty() ? QString()
                    : total == 0            ? tr("no match")
                    : current == 0          ? tr("%1 matches").arg(all)
                                            : tr("%1 of %2").arg(current).arg(all));
    count_->setToolTip({});
    if (std::exchange(isTyped_, false) && total > 0) view_->search().step(begin_, begin_, false);
  });
  connect(&view_->search(), &TextSearch::failed, this, [this](const QString& why) {
    count_->setText(tr("not a valid expression"));
    count_->setToolTip(why);
  });
  connect(view_, &TextView::goToLineAsked, this, [this] {
    open();
    text_->setText(":");
  });
  hide();
}

QToolButton* FindBar::addToggle(const QString& label, const QString& tip) {
  auto* button = new QToolButton;
  button->setText(label);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setCheckable(true);
  button->setAutoRaise(true);
  layout()->addWidget(button);
  connect(button, &QToolButton::toggled, this, &FindBar::search);
  return button;
}

void FindBar::open() {
  const QString selected = view_->caret().selectedText();
  if (!selected.isEmpty() && !selected.contains(u'\n')) text_->setText(selected);
  begin_ = view_->caret().place();
  show();
  text_->setFocus();
  text_->selectAll();
  search();
}

void FindBar::close() {
  hide();
  view_->search().find({});
  view_->setFocus();
}

void FindBar::search() {
  // ":123" is a line, not a text.
  bool isNumber = false;
  const uint line = text_->text().mid(1).toUInt(&isNumber);
  if (text_->text().startsWith(':') && (isNumber || text_->text().size() == 1)) {
    view_->search().find({});
    count_->setText(tr("of %1 lines").arg(view_->lines().count()));
    if (line > 0) view_->goTo({std::min(line, view_->lines().count()) - 1, 0});
    return;
  }
  view_->search().find({text_->text(), regex_->isChecked(), case_->isChecked(), word_->isChecked()});
}

void FindBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return close();
  if (event->key() == Qt::Key_F3) return view_->findNext(event->modifiers() & Qt::ShiftModifier);
  QWidget::keyPressEvent(event);
}

}  // namespace hilo
