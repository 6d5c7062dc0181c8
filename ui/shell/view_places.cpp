#include "ui/shell/view_places.h"

#include <QApplication>
#include <QEvent>
#include <QLayout>
#include <ranges>

namespace hilo {
namespace {

constexpr int kStateVersion = 3;

Qt::DockWidgetArea areaOf(ViewPlace place) {
  switch (place) {
    case ViewPlace::Left:
      return Qt::LeftDockWidgetArea;
    case ViewPlace::Right:
      return Qt::RightDockWidgetArea;
    case ViewPlace::Bottom:
      return Qt::BottomDockWidgetArea;
    case ViewPlace::Middle:
    case ViewPlace::Page:
      break;
  }
  return Qt::NoDockWidgetArea;
}

constexpr WindowLayout kLayouts[] = {
#define LAYOUT(name, front, below, bottom) {name, front, below, bottom},
#include "ui/shell/layouts.def"
#undef LAYOUT
};

const ViewInfo& infoOf(const View& view) {
  return *std::ranges::find_if(viewTable(), [&](const ViewInfo& info) { return view.name() == info.name; });
}

bool holds(const QWidget* each, const QWidget* what) {
  return what != nullptr && (each == what || each->isAncestorOf(what));
}

int leastHeight(const View& view, int leastWidth = 0) {
  if (view.layout() == nullptr) return 0;
  QLayout& layout = *view.layout();
  return layout.hasHeightForWidth() ? layout.totalMinimumHeightForWidth(std::max(view.width(), leastWidth))
                                    : layout.totalMinimumSize().height();
}

// Whether a message or a question came into what a dock holds, or one more row of controls, and is cut there.
// Until then a dock stays as low as its user made it.
bool needsMore(View& view) {
  constexpr const char* kLeast = "leastHeight";  // when it was laid out last
  const QVariant before = view.property(kLeast);
  const int least = leastHeight(view);
  view.setProperty(kLeast, least);
  return least > before.toInt() && least > view.height();
}

}  // namespace

std::span<const WindowLayout> windowLayouts() { return kLayouts; }

ViewPlaces::ViewPlaces(QMainWindow& window, QWidget& centre, const ViewContext& context)
    : window_(window), pages_(new QTabWidget(&centre)), middle_(new QSplitter(Qt::Horizontal)) {
  window_.setDockNestingEnabled(true);
  window_.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  window_.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  middle_->setChildrenCollapsible(false);
  pages_->setDocumentMode(true);
  pages_->setAccessibleName("Pages");
  pages_->addTab(middle_, "Module");
  for (const ViewInfo& info : viewTable()) {
    views_.push_back(info.make(context));
    views_.back()->setName(info.name);
    addPage(*views_.back(), info);
  }
  // After all pages: the focus goes around in the order in which views come to the window.
  for (const ViewInfo& info : viewTable()) {
    if (areaOf(info.place) != Qt::NoDockWidgetArea) addDock(*find(info.name), info);
  }
  for (const ViewPlace place : {ViewPlace::Left, ViewPlace::Right, ViewPlace::Bottom}) {
    const std::vector<QDockWidget*> stacked = docksAt(place);
    for (QDockWidget* dock : stacked | std::views::drop(1)) window_.tabifyDockWidget(stacked.front(), dock);
    stacked.front()->raise();
  }
  showMiddle(nullptr);
  first_ = window_.saveState(kStateVersion);
}

void ViewPlaces::addPage(View& view, const ViewInfo& info) {
  if (info.place == ViewPlace::Middle) {
    middleViews_.push_back(&view);
    middle_->addWidget(&view);
  } else if (info.place == ViewPlace::Page) {
    // The widest page would make the window wide; contents scroll or are cut instead.
    view.setMinimumSize(240, 120);
    addTab(view, info);
  }
}

// At its place among the tabs that are there: in the order of the table.
void ViewPlaces::addTab(View& view, const ViewInfo& info) {
  int at = 1;
  for (const ViewInfo& each : viewTable()) {
    if (&each == &info) break;
    const View* before = find(each.name);
    if (before != nullptr && pages_->indexOf(before) >= 0) ++at;
  }
  pages_->insertTab(at, &view, QString(info.title).remove('&'));
}

void ViewPlaces::takeOut(View& view, Qt::DockWidgetArea area) {
  const int tab = pages_->indexOf(&view);
  if (tab < 0) return;
  pages_->removeTab(tab);
  auto* dock = new QDockWidget(QString(infoOf(view).title).remove('&'), &window_);
  dock->setObjectName("dock." + view.name());
  dock->setWidget(&view);
  dock->installEventFilter(this);
  window_.addDockWidget(area, dock, area == Qt::BottomDockWidgetArea ? Qt::Vertical : Qt::Horizontal);
  takenOut_.push_back(&view);
  view.show();
  dock->show();  // at once: what is hidden has no size yet
  // Pages read side by side have the height; the stack of docks, which would take it, what is left.
  if (area != Qt::BottomDockWidgetArea) return;
  window_.layout()->activate();
  window_.resizeDocks({docksAt(ViewPlace::Bottom).front(), dock},
                      {window_.height() / 6, window_.height() / 3}, Qt::Vertical);
}

void ViewPlaces::putBack(View& view) {
  auto* dock = qobject_cast<QDockWidget*>(view.parentWidget());
  if (dock == nullptr || std::erase(takenOut_, &view) == 0) return;
  dock->removeEventFilter(this);
  window_.removeDockWidget(dock);
  addTab(view, infoOf(view));
  dock->deleteLater();
}

bool ViewPlaces::eventFilter(QObject* watched, QEvent* event) {
  if (auto* view = qobject_cast<View*>(watched)) {
    if (event->type() == QEvent::LayoutRequest && view->isVisible() && needsMore(*view))
      giveHeight(*view, *qobject_cast<QDockWidget*>(view->parentWidget()));
    return false;
  }
  if (event->type() != QEvent::Close) return QObject::eventFilter(watched, event);
  if (auto* view = qobject_cast<View*>(qobject_cast<QDockWidget*>(watched)->widget())) putBack(*view);
  return true;
}

void ViewPlaces::reset() {
  while (!takenOut_.empty()) putBack(*takenOut_.back());
  window_.restoreState(first_, kStateVersion);
  sizeDocks();
  showMiddle(nullptr);
}

void ViewPlaces::arrange(const WindowLayout& layout) {
  reset();
  if (View* below = find(layout.below)) takeOut(*below, Qt::BottomDockWidgetArea);
  show(*find(layout.bottom));
  show(*find(layout.front));
}

void ViewPlaces::addDock(View& view, const ViewInfo& info) {
  auto* dock = new QDockWidget(QString(info.title).remove('&'), &window_);
  dock->setObjectName(QString("dock.") + info.name);
  dock->setWidget(&view);
  // A stack of docks is as tall as its tallest needs to be; contents scroll instead.
  view.setMinimumSize(160, 90);
  view.installEventFilter(this);
  window_.addDockWidget(areaOf(info.place), dock);
  docks_.push_back(dock);
}

std::vector<QDockWidget*> ViewPlaces::docksAt(ViewPlace place) const {
  std::vector<QDockWidget*> there;
  for (const ViewInfo& info : viewTable()) {
    auto* dock = info.place == place ? qobject_cast<QDockWidget*>(find(info.name)->parentWidget()) : nullptr;
    if (dock != nullptr) there.push_back(dock);
  }
  return there;
}

View* ViewPlaces::find(const QString& name) const {
  const auto found = std::ranges::find_if(views_, [&](const View* view) { return view->name() == name; });
  return found == views_.end() ? nullptr : *found;
}

void ViewPlaces::show(View& view) {
  if (auto* dock = qobject_cast<QDockWidget*>(view.parentWidget())) {
    dock->show();
    dock->raise();
    giveHeight(view, *dock);
  } else if (pages_->indexOf(&view) >= 0) {
    pages_->setCurrentWidget(&view);
  } else {
    showMiddle();
    if (!view.isVisibleTo(middle_)) showMiddle(nullptr);
  }
  view.setFocus();
}

void ViewPlaces::showMiddle(const View* alone) {
  for (View* view : middleViews_) view->setVisible(alone == nullptr || view == alone);
  if (alone == nullptr) middle_->setSizes({600, 400});
}

View* ViewPlaces::onScreen() const {
  const QWidget* focused = QApplication::focusWidget();
  View* onPage = nullptr;
  for (View* view : views_) {
    if (holds(view, focused)) return view;
    if (pages_->currentWidget() == view) onPage = view;
  }
  return onPage;
}

void ViewPlaces::cycle(int direction) {
  std::vector<View*> stops;
  for (View* view : views_) {
    if (view->isVisible() && !view->visibleRegion().isEmpty()) stops.push_back(view);
  }
  if (stops.empty()) return;
  const QWidget* focused = QApplication::focusWidget();
  const auto at = std::ranges::find_if(stops, [&](const View* stop) { return holds(stop, focused); });
  const auto count = static_cast<int>(stops.size());
  const int from = at == stops.end() ? (direction > 0 ? -1 : 0) : static_cast<int>(at - stops.begin());
  QWidget* next = stops[static_cast<size_t>((from + direction + count) % count)];
  // The first thing in it that takes keys.
  QWidget* target = next;
  for (QWidget* child : next->findChildren<QWidget*>()) {
    if (target->focusPolicy() & Qt::TabFocus) break;
    if ((child->focusPolicy() & Qt::TabFocus) && child->isVisibleTo(next)) target = child;
  }
  target->setFocus(Qt::ShortcutFocusReason);
}

void ViewPlaces::useWidth(int width) {
  constexpr int kRoomForAll = 1200;
  if (isNarrow_ == (width < kRoomForAll)) return;
  isNarrow_ ? makeWide() : makeNarrow();
}

void ViewPlaces::makeNarrow() {
  isNarrow_ = true;
  QDockWidget* left = docksAt(ViewPlace::Left).front();
  QDockWidget* last = left;
  for (QDockWidget* dock : docksAt(ViewPlace::Right)) {
    if (dock->isFloating() || dock->isHidden()) continue;
    window_.tabifyDockWidget(last, dock);
    last = dock;
  }
  left->raise();
  const auto shown =
      std::ranges::count_if(middleViews_, [&](View* each) { return each->isVisibleTo(middle_); });
  if (shown != 1) showMiddle(middleViews_.front());
}

void ViewPlaces::makeWide() {
  isNarrow_ = false;
  const QList<QDockWidget*> behind = window_.tabifiedDockWidgets(docksAt(ViewPlace::Left).front());
  QDockWidget* last = nullptr;
  for (QDockWidget* dock : docksAt(ViewPlace::Right)) {
    if (!behind.contains(dock)) continue;
    window_.addDockWidget(Qt::RightDockWidgetArea, dock);
    if (last != nullptr) window_.tabifyDockWidget(last, dock);
    last = dock;
  }
  if (last != nullptr) docksAt(ViewPlace::Right).front()->raise();
  showMiddle(nullptr);
  sizeDocks();
}

// A dock at the bottom is as tall as what is in front of it needs, up to half of the window.
void ViewPlaces::giveHeight(View& view, QDockWidget& dock) {
  if (dock.isFloating() || window_.dockWidgetArea(&dock) != Qt::BottomDockWidgetArea) return;
  const int wanted =
      std::min(leastHeight(view, window_.width() / 3) + dock.height() - view.height(), window_.height() / 2);
  if (dock.height() < wanted) window_.resizeDocks({&dock}, {wanted}, Qt::Vertical);
}

void ViewPlaces::sizeDocks() {
  const int width = window_.width();
  QDockWidget* left = docksAt(ViewPlace::Left).front();
  window_.resizeDocks({docksAt(ViewPlace::Bottom).front()}, {window_.height() / 4}, Qt::Vertical);
  if (isNarrow_) {
    window_.resizeDocks({left}, {width / 3}, Qt::Horizontal);
  } else {
    window_.resizeDocks({left, docksAt(ViewPlace::Right).front()}, {width / 5, width / 4}, Qt::Horizontal);
  }
}

// "shownMiddle": which of the middle's views is alone; their number where all are there.
void ViewPlaces::save(StudioSettings& settings) const {
  QStringList out;
  for (const View* view : takenOut_) out << view->name();
  settings.set("takenOut", out);
  settings.set("docks", window_.saveState(kStateVersion));
  settings.set("middle", middle_->saveState());
  const auto isShown = [](const View* view) { return !view->isHidden(); };
  const auto alone = std::ranges::all_of(middleViews_, isShown) ? middleViews_.end()
                                                                : std::ranges::find_if(middleViews_, isShown);
  settings.set("shownMiddle", static_cast<int>(alone - middleViews_.begin()));
}

void ViewPlaces::restore(const StudioSettings& settings) {
  for (const QString& name : settings.get("takenOut").toStringList()) {
    if (View* view = find(name)) takeOut(*view, Qt::RightDockWidgetArea);
  }
  window_.restoreState(settings.get("docks").toByteArray(), kStateVersion);
  const auto all = static_cast<int>(middleViews_.size());
  const int alone = settings.get("shownMiddle", all).toInt();
  showMiddle(alone < 0 || alone >= all ? nullptr : middleViews_[static_cast<size_t>(alone)]);
  if (const QByteArray sizes = settings.get("middle").toByteArray(); !sizes.isEmpty())
    middle_->restoreState(sizes);
}

}  // namespace hilo
