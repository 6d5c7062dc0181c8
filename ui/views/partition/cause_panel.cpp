#include "ui/views/partition/cause_panel.h"

#include <QEvent>
#include <QUrl>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/widgets/name_links.h"

namespace hilo {
namespace {

// Longer than a person reads; the rest is in `hilo partition --why`.
constexpr size_t kMostSteps = 40;

QString stepHtml(const ShardingStep& step, const QString& link, const QString& dim) {
  const QString source = qs(step.at.source).section('/', -1);
  return QString("<li>%1 <code>%2</code><br><span style=\"color:%3\">%4%5</span></li>")
      .arg(nameLink(qs(step.at.name), link), qs(step.gave).toHtmlEscaped(), dim,
           withNameLinks(step.at.rule, link), source.isEmpty() ? QString() : " · " + source.toHtmlEscaped());
}

// As a JAX program writes it, where there are axes to name; else XLA's text.
QString codeText(const ShardingAdvice& advice) {
  return advice.code.empty() ? qs(advice.constraint.sharding) : qs(advice.code).section('/', -1);
}

}  // namespace

CausePanel::CausePanel(QWidget* parent) : QTextBrowser(parent) {
  setOpenLinks(false);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName("What made it necessary");
  connect(this, &QTextBrowser::anchorClicked, this, &CausePanel::follow);
  clear();
}

void CausePanel::show(Shown shown) {
  shown_ = std::move(shown);
  render();
}

void CausePanel::clear() {
  shown_.reset();
  setHtml(
      "<p>Select a collective: here stands which sharding made it necessary, who gave that sharding, and "
      "what "
      "could be tried.</p><p>Select any instruction to see its parts on the mesh above.</p>");
}

void CausePanel::render() {
  const Theme& theme = themeOf(*this);
  const QString link = theme.colour(ColourRole::kAccent).name(),
                dim = theme.colour(ColourRole::kTextDim).name();
  QString html = QString("<p><b>%1</b></p><p>%2</p>")
                     .arg(qs(shown_->title).toHtmlEscaped(), withNameLinks(shown_->text, link));
  for (const std::string& fact : shown_->facts)
    html += QString("<div style=\"color:%1\">%2</div>").arg(dim, withNameLinks(fact, link));
  if (!shown_->advice.empty()) html += "<p><b>Try it</b></p><ul>";
  for (size_t i = 0; i < shown_->advice.size(); ++i) {
    html += QString("<li><a style=\"color:%1\" href=\"try:%2\">%3</a><br><code>%4</code></li>")
                .arg(link)
                .arg(i)
                .arg(qs(shown_->advice[i].text).toHtmlEscaped(), codeText(shown_->advice[i]).toHtmlEscaped());
  }
  if (!shown_->advice.empty()) html += "</ul>";
  for (const auto& [name, steps] : shown_->histories) {
    html += QString("<p><b>How %1 came to its sharding</b></p>").arg(qs(name).toHtmlEscaped());
    if (steps.empty()) html += "<p>It has none: no rule gave it one.</p>";
    html += "<ul>";
    for (size_t i = 0; i < std::min(kMostSteps, steps.size()); ++i) html += stepHtml(steps[i], link, dim);
    html += "</ul>";
    if (steps.size() > kMostSteps)
      html += QString("<p>and %1 more</p>").arg(countOf(steps.size() - kMostSteps, "step"));
  }
  setHtml(html);
}

void CausePanel::follow(const QUrl& url) {
  if (url.scheme() == "name") Q_EMIT nameClicked(url.path());
  if (url.scheme() != "try" || !shown_) return;
  const size_t i = url.path().toULongLong();
  if (i < shown_->advice.size()) Q_EMIT adviceTaken(ShardingConstraint(shown_->advice[i].constraint));
}

void CausePanel::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && shown_) render();
}

}  // namespace hilo
