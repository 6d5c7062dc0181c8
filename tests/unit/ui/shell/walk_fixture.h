// A walk through the window: what a person opens, shows, chooses and presses. A step waits a minute at most.
#pragma once

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/passes/passes_view.h"

namespace hilo {

class WalkInWindow : public StudioTest {
 protected:
  void open(const QString& path) {
    window_->files().open(path);
    settle();
    ASSERT_NE(session_->current(), nullptr);
  }
  void show(const char* view) {
    window_->showView(view);
    settle();
  }
  QLabel& banner() { return *window_->findChild<QLabel*>("caveats"); }
  void runPipeline(const char* pipeline) {
    window_->view<PassesView>().run({.module = session_->current()->module, .pipeline = pipeline});
    settle();
    PassesView& passes = window_->view<PassesView>();
    QTest::keyClick(&passes.strip(), Qt::Key_End);
    settle();
    QTest::keyClick(&passes.strip(), Qt::Key_Return);
    settle();
  }
  // What a screen reader calls it, or, of a button, what stands on it.
  template <typename Widget>
  Widget& named(QWidget& view, const char* name) {
    for (Widget* widget : view.findChildren<Widget*>()) {
      if (widget->accessibleName() == QLatin1String(name)) return *widget;
      if (auto* button = qobject_cast<QAbstractButton*>(widget);
          button && button->text() == QLatin1String(name))
        return *widget;
    }
    ADD_FAILURE() << "there is no " << name;
    std::abort();
  }
  static void press(QAbstractButton& button) {
    ASSERT_TRUE(button.isVisible() && button.isEnabled()) << button.text().toStdString();
    // A check box is pressed where its box is.
    QTest::mouseClick(&button, Qt::LeftButton, {}, {8, button.height() / 2});
  }
  static void pressTab(QTabWidget& tabs, const char* title) {
    for (int i = 0; i < tabs.count(); ++i) {
      if (tabs.tabText(i) != QLatin1String(title)) continue;
      QTest::mouseClick(tabs.tabBar(), Qt::LeftButton, {}, tabs.tabBar()->tabRect(i).center());
      EXPECT_EQ(tabs.currentIndex(), i);
      return;
    }
    FAIL() << "there is no tab " << title;
  }
  static bool wait(const std::function<bool()>& isSo) { return QTest::qWaitFor(isSo, 60'000); }
};

}  // namespace hilo
