// The values view while a search goes on: what it is at, how far it is, and how it ends.
#include <QProgressBar>
#include <QTest>

#include "tests/unit/ui/shell/long_module.h"
#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/values/values_view.h"

namespace hilo {
namespace {

class ValuesProgressInWindowTest : public StudioTest {
 protected:
  void SetUp() override {
    StudioTest::SetUp();
    window_->files().open(write("long.hlo", longModule()));
    settle();
    window_->showView("values");
    settle();
    bar_ = values().findChild<QProgressBar*>();
  }
  ValuesView& values() { return window_->view<ValuesView>(); }
  // It takes long, so it is asked for twice.
  void clickAndAgree(QPushButton& button) {
    QTest::mouseClick(&button, Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return values().question().isVisible(); }, 60'000));
    QTest::mouseClick(&values().question().goButton(), Qt::LeftButton);
  }
  void expectStopped() {
    ASSERT_TRUE(QTest::qWaitFor([&] { return values().message() == "Stopped."; }, 60'000))
        << values().message().toStdString();
    EXPECT_FALSE(values().stopButton().isVisible());
    EXPECT_FALSE(bar_->isVisible());
  }
  QProgressBar* bar_ = nullptr;
};

TEST_F(ValuesProgressInWindowTest, TheSearchForADivergenceSaysWhatItIsAtAndCanBeStopped) {
  EXPECT_FALSE(values().stopButton().isVisible());
  clickAndAgree(values().divergenceButton());
  EXPECT_TRUE(values().message().startsWith("Comparing cpu with reference"))
      << values().message().toStdString();
  EXPECT_TRUE(bar_->isVisible());
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return values().message() == "Comparing cpu with reference: values of e by reference"; }, 60'000))
      << values().message().toStdString();
  EXPECT_FALSE(bar_->text().isEmpty());
  QTest::mouseClick(&values().stopButton(), Qt::LeftButton);
  expectStopped();
}

TEST_F(ValuesProgressInWindowTest, WhatIsStoppedElsewhereIsNotWaitedFor) {
  clickAndAgree(values().askButton());
  EXPECT_TRUE(values().message().startsWith("Computing the values")) << values().message().toStdString();
  ASSERT_TRUE(QTest::qWaitFor([&] { return bar_->isVisible(); }, 60'000));
  jobs_.cancelTag("values");
  expectStopped();
}

}  // namespace
}  // namespace hilo
