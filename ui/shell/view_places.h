// Where the views of a window are: the first page holds those of the middle side by side, the others of
// the pages have a tab each, the rest are docks. A page can leave its tab and be a dock beside or below the
// others. It makes the views, brings them to the front and keeps how they are arranged.
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <QSplitter>
#include <QTabWidget>
#include <span>

#include "ui/shell/studio_settings.h"
#include "ui/shell/views.h"

namespace hilo {

// A row of layouts.def.
struct WindowLayout {
  const char* name;
  const char* front;
  const char* below;
  const char* bottom;
};
std::span<const WindowLayout> windowLayouts();

class ViewPlaces : public QObject {
 public:
  // The window owns the views; `pages()` is a child of `centre`, still to be put into its layout. Each time a
  // widget gets another parent, all in it is styled again: the pages are made where they stay.
  ViewPlaces(QMainWindow& window, QWidget& centre, const ViewContext& context);

  const std::vector<View*>& views() const { return views_; }
  View* find(const QString& name) const;
  QTabWidget& pages() { return *pages_; }
  const std::vector<QDockWidget*>& docks() const { return docks_; }

  // Brings it to the front, wherever it is, and gives it the focus.
  void show(View& view);
  // The page with the views of the middle.
  void showMiddle() { pages_->setCurrentWidget(middle_); }
  // The same with this one alone; null: all of them.
  void showMiddle(const View* alone);
  // The view with the focus; else that of the page in front, null where that is the middle.
  View* onScreen() const;
  // Out of its tab, into a dock of its own; nothing where it has no tab. Closing the dock puts it back.
  void takeOut(View& view, Qt::DockWidgetArea area);
  void putBack(View& view);
  // As a new window is.
  void reset();
  void arrange(const WindowLayout& layout);
  // The focus to the next or previous view that can be seen.
  void cycle(int direction);

  // Whenever the window's width changes: where there is little room docks of the right go behind those of the
  // left, and the first view has the middle to itself; with more room they go back, unless they were moved.
  void useWidth(int width);
  // After the window is shown for the first time.
  void sizeDocks();
  void save(StudioSettings& settings) const;
  void restore(const StudioSettings& settings);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeNarrow();
  void makeWide();
  void giveHeight(View& view, QDockWidget& dock);
  void addTab(View& view, const ViewInfo& info);
  void addPage(View& view, const ViewInfo& info);
  void addDock(View& view, const ViewInfo& info);
  std::vector<QDockWidget*> docksAt(ViewPlace place) const;

  QMainWindow& window_;
  std::vector<View*> views_;
  std::vector<View*> middleViews_;
  std::vector<QDockWidget*> docks_;
  QTabWidget* pages_;
  QSplitter* middle_;
  std::vector<View*> takenOut_;
  QByteArray first_;  // how docks stand before the settings move them
  bool isNarrow_ = false;
};

}  // namespace hilo
