// Values of instructions in the window: computed when asked, followed by the selection, marked where
// they go wrong.
#include <QAbstractItemModelTester>
#include <QMenu>
#include <QPushButton>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/inspector/inspector_view.h"
#include "ui/views/runs/runs_view.h"
#include "ui/views/text/text_pane.h"
#include "ui/views/values/values_view.h"

namespace hilo {
namespace {

constexpr const char* kRoots = R"(HloModule roots
fused { x = f32[3] parameter(0)
  m = f32[3] constant({1, -4, 9})
  p = f32[3] add(x, m)
  l = f32[3] sqrt(m)
  ROOT q = f32[3] add(l, p) }
ENTRY e { a = f32[3] constant({0, 1, 2})
  b = f32[3] fusion(a), kind=kLoop, calls=fused
  ROOT c = f32[3] negate(b) })";

class ValuesInWindowTest : public StudioTest {
 protected:
  ValuesView& values() { return window_->view<ValuesView>(); }
  void openRoots() {
    window_->files().open(write("roots.hlo", kRoots));
    settle();
    ASSERT_NE(session_->current(), nullptr);
    window_->showView("values");
    settle();
  }
  void askValues() {
    QTest::mouseClick(&values().askButton(), Qt::LeftButton);
    const auto areKnown = [&] { return std::ranges::any_of(values().rows().rows(), &ValueRow::isKnown); };
    ASSERT_TRUE(QTest::qWaitFor(areKnown, 60'000)) << values().message().toStdString();
    settle();
  }
};

TEST_F(ValuesInWindowTest, theSelectedInstructionsElementsAreShown) {
  openSmall();
  window_->showView("values");
  askValues();
  const QAbstractItemModelTester rows(values().table().model(),
                                      QAbstractItemModelTester::FailureReportingMode::Fatal);
  const QAbstractItemModelTester cells(values().details().elements().model(),
                                       QAbstractItemModelTester::FailureReportingMode::Fatal);
  window_->goToName("dot.1");
  settle();
  EXPECT_TRUE(values().details().figures().contains("dot.1")) << values().details().figures().toStdString();
  const QAbstractItemModel& elements = *values().details().elements().model();
  ASSERT_EQ(elements.rowCount(), 4);
  ASSERT_EQ(elements.columnCount(), 4);
  const auto& literal = session_->result<ResultKind::Values>(session_->current()->id)
                            ->entry()
                            .find(window_->bus().selected().instruction)
                            ->literals[0];
  EXPECT_FLOAT_EQ(elements.index(2, 3).data().toFloat(), literal.data<float>()[11]);
  int64_t counted = 0;
  for (const int64_t count : values().details().histogram().bars().counts) counted += count;
  EXPECT_EQ(counted, 16);
  // From the table by key, and back to all views.
  values().table().setFocus();
  QTest::keyClick(&values().table(), Qt::Key_End);
  EXPECT_EQ(selectedName(), "out");
  EXPECT_TRUE(window_->view<InspectorView>().asText().contains("by: reference"))
      << window_->view<InspectorView>().asText().toStdString();
}

TEST_F(ValuesInWindowTest, beforeARunTheInstructionsAreListedAndTheRunIsOffered) {
  openRoots();
  ASSERT_EQ(values().rows().rowCount(), 3);
  EXPECT_EQ(values().rows().rows()[1].value.name, "b");
  EXPECT_EQ(values().rows().rows()[1].value.shape, "f32[3]");
  EXPECT_FALSE(values().rows().rows()[1].isKnown());
  EXPECT_EQ(values().rows().index(1, 3).data().toString(), "");
  constexpr int kNaN = 6;
  EXPECT_GT(values().table().columnWidth(kNaN),
            values().table().fontMetrics().horizontalAdvance("12,845,056"))
      << "a count cut short is another one";
  EXPECT_TRUE(values().details().figures().contains("Not evaluated"))
      << values().details().figures().toStdString();
  // Of the computation that is selected; and from the table to all views.
  window_->goToName("l");
  ASSERT_TRUE(QTest::qWaitFor([&] { return values().rows().rowCount() == 5; }, 60'000));
  settle();
  values().table().setFocus();
  QTest::keyClick(&values().table(), Qt::Key_End);
  EXPECT_EQ(selectedName(), "q");
  EXPECT_EQ(session_->result<ResultKind::Values>(session_->current()->id), nullptr);
}

TEST_F(ValuesInWindowTest, whatIsFusedIsGoneInto) {
  openRoots();
  askValues();
  window_->goToName("p");
  ASSERT_TRUE(QTest::qWaitFor([&] { return values().details().figures().contains("<b>p</b>"); }, 60'000))
      << values().message().toStdString();
  EXPECT_EQ(values().details().elements().model()->index(0, 1).data().toString(), "-3");
}

TEST_F(ValuesInWindowTest, ofNoFiniteElementsThereIsNoLeastAndNoMost) {
  window_->files().open(write("nan.hlo", R"(HloModule nan
ENTRY e { k = f32[2] constant({-1, -4})
  ROOT s = f32[2] sqrt(k) })"));
  settle();
  window_->showView("values");
  askValues();
  const QAbstractItemModel& table = *values().table().model();
  EXPECT_EQ(table.index(0, 3).data().toString(), "-4");
  for (const int column : {3, 4, 5}) EXPECT_EQ(table.index(1, column).data().toString(), "-") << column;
  window_->goToName("s");
  settle();
  EXPECT_TRUE(values().details().figures().contains("min -, max -, mean -"))
      << values().details().figures().toStdString();
}

TEST_F(ValuesInWindowTest, theFirstNanIsMarkedEverywhere) {
  openRoots();
  QTest::mouseClick(&values().nonfiniteButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return session_->finding().has_value(); }, 60'000))
      << values().message().toStdString();
  settle();
  EXPECT_EQ(selectedName(), "l");
  EXPECT_TRUE(values().message().contains("b > l")) << values().message().toStdString();
  const size_t line = window_->view<TextPane>().text().caret().place().line;
  EXPECT_TRUE(window_->view<TextPane>().factsAt(static_cast<uint32_t>(line)).contains("makes 1 NaN"));
  const Scene& scene = window_->view<GraphArea>().view().canvas()->scene();
  EXPECT_TRUE(std::ranges::any_of(scene.nodes, [](const SceneNode& node) {
    return node.title == "l" && node.mark == SceneMark::kFault;
  }));
}

TEST_F(ValuesInWindowTest, theWayFromTheParametersToANaNIsLit) {
  window_->files().open(write("way.hlo", R"(HloModule way
ENTRY e { a = f32[3] parameter(0)
  k = f32[3] constant({-1, -4, -9})
  b = f32[3] abs(a)
  c = f32[3] subtract(k, b)
  aside = f32[3] exponential(a)
  d = f32[3] sqrt(c)
  ROOT r = f32[3] add(d, aside) })"));
  settle();
  window_->showView("values");
  QTest::mouseClick(&values().nonfiniteButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return session_->finding().has_value(); }, 60'000))
      << values().message().toStdString();
  settle();
  QStringList lit;
  const Scene& scene = window_->view<GraphArea>().view().canvas()->scene();
  for (const SceneEdge& edge : scene.edges) {
    if (edge.lit) lit << scene.nodes[edge.from].title + ">" + scene.nodes[edge.to].title;
  }
  lit.sort();
  EXPECT_EQ(lit, (QStringList{"a>b", "b>c", "c>d"})) << lit.join(" ").toStdString();
}

TEST_F(ValuesInWindowTest, aFaultInsideIsMarkedOnWhatHoldsIt) {
  openRoots();
  QTest::mouseClick(&values().nonfiniteButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return session_->finding().has_value(); }, 60'000));
  settle();
  ASSERT_EQ(session_->finding()->through.size(), 1u);
  GraphView& graph = window_->view<GraphArea>().view();
  graph.select({});
  graph.closeAll();
  settle();
  const Scene& scene = graph.canvas()->scene();
  EXPECT_TRUE(std::ranges::any_of(scene.nodes, [](const SceneNode& node) {
    return node.group && !node.open && node.mark == SceneMark::kFault;
  }));
}

TEST_F(ValuesInWindowTest, anInfinityThatTheProgramSaysIsNoFault) {
  window_->files().open(write("inf.hlo", R"(HloModule inf
larger { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] maximum(a, b) }
ENTRY e { x = f32[4,4] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  made = f32[] divide(low, zero)
  ROOT r = f32[4] reduce(x, low), dimensions={1}, to_apply=larger })"));
  settle();
  window_->showView("values");
  askValues();
  const QAbstractItemModel& model = *values().table().model();
  QStringList red;
  for (int row = 0; row < model.rowCount(); ++row) {
    const QString name = model.index(row, 0).data().toString();
    if (model.index(row, 0).data(Qt::ForegroundRole).isValid()) red << name;
    if (name == "low") EXPECT_EQ(model.index(row, 3).data().toString(), "-inf");
  }
  EXPECT_EQ(red, QStringList{"made"}) << red.join(" ").toStdString();
}

TEST_F(ValuesInWindowTest, enginesThatAgreeSayThatTheyDo) {
  openRoots();
  QTest::mouseClick(&values().divergenceButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return values().message().contains("agrees"); }, 60'000))
      << values().message().toStdString();
  EXPECT_FALSE(session_->finding());
  // How far off each is stands beside its values, and colours the graph.
  askValues();
  const auto& rows = values().rows().rows();
  EXPECT_TRUE(std::ranges::any_of(rows, [](const ValueRow& row) { return row.ulp >= 0; }));
  ASSERT_TRUE(window_->view<GraphArea>().arrange("colour=nan"));
  settle();
  const Scene& scene = window_->view<GraphArea>().view().canvas()->scene();
  EXPECT_TRUE(std::ranges::any_of(
      scene.nodes, [](const SceneNode& node) { return node.title == "c" && node.subtitle == "1"; }));
}

TEST_F(ValuesInWindowTest, aRunAgainstAnotherEngineIsTakenInTurns) {
  openRoots();
  window_->showView("runs");
  RunsView& runs = window_->view<RunsView>();
  runs.form().repeat().setValue(8);
  runs.form().against().setCurrentText("compare with reference");
  ASSERT_EQ(runs.form().against().currentText(), "compare with reference");
  QTest::mouseClick(&runs.form().runButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return session_->runs().compared().has_value(); }, 60'000))
      << runs.message().toStdString();
  settle();
  EXPECT_TRUE(session_->runs().comparedInTurns());
  EXPECT_TRUE(window_->view<CompareView>().verdict().contains("Interleaved"))
      << window_->view<CompareView>().verdict().toStdString();
  EXPECT_EQ(runs.list().model().rowCount(), 2);
  EXPECT_TRUE(window_->view<CompareView>().divergenceButton().isVisible());
  QTest::mouseClick(&window_->view<CompareView>().divergenceButton(), Qt::LeftButton);
  EXPECT_TRUE(QTest::qWaitFor([&] { return values().message().contains("agrees"); }, 60'000))
      << values().message().toStdString();
}

TEST_F(ValuesInWindowTest, anEngineIsToldFlags) {
  openRoots();
  window_->showView("runs");
  RunsView& runs = window_->view<RunsView>();
  const auto boxes = runs.findChildren<QComboBox*>();
  const auto engine = std::ranges::find(boxes, "Engine", &QComboBox::accessibleName);
  ASSERT_NE(engine, boxes.end());
  (*engine)->setCurrentText("cpu");
  const auto flags = runs.form().flagsButton().menu()->actions();
  for (const char* name : {"no-cache", "fast-math"}) {
    const auto flag = std::ranges::find(flags, name, &QAction::text);
    ASSERT_NE(flag, flags.end()) << name;
    (*flag)->trigger();
  }
  EXPECT_EQ(runs.form().engine(), "cpu:no-cache+fast-math");
  EXPECT_EQ(runs.form().flagsButton().text(), "2 flags");
  QTest::mouseClick(&runs.form().runButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return runs.list().model().rowCount() == 1; }, 60'000))
      << runs.message().toStdString();
  EXPECT_NE(runs.list().model().rows()[0].flags.find("fast-math"), std::string::npos);
  // Another engine has flags of its own.
  (*engine)->setCurrentText("reference");
  EXPECT_EQ(runs.form().engine(), "reference");
}

}  // namespace
}  // namespace hilo
