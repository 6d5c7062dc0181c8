// Pages beside each other: out of a tab into a dock and back, kept for the next window, by layouts.
#include <QDockWidget>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/shell/view_picture.h"

namespace hilo {
namespace {

class PagesInDocksTest : public StudioTest {
 protected:
  View& page(const char* name) { return *window_->view(name); }
  bool isTab(const char* name) { return window_->places().pages().indexOf(&page(name)) >= 0; }
  QDockWidget* dockOf(const char* name) { return qobject_cast<QDockWidget*>(page(name).parentWidget()); }
  QStringList tabs() {
    QStringList titles;
    for (int i = 0; i < window_->places().pages().count(); ++i)
      titles << window_->places().pages().tabText(i);
    return titles;
  }
};

TEST_F(PagesInDocksTest, APageStandsBesideTheOthersUntilItsDockIsClosed) {
  openSmall();
  const QStringList before = tabs();
  window_->places().takeOut(page("memory"), Qt::RightDockWidgetArea);
  settle();
  EXPECT_FALSE(isTab("memory"));
  window_->showView("schedule");
  settle();
  EXPECT_TRUE(page("memory").isVisible()) << "beside the schedule";
  EXPECT_TRUE(page("schedule").isVisible());
  dockOf("memory")->close();
  settle();
  EXPECT_EQ(tabs(), before) << "in its former place";
}

TEST_F(PagesInDocksTest, TheNextWindowHasThemWhereTheyWere) {
  window_->places().takeOut(page("thunks"), Qt::BottomDockWidgetArea);
  window_->close();
  makeWindow();
  ASSERT_NE(dockOf("thunks"), nullptr);
  EXPECT_EQ(window_->dockWidgetArea(dockOf("thunks")), Qt::BottomDockWidgetArea);
}

TEST_F(PagesInDocksTest, EveryLayoutShowsItsViewsAndResetsGoBack) {
  openSmall();
  const QStringList before = tabs();
  for (const WindowLayout& layout : windowLayouts()) {
    SCOPED_TRACE(layout.name);
    window_->places().arrange(layout);
    settle();
    EXPECT_TRUE(page(layout.front).isVisible());
    EXPECT_TRUE(page(layout.bottom).isVisible());
    if (*layout.below == '\0') continue;
    EXPECT_TRUE(page(layout.below).isVisible());
    EXPECT_GT(page(layout.front).height(), window_->height() / 4);
    EXPECT_GT(page(layout.below).height(), window_->height() / 4);
  }
  window_->places().reset();
  EXPECT_EQ(tabs(), before);
}

TEST_F(PagesInDocksTest, AViewIsWrittenAsAPicture) {
  openSmall();
  window_->showView("schedule");
  settle();
  for (const char* ending : {"png", "svg", "pdf"}) {
    const QString path = folder_.filePath(QString("schedule.") + ending);
    ASSERT_TRUE(writeViewPicture(page("schedule"), path)) << ending;
    EXPECT_GT(QFileInfo(path).size(), 1000) << ending;
  }
  EXPECT_EQ(QImage(folder_.filePath("schedule.png")).width(), 2 * page("schedule").width());
  EXPECT_EQ(writeViewPicture(page("schedule"), "schedule.gif").error().kind, "unknown-format");
}

}  // namespace
}  // namespace hilo
