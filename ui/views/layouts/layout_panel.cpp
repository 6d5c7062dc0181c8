#include "ui/views/layouts/layout_panel.h"

#include <QEvent>
#include <QUrl>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/widgets/name_links.h"

namespace hilo {
namespace {

// What put it there, in words.
QString originText(const LayoutMove& move) {
  switch (move.origin) {
    case LayoutMoveOrigin::Program:
      return "The program itself asks for it, and no layout made it free.";
    case LayoutMoveOrigin::LayoutAssignment:
      return "Layout assignment made it: two orders meet.";
    case LayoutMoveOrigin::Rewrite:
      return "It stands beside a gather or scatter that was written anew.";
    case LayoutMoveOrigin::Buffers:
      return "Copy insertion made it; it changes no order.";
    case LayoutMoveOrigin::Placement:
      return "It brings the array to another memory.";
  }
  return {};
}

QString costText(const LayoutRow& row) {
  const LayoutMove& move = row.move;
  if (!move.costs()) return "It costs nothing.";
  QString text = QString("%1 read and written%2")
                     .arg(bytesText(move.bytes),
                          row.times == 1 ? QString() : QString(", x %1").arg(countText(row.times)));
  if (row.ns > 0)
    text +=
        QString("; %1 takes %2%3")
            .arg("%" + qs(move.kernelName), durationText(row.ns), move.isAlone ? "" : ", with other work");
  return text;
}

}  // namespace

LayoutPanel::LayoutPanel(QWidget* parent) : QTextBrowser(parent) {
  setOpenLinks(false);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName("Who wants which order");
  connect(this, &QTextBrowser::anchorClicked, this, &LayoutPanel::follow);
  clear();
}

void LayoutPanel::show(const LayoutRow& row, std::vector<LayoutAdvice> advice) {
  row_ = row;
  advice_ = std::move(advice);
  render();
}

void LayoutPanel::clear() {
  row_.reset();
  advice_.clear();
  setHtml(
      "<p>Select a copy or transpose: here stands who gives the array in one order, who wants another, and "
      "what "
      "could be tried.</p>");
}

QString LayoutPanel::adviceHtml(const QString& link) const {
  if (advice_.empty()) return {};
  QString html = "<p><b>What would remove it</b></p><ul>";
  for (size_t i = 0; i < advice_.size(); ++i) {
    const LayoutAdvice& one = advice_[i];
    const QString text = withNameLinks(one.text, link);
    html +=
        one.constraint
            ? QString("<li>%1<br><a style=\"color:%2\" href=\"try:%3\">Try it</a> <code>%4=%5</code></li>")
                  .arg(text, link)
                  .arg(i)
                  .arg(qs(one.constraint->instruction).toHtmlEscaped(), qs(one.constraint->layout))
            : QString("<li>%1</li>").arg(text);
  }
  return html + "</ul>";
}

void LayoutPanel::render() {
  const Theme& theme = themeOf(*this);
  const QString link = theme.colour(ColourRole::kAccent).name(),
                dim = theme.colour(ColourRole::kTextDim).name();
  const LayoutMove& move = row_->move;
  QString html = QString("<p><b>%1</b> %2</p>").arg(qs(move.name).toHtmlEscaped(), qs(move.opcode));
  html += QString("<p>%1 %2</p>").arg(originText(move), withNameLinks(toStd(costText(*row_)), link));
  if (move.kind == LayoutMoveKind::Order || move.kind == LayoutMoveKind::Tiles) {
    for (const auto& [role, wish] : {std::pair("Given", &move.given), std::pair("Wanted", &move.wanted)})
      html += QString("<p><b>%1</b> by %2<br>%3<br><span style=\"color:%4\"><code>%5</code></span></p>")
                  .arg(role, qs(layoutWishKindName(wish->kind)), withNameLinks(wish->text, link), dim,
                       qs(wish->layout).toHtmlEscaped());
  } else {
    html += QString("<p>%1</p>").arg(withNameLinks(move.text, link));
  }
  if (!row_->recorded.empty())
    html += QString("<p style=\"color:%1\">Layout assignment says: %2</p>")
                .arg(dim, withNameLinks(row_->recorded, link));
  html += adviceHtml(link);
  if (!move.source.empty())
    html += QString("<p style=\"color:%1\">%2</p>").arg(dim, qs(move.source).toHtmlEscaped());
  setHtml(html);
}

void LayoutPanel::follow(const QUrl& url) {
  if (url.scheme() == "name") Q_EMIT nameClicked(url.path());
  const size_t i = url.path().toULongLong();
  if (url.scheme() == "try" && i < advice_.size() && advice_[i].constraint)
    Q_EMIT adviceTaken(LayoutConstraint(*advice_[i].constraint));
}

void LayoutPanel::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && row_) render();
}

}  // namespace hilo
