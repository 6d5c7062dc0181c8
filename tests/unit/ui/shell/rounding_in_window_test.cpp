// The Compare view where two runs differ: whether rounding explains it, measured when asked for.
#include <QTest>

#include "tests/unit/ui/shell/long_module.h"
#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/compare/compare_view.h"

namespace hilo {
namespace {

// A unit of the argument is 1e4 units of the first result; the second does not move.
constexpr const char* kScaled = R"(HloModule scaled
ENTRY e { a = f32[64] parameter(0)
  k = f32[] constant(1e4)
  kk = f32[64] broadcast(k), dimensions={}
  one = f32[64] sign(a)
  d = f32[64] subtract(a, one)
  y = f32[64] multiply(d, kk)
  i = s32[64] iota(), iota_dimension=0
  ROOT t = (f32[64], s32[64]) tuple(y, i) })";

class RoundingInWindowTest : public StudioTest {
 protected:
  RoundingRow& rounding() { return window_->view<CompareView>().rounding(); }
  void open(const QByteArray& text) {
    window_->files().open(write("m.hlo", text));
    settle();
    ASSERT_NE(session_->current(), nullptr);
  }
  RunRecord runOfShown() {
    auto run = execute({.module = session_->current()->module, .arguments = {.seed = 3}}, JobContext());
    EXPECT_TRUE(run.has_value());
    return *std::move(run);
  }
  // The run beside itself, its first array off by `by`.
  void compareOff(RunRecord run, float by) {
    RunRecord other = run;
    for (float& value : other.output->mutableElements()[0].mutableData<float>()) value += by;
    session_->runs().compare(std::move(run), std::move(other));
    window_->showView("compare");
    settle();
  }
  QString measured() {
    QTest::mouseClick(&rounding().button(), Qt::LeftButton);
    EXPECT_TRUE(QTest::qWaitFor([&] { return rounding().button().isEnabled(); }, 60'000));
    return rounding().message();
  }
};

TEST_F(RoundingInWindowTest, IsOfferedWhereTwoDifferAndSaidInWords) {
  constexpr int kTimesMoved = 4;
  open(kScaled);
  const RunRecord run = runOfShown();
  compareOff(run, 0);
  EXPECT_FALSE(rounding().isVisible()) << "they agree";
  rounding().measure();
  settle();
  EXPECT_TRUE(window_->view<CompareView>().leaves().isColumnHidden(kTimesMoved))
      << "there is nothing to measure";
  compareOff(run, 5e-4f);
  ASSERT_TRUE(rounding().isVisible()) << window_->view<CompareView>().verdict().toStdString();
  const QAbstractItemModel& leaves = *window_->view<CompareView>().leaves().model();
  EXPECT_TRUE(window_->view<CompareView>().leaves().isColumnHidden(kTimesMoved));
  EXPECT_TRUE(measured().startsWith("They differ by rounding: ")) << rounding().message().toStdString();
  EXPECT_FALSE(window_->view<CompareView>().leaves().isColumnHidden(kTimesMoved));
  EXPECT_LT(leaves.index(0, kTimesMoved).data().toDouble(), 8);
  EXPECT_EQ(leaves.index(1, kTimesMoved).data().toString(), "") << "it agrees";
  // Another comparison has not been measured.
  compareOff(run, 10);
  EXPECT_EQ(rounding().message(), "");
  EXPECT_TRUE(window_->view<CompareView>().leaves().isColumnHidden(kTimesMoved));
  EXPECT_TRUE(measured().startsWith("They differ by more than moving the arguments explains"))
      << rounding().message().toStdString();
}

TEST_F(RoundingInWindowTest, ThatNaNsAgreeSaysNothing) {
  open(R"(HloModule nan
ENTRY e { a = f32[4] parameter(0)
  k = f32[4] constant({-1, -4, -9, -16})
  r = f32[4] sqrt(k)
  ROOT t = (f32[4]) tuple(r) })");
  compareOff(runOfShown(), 0);
  EXPECT_TRUE(window_->view<CompareView>().verdict().contains("NaN everywhere"))
      << window_->view<CompareView>().verdict().toStdString();
}

TEST_F(RoundingInWindowTest, WhatCannotBeRunAgainIsSaid) {
  open(kScaled);
  RunRecord run = runOfShown();
  run.id = RunId{7};
  run.outputDigest += 1;
  compareOff(run, 10);
  EXPECT_TRUE(measured().startsWith("run 7 gives other results now")) << rounding().message().toStdString();
  run.moduleHash += 1;
  compareOff(run, 10);
  EXPECT_TRUE(measured().startsWith("what run 7 was of, scaled, is not open"))
      << rounding().message().toStdString();
}

TEST_F(RoundingInWindowTest, SaysWhatItIsAtAndEnds) {
  open(longModule());
  RunRecord run{.id = RunId{7},
                .moduleHash = moduleHash(*session_->current()->module),
                .engine = "reference",
                .argumentsDescription = "seed 3",
                .output = Literal::tuple({Literal(Shape::array(ElementType::F32, {2}))})};
  compareOff(run, 1);
  ASSERT_TRUE(rounding().isVisible());
  QTest::mouseClick(&rounding().button(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return rounding().message() == "run 7 once more, as it was"; }, 60'000))
      << rounding().message().toStdString();
  EXPECT_TRUE(rounding().stopButton().isVisible());
  EXPECT_FALSE(rounding().button().isEnabled());
  QTest::mouseClick(&rounding().stopButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !rounding().stopButton().isVisible(); }, 60'000));
  EXPECT_EQ(rounding().message(), "Stopped.");
  EXPECT_TRUE(rounding().button().isEnabled());
}

}  // namespace
}  // namespace hilo
