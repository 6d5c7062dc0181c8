// The status bar: a job that goes on has a bar with what ends it, and the words of views lead to them.
#include "ui/shell/window_status.h"

#include <QTest>
#include <QToolButton>

#include "tests/unit/ui/shell/studio_fixture.h"

namespace hilo {
namespace {

using WindowStatusTest = StudioTest;

TEST_F(WindowStatusTest, AJobThatGoesOnIsShownAndEnded) {
  JobScope scope;
  const JobId job = jobs_.submit(
      "test", "Wait",
      [](JobContext& context) -> Result<int> {
        context.progress(0.5, "half of it");
        while (!context.cancelled()) QThread::msleep(5);
        return cancelledError();
      },
      [](const Result<int>&) {}, &scope);
  JobProgress& progress = window_->status().progress();
  ASSERT_TRUE(QTest::qWaitFor([&] { return progress.job() == job; }, 10'000));
  EXPECT_TRUE(progress.isVisible());
  QTest::mouseClick(&progress.stopButton(), Qt::LeftButton);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !progress.isVisible(); }, 10'000));
}

TEST_F(WindowStatusTest, AClickOnTheCountOfProblemsListsThem) {
  window_->files().open(write(
      "broken.hlo", QByteArray(kSmallModule)
                        .replace("f32[4,4]{1,0} %dot.1, f32[] %zero", "f32[4,4]{1,0} %gone, f32[] %zero")));
  settle();
  window_->showView("search");
  QToolButton* word = nullptr;
  for (QToolButton* each : window_->findChildren<QToolButton*>()) {
    if (each->toolTip() == "Show problems") word = each;
  }
  ASSERT_NE(word, nullptr);
  ASSERT_FALSE(word->text().isEmpty());
  word->click();
  EXPECT_TRUE(window_->view("problems")->isVisible());
}

}  // namespace
}  // namespace hilo
