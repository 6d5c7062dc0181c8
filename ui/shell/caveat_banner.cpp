#include "ui/shell/caveat_banner.h"

#include <QEvent>
#include <QTimer>
#include <algorithm>

#include "core/workspace/caveats/caveats.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/widgets/view.h"

namespace hilo {
namespace {

bool isSeen(const View* view) { return view->isVisible() && !view->visibleRegion().isEmpty(); }

// What can be done about it, as a link; "" where nothing can.
QString remedyOf(CaveatKind kind) {
  switch (kind) {
    case CaveatKind::NotPartitioned:
      return "<a href=\"partition\">Partition first</a>";
    case CaveatKind::Incomplete:
      return "<a href=\"problems\">Problems</a>";
    case CaveatKind::ElidedConstants:
      break;
  }
  return {};
}

}  // namespace

CaveatBanner::CaveatBanner(const ViewContext& context, std::vector<View*> views, QWidget* parent)
    : QLabel(parent), context_(context), views_(std::move(views)) {
  setObjectName("caveats");
  setAccessibleName("What to know of this module");
  setTextFormat(Qt::RichText);
  setWordWrap(true);
  setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  setAutoFillBackground(true);
  hide();
  tint();
  for (View* view : views_) view->installEventFilter(this);
  connect(&context_.changes, &SessionChanges::currentChanged, this, &CaveatBanner::update);
  connect(&context_.changes, &SessionChanges::currentShown, this, &CaveatBanner::ask);
  connect(&context_.changes, &SessionChanges::resultReady, this, [this](SnapshotId, ResultKind kind) {
    if (kind == ResultKind::Caveats) update();
  });
  connect(this, &QLabel::linkActivated, this, [this](const QString& link) {
    if (link == "partition") return context_.bus.ask(PartitionFirst{});
    context_.bus.ask(ShowView{link});
  });
}

void CaveatBanner::ask() {
  if (const Snapshot* shown = context_.session.current())
    context_.session.request(shown->id, ResultKind::Caveats);
}

void CaveatBanner::update() {
  const Snapshot* shown = context_.session.current();
  const auto found = shown == nullptr || context_.session.shownCompiled() != nullptr
                         ? nullptr
                         : context_.session.result<ResultKind::Caveats>(shown->id);
  seen_.clear();
  for (const View* view : views_) {
    if (isSeen(view)) seen_.insert(view);
  }
  QStringList lines;
  for (const Caveat& each : found == nullptr ? std::vector<Caveat>() : found->caveats) {
    const auto concerns = [&](const View* view) { return seen_.contains(view) && view->heeds(each.kind); };
    if (!std::ranges::any_of(views_, concerns)) continue;
    lines << qs(each.text).toHtmlEscaped() + ". " + remedyOf(each.kind);
  }
  setText(lines.join("<br>"));
  setVisible(!lines.isEmpty());
}

// Views come and go: once all that one change does to them is done. A dock behind others is not hidden, but
// it is not painted either.
bool CaveatBanner::eventFilter(QObject* watched, QEvent* event) {
  const bool comes = event->type() == QEvent::Paint && !seen_.contains(watched);
  if (comes || event->type() == QEvent::Hide) QTimer::singleShot(0, this, &CaveatBanner::update);
  return QLabel::eventFilter(watched, event);
}

void CaveatBanner::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) tint();
}

// The theme is found from the palette that is not its own.
void CaveatBanner::tint() {
  const Theme& theme = themeOf(*parentWidget());
  QPalette tinted = parentWidget()->palette();
  tinted.setColor(QPalette::Window, theme.colour(ColourRole::kChanged));
  tinted.setColor(QPalette::Link, theme.colour(ColourRole::kAccent));
  if (palette() != tinted) setPalette(tinted);
}

}  // namespace hilo
