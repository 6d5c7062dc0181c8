#include "ui/widgets/query_box.h"

#include <QAbstractItemView>
#include <QCoreApplication>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QTextCharFormat>

#include "core/analysis/query/query.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr qsizetype kMostKept = 100;

QString helpText() {
  QStringList lines;
  for (const QueryKey& key : queryKeys()) {
    lines << QString("<tr><td><b>%1%2</b>&nbsp;</td><td>%3</td></tr>")
                 .arg(qs(key.name), key.numeric ? "&gt;" : ":", qs(key.what).toHtmlEscaped());
  }
  return "<p>Terms side by side must all hold; <b>or</b>, <b>not</b> and parentheses combine them. A bare "
         "word is "
         "looked for in name, opcode and op_name.</p><table>" +
         lines.join("") + "</table>";
}

}  // namespace

QueryBox::QueryBox(QWidget* parent) : QLineEdit(parent), completer_(new QCompleter(this)) {
  setPlaceholderText("opcode:dot bytes>1MB op_name:~attention");
  setClearButtonEnabled(true);
  setFont(codeFont());
  setToolTip(helpText());
  setAccessibleName("Query");
  completer_->setModel(&completions_);
  completer_->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
  completer_->setWidget(this);
  connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &QueryBox::accept);
  connect(this, &QLineEdit::textEdited, this, &QueryBox::complete);
}

void QueryBox::complete() {
  const QString before = text().left(cursorPosition());
  const std::shared_ptr<const Module> module = source_ ? source_() : nullptr;
  QStringList words;
  for (const std::string& word : queryCompletions(toStd(before), module.get())) words << qs(word);
  completions_.setStringList(words);
  if (words.isEmpty() || before.isEmpty() || before.endsWith(' ')) return hideCompletions();
  completer_->complete();
}

void QueryBox::accept(const QString& word) {
  const int cursor = cursorPosition();
  const QString whole = text();
  qsizetype start = cursor;
  while (start > 0 && !whole[start - 1].isSpace() && whole[start - 1] != '(') --start;
  setText(whole.left(start) + word + whole.mid(cursor));
  setCursorPosition(static_cast<int>(start + word.size()));
}

void QueryBox::remember() {
  const QString asked = text().trimmed();
  if (!asked.isEmpty() && (asked_.isEmpty() || asked_.back() != asked)) asked_ << asked;
  if (asked_.size() > kMostKept) asked_.removeFirst();
  recalled_ = asked_.size();
}

void QueryBox::recall(qsizetype place) {
  if (place < 0 || place > asked_.size() || place == recalled_) return;
  if (!isRecalling()) typed_ = text();
  recalled_ = place;
  setText(isRecalling() ? asked_[recalled_] : typed_);
}

// Up from what was asked last and is there still goes to the one before it.
void QueryBox::keyPressEvent(QKeyEvent* event) {
  if (isCompleting() || event->modifiers() != Qt::NoModifier) return QLineEdit::keyPressEvent(event);
  if (event->key() == Qt::Key_Up) {
    const bool isLast = !isRecalling() && !asked_.isEmpty() && text().trimmed() == asked_.back();
    return recall(recalled_ - (isLast ? 2 : 1));
  }
  if (event->key() == Qt::Key_Down && isRecalling()) return recall(recalled_ + 1);
  QLineEdit::keyPressEvent(event);
}

void QueryBox::showError(const Diagnostic& why) {
  // The column counts bytes; the box counts characters.
  const QByteArray bytes = text().toUtf8();
  const int column = std::max(1, static_cast<int>(why.place.column));
  const int start = static_cast<int>(QString::fromUtf8(bytes.left(column - 1)).size());
  const int length = std::max(1, static_cast<int>(text().size()) - start);
  QTextCharFormat format;
  format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
  format.setUnderlineColor(themeOf(*this).colour(ColourRole::kError));
  format.setForeground(themeOf(*this).colour(ColourRole::kError));
  const QList<QInputMethodEvent::Attribute> attributes = {
      {QInputMethodEvent::TextFormat, start - cursorPosition(), length, format}};
  QInputMethodEvent event({}, attributes);
  QCoreApplication::sendEvent(this, &event);
}

void QueryBox::clearError() {
  QInputMethodEvent event;
  QCoreApplication::sendEvent(this, &event);
}

}  // namespace hilo
