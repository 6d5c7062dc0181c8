// What "Copy command line" copies is run, and shows what the view showed.

#include <QClipboard>
#include <QComboBox>
#include <QImage>
#include <QProcess>
#include <QTabWidget>
#include <QTest>

#include "core/workspace/session/comparable.h"
#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/shell/focus_frame.h"
#include "ui/views/passes/passes_view.h"
#include "ui/views/runs/runs_view.h"
#include "ui/views/search/search_view.h"

namespace hilo {
namespace {

class CopyCommandTest : public StudioTest {
 protected:
  // Presses the keys that copy, with the focus in the view.
  QString copied(const QString& view) {
    window_->showView(view);
    settle();
    QWidget* shown = window_->view(view);
    QWidget* target = shown;
    for (QWidget* child : shown->findChildren<QWidget*>()) {
      if (target->focusPolicy() & Qt::TabFocus) break;
      if ((child->focusPolicy() & Qt::TabFocus) && child->isVisibleTo(shown)) target = child;
    }
    QApplication::setActiveWindow(window_.get());
    target->setFocus();
    settle();
    QApplication::clipboard()->clear();
    QTest::keyClick(window_.get(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    return QApplication::clipboard()->text();
  }
  // Runs it as a shell does, in the folder of the test; its output.
  QByteArray run(const QString& line, int expectedExit = 0) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PATH", QString(HILO_PROGRAMS ":") + environment.value("PATH"));
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(folder_.path());
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start("/bin/sh", {"-c", line});
    EXPECT_TRUE(process.waitForFinished(120000)) << line.toStdString();
    const QByteArray output = process.readAll();
    EXPECT_EQ(process.exitCode(), expectedExit) << line.toStdString() << "\n" << output.toStdString();
    return output;
  }
  // How much of two pictures is the same: the focus, with the colour of what is selected, is in one alone.
  static double alike(const QImage& a, const QImage& b) {
    if (a.size() != b.size() || a.isNull()) return 0;
    qint64 same = 0;
    for (int y = 0; y < a.height(); ++y) {
      for (int x = 0; x < a.width(); ++x) same += a.pixel(x, y) == b.pixel(x, y);
    }
    return static_cast<double>(same) / (static_cast<double>(a.width()) * a.height());
  }
  void expectSamePicture(const QString& view, double least = 0.97) {
    const QString line = copied(view);
    ASSERT_TRUE(line.contains("--render " + view)) << line.toStdString();
    auto& frame = *window_->findChild<FocusFrame*>();
    frame.setVisible(false);
    const QImage shown = window_->view(view)->grab().toImage();
    frame.setVisible(true);
    run(line);
    const QImage drawn(folder_.filePath(view + ".png"));
    EXPECT_GE(alike(shown, drawn), least)
        << line.toStdString() << " " << drawn.width() << "x" << drawn.height() << " for " << shown.width()
        << "x" << shown.height();
  }
};

class CopyCommandOfView : public CopyCommandTest, public testing::WithParamInterface<const char*> {};

TEST_P(CopyCommandOfView, ShowsTheSame) {
  openSmall();
  ASSERT_TRUE(window_->goToName("dot.1"));
  settle();
  expectSamePicture(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Views, CopyCommandOfView,
                         testing::Values("graph", "tree", "text", "inspector", "overview", "schedule",
                                         "memory", "source", "problems"));

TEST_F(CopyCommandTest, WhatWasSetInAViewIsSetAgain) {
  openSmall();
  window_->showView("overview");
  settle();
  QWidget* overview = window_->view("overview");
  auto* measure = overview->findChild<QComboBox*>();
  measure->setFocus();
  QTest::keyClick(measure, Qt::Key_Down);
  QTabWidget* tables = overview->findChild<QTabWidget*>();
  tables->setCurrentIndex(1);
  settle();
  const QString line = copied("overview");
  EXPECT_EQ(line.count("--set"), 2) << line.toStdString();
  expectSamePicture("overview");
}

TEST_F(CopyCommandTest, TheFormOfTheTextIsSetAgain) {
  openSmall();
  window_->showView("text");
  QTest::keyClick(window_.get(), Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
  window_->action("view.textForm1")->trigger();
  settle();
  expectSamePicture("text");
}

TEST_F(CopyCommandTest, PassesAreRunAndTheStepIsChosen) {
  openSmall();
  window_->view<PassesView>().run({.module = session_->current()->module, .passes = {"cse", "dce"}});
  settle();
  window_->view<PassesView>().strip().setCurrent(2);
  settle();
  const QString line = copied("passes");
  EXPECT_TRUE(line.contains("--passes cse,dce --step 2")) << line.toStdString();
  expectSamePicture("passes");  // but for the times
}

TEST_F(CopyCommandTest, ComparedModulesAreBothNamed) {
  openSmall();
  const SnapshotId first = session_->current()->id;
  window_->files().open(write("after.txt", QByteArray(kSmallModule).replace("multiply(", "divide(")));
  settle();
  compareWithCurrent(*session_, stepOf(*session_, first));
  settle();
  const QString line = copied("passes");
  EXPECT_TRUE(line.endsWith(folder_.filePath("small.hlo") + " " + folder_.filePath("after.txt")))
      << line.toStdString();
  expectSamePicture("passes");
}

// One side was made by passes here: the command makes it first.
TEST_F(CopyCommandTest, AComparedModuleThatPassesMadeIsMadeFirst) {
  openSmall();
  const SnapshotId first = session_->current()->id;
  window_->view<PassesView>().run({.module = session_->current()->module, .passes = {"dce"}});
  settle();
  showStep(*session_, session_->series().back().id, 1);
  settle();
  compareWithCurrent(*session_, stepOf(*session_, first));
  settle();
  const QString line = copied("passes");
  EXPECT_TRUE(line.startsWith("hilo opt --passes=dce ")) << line.toStdString();
  run(line);
  EXPECT_FALSE(QImage(folder_.filePath("passes.png")).isNull());
}

TEST_F(CopyCommandTest, QueriesAndRunsAreCommands) {
  openSmall();
  window_->showView("search");
  window_->view<SearchView>().search("opcode:dot");
  settle();
  EXPECT_TRUE(run(copied("search")).contains("dot.1"));
  window_->showView("runs");
  window_->view<RunsView>().form().repeat().setValue(2);
  settle();
  const QByteArray output = run(copied("runs"));
  EXPECT_TRUE(output.contains("f32[4,4]")) << output.toStdString();
}

}  // namespace
}  // namespace hilo
