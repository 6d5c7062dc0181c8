#include "ui/views/schedule/answer_panel.h"

#include <QEvent>
#include <QUrl>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/widgets/name_links.h"

namespace hilo {
AnswerPanel::AnswerPanel(QWidget* parent) : QTextBrowser(parent) {
  setOpenLinks(false);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName("Why it stands where it does");
  connect(this, &QTextBrowser::anchorClicked, this, &AnswerPanel::follow);
  clearAnswer();
}

void AnswerPanel::setAnswer(const ScheduleAnswer& answer, bool whole) {
  // Twice the same is set once: a link that is pressed stays under the pointer.
  if (answer_ && answer_->instruction == answer.instruction && whole_ && !whole) return;
  whole_ = whole;
  answer_ = answer;
  render();
}

void AnswerPanel::setAsking(const QString& name) {
  answer_.reset();
  setHtml(QString("<p><b>%1</b></p><p>Asking the scheduler…</p>").arg(name.toHtmlEscaped()));
}

void AnswerPanel::clearAnswer() {
  answer_.reset();
  setHtml(
      "<p>Select an instruction: here stands why it is not earlier, why not later, and what of a collective "
      "is "
      "hidden by what.</p><p>Drag an instruction along its lane to try another place, or press Shift+Left "
      "and "
      "Shift+Right.</p>");
}

void AnswerPanel::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && answer_) render();
}

void AnswerPanel::render() {
  const Theme& theme = themeOf(*this);
  const QString link = theme.colour(ColourRole::kAccent).name();
  QString html = QString("<p><b>%1</b><br>%2</p>")
                     .arg(qs(answer_->name).toHtmlEscaped(), withNameLinks(answer_->headline, link));
  QString help;
  if (!answer_->suggestions.empty()) help += "<h4 style=\"margin-bottom:2px\">What would help?</h4>";
  for (size_t i = 0; i < answer_->suggestions.size(); ++i) {
    help +=
        QString(
            "<p style=\"margin-top:0px;margin-bottom:4px\">%1. <a style=\"color:%2\" href=\"try:%3\"><b>Try "
            "it</b></a></p>")
            .arg(withNameLinks(answer_->suggestions[i].text, link), link)
            .arg(i);
  }
  for (const ScheduleAnswer::Section& section : answer_->sections) {
    html += QString("<h4 style=\"margin-bottom:2px\">%1</h4>").arg(qs(section.title).toHtmlEscaped());
    for (const std::string& line : section.lines)
      html += QString("<p style=\"margin-top:0px;margin-bottom:4px\">%1</p>").arg(withNameLinks(line, link));
    html += std::exchange(help, {});
  }
  if (!whole_) html += "<p>Asking the scheduler what decided…</p>";
  setHtml(html);
}

void AnswerPanel::follow(const QUrl& url) {
  if (url.scheme() == "name") return Q_EMIT nameClicked(url.path());
  const auto index = static_cast<size_t>(url.path().toULongLong());
  if (url.scheme() == "try" && answer_ && index < answer_->suggestions.size())
    Q_EMIT suggestionTaken(answer_->suggestions[index].move);
}

}  // namespace hilo
