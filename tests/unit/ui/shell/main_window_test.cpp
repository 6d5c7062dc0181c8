#include "ui/shell/main_window.h"

#include <QAbstractItemModelTester>
#include <QDockWidget>
#include <QKeyEvent>
#include <QMimeData>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/models/module_tree_model.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/shell/command_palette.h"
#include "ui/views/file/file_view.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/inspector/inspector_view.h"
#include "ui/views/passes/passes_view.h"
#include "ui/views/problems/problems_view.h"
#include "ui/views/search/search_view.h"
#include "ui/views/text/text_pane.h"
#include "ui/views/tree/tree_view.h"

namespace hilo {
namespace {

void press(QWidget& widget, int key, const QString& text = {}) {
  QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier, text);
  QCoreApplication::sendEvent(&widget, &event);
}

using MainWindowTest = StudioTest;

TEST_F(MainWindowTest, OneSelectionShowsInEveryView) {
  openSmall();
  ASSERT_TRUE(window_->goToName("dot.1"));
  settle();
  EXPECT_EQ(selectedName(), "dot.1");
  EXPECT_EQ(window_->view<GraphArea>().view().selected(), window_->bus().selected().instruction);
  EXPECT_EQ(window_->view<TreeView>().tree().currentIndex().data().toString(), "dot.1");
  EXPECT_TRUE(window_->view<InspectorView>().asText().contains("model.py:3"));
  const auto line = window_->view<TextPane>().text().caret().place().line;
  EXPECT_TRUE(window_->view<TextPane>().text().lines().lineText(line).contains("%dot.1 ="));
}

TEST_F(MainWindowTest, TheCaretOfTheTextSelects) {
  openSmall();
  TextView& text = window_->view<TextPane>().text();
  for (uint32_t line = 0; line < text.lines().count(); ++line) {
    if (text.lines().lineText(line).contains("%spread =")) text.goTo({line, 2});
  }
  EXPECT_EQ(selectedName(), "spread");
}

TEST_F(MainWindowTest, BackAndForward) {
  openSmall();
  window_->goToName("dot.1");
  window_->goToName("out");
  window_->action("go.back")->trigger();
  EXPECT_EQ(selectedName(), "dot.1");
  window_->action("go.forward")->trigger();
  EXPECT_EQ(selectedName(), "out");
}

TEST_F(MainWindowTest, ThePaletteFindsActionsAndNames) {
  openSmall();
  CommandPalette& palette = window_->palette();
  window_->action("go.palette")->trigger();
  ASSERT_TRUE(palette.isVisible());
  palette.box().setText("spread");
  ASSERT_GT(palette.list().count(), 0);
  press(palette.box(), Qt::Key_Return);
  EXPECT_FALSE(palette.isVisible());
  EXPECT_EQ(selectedName(), "spread");
  palette.open();
  palette.box().setText("dark theme");
  press(palette.box(), Qt::Key_Return);
  EXPECT_TRUE(settings_->get("dark").toBool());
}

TEST_F(MainWindowTest, ThePaletteFindsViewsFilesPassesAndTakesQueries) {
  openSmall();
  CommandPalette& palette = window_->palette();
  const auto choose = [&](const QString& typed) {
    palette.open();
    palette.box().setText(typed);
    press(palette.box(), Qt::Key_Return);
    settle();
  };
  choose("show overview");
  EXPECT_TRUE(window_->view("overview")->isVisible());
  choose("run pass dce");
  ASSERT_EQ(session_->series().size(), 1u);
  EXPECT_EQ(session_->series()[0].series->steps[1].name, "dce");
  choose("opcode:dot");
  EXPECT_EQ(window_->view<SearchView>().box().text(), "opcode:dot");
  EXPECT_EQ(window_->view<SearchView>().model().rows().size(), 1u);
  session_->close(session_->documents()[0]->id);
  choose("open small.hlo");
  EXPECT_EQ(session_->documents().size(), 1u);
}

TEST_F(MainWindowTest, SearchFindsAndSaysWhereAQueryIsWrong) {
  openSmall();
  window_->view<SearchView>().search("opcode:dot");
  settle();
  ASSERT_EQ(window_->view<SearchView>().model().rows().size(), 1u);
  EXPECT_EQ(window_->view<SearchView>().model().rows()[0].name, "dot.1");
  window_->view<SearchView>().table().setCurrentIndex(window_->view<SearchView>().model().index(0, 0));
  press(window_->view<SearchView>().table(), Qt::Key_Return);
  EXPECT_EQ(selectedName(), "dot.1");
  window_->view<SearchView>().search("opcode:(dot");
  settle();
  EXPECT_TRUE(window_->view<SearchView>().model().rows().empty());
  EXPECT_FALSE(window_->view<SearchView>().message().isEmpty());
}

TEST_F(MainWindowTest, AFileThatCannotBeReadIsAProblemNotADialog) {
  window_->files().open(write("broken.hlo", QByteArray("\x7f\x45\x4c\x46 no module", 15)));
  settle();
  EXPECT_EQ(session_->current(), nullptr);
  ASSERT_FALSE(window_->view<ProblemsView>().model().rows().empty());
  EXPECT_EQ(window_->view<ProblemsView>().model().rows()[0].severity, Severity::kError);
  EXPECT_EQ(QApplication::activeModalWidget(), nullptr);
}

TEST_F(MainWindowTest, AnUnstableSumIsAWarningThatLeadsToIt) {
  window_->files().open(write("sum.hlo", R"(HloModule sum

add {
  x = bf16[] parameter(0)
  y = bf16[] parameter(1)
  ROOT r = bf16[] add(x, y)
}

ENTRY main {
  a = bf16[64] parameter(0)
  zero = bf16[] constant(0)
  ROOT total = bf16[] reduce(a, zero), dimensions={0}, to_apply=add
}
)"));
  settle();
  ProblemsView& problems = window_->view<ProblemsView>();
  ASSERT_EQ(problems.model().rows().size(), 1u);
  EXPECT_EQ(problems.model().rows()[0].kind, "unstable-reduction");
  EXPECT_EQ(problems.model().rows()[0].severity, Severity::kWarning);
  EXPECT_EQ(problems.model().rows()[0].place.line, 12u);
  problems.table().setCurrentIndex(problems.model().index(0, 0));
  press(problems.table(), Qt::Key_Return);
  EXPECT_EQ(selectedName(), "total");
}

TEST_F(MainWindowTest, DropOpens) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(write("dropped.hlo", kSmallModule))});
  QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  static_cast<QObject&>(*window_).event(&event);
  settle();
  ASSERT_NE(session_->current(), nullptr);
  EXPECT_EQ(session_->current()->title, "dropped.hlo");
}

TEST_F(MainWindowTest, StateIsRestored) {
  openSmall();
  window_->goToName("spread");
  window_->setTheme(true);
  window_->findChild<QDockWidget*>("dock.jobs")->hide();
  window_->close();
  const QString path = qs(session_->documents().front()->path);
  window_.reset();
  session_ = std::make_unique<Session>(jobs_, ":memory:");
  makeWindow();
  EXPECT_TRUE(window_->findChild<QDockWidget*>("dock.jobs")->isHidden());
  EXPECT_TRUE(window_->action("view.dark")->isChecked());
  EXPECT_EQ(settings_->recent().front(), QFileInfo(path).absoluteFilePath());
  window_->files().open(path);
  settle();
  EXPECT_EQ(selectedName(), "spread");
  window_->setTheme(false);
}

TEST_F(MainWindowTest, TheTreeIsAConsistentModelThroughOpeningFilteringAndClosing) {
  ModuleTreeModel model(*session_, window_->context().changes);
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  // The tester would fetch from within the signals of a fetch.
  tester.setUseFetchMore(false);
  openSmall();
  ASSERT_EQ(model.rowCount(), 1);
  const QModelIndex found = model.indexOf(findByName(*session_, "sum"));
  ASSERT_TRUE(found.isValid());
  EXPECT_EQ(found.data(), "sum");
  EXPECT_EQ(found.parent().data(), "add_float");
  EXPECT_EQ(found.siblingAtColumn(1).data(), "add");
  model.setFilter("REDUCE");
  EXPECT_EQ(model.filterMatches(), 1u);
  EXPECT_EQ(model.rowCount(model.index(0, 0)), 1);
  model.setFilter("");
  session_->close(session_->documents().front()->id);
  EXPECT_EQ(model.rowCount(), 0);
  settle();
}

// Of a dump in one file, be it what XLA printed or a document, reports open as from a directory.
TEST_F(MainWindowTest, ReportsInsideOneFileOpenFromTheTree) {
  const QByteArray head = "*** Begin module_0003.jit_f.", assignment = "BufferAssignment:\n";
  const QByteArray log = head + "cpu_after_optimizations.txt ***\n" + kSmallModule +
                         "*** End module_0003.jit_f.cpu_after_optimizations.txt ***\n" + head +
                         "cpu_after_optimizations-buffer-assignment.txt ***\n" + assignment +
                         "*** End module_0003.jit_f.cpu_after_optimizations-buffer-assignment.txt ***\n";
  window_->files().open(write("log.txt", log));
  settle();
  const auto openReport = [&] {
    ModuleTreeModel& model = window_->view<TreeView>().model();
    QTreeView& tree = window_->view<TreeView>().tree();
    for (QModelIndex at = model.index(0, 0); at.isValid(); at = model.index(0, 0, at)) model.fetchMore(at);
    const QModelIndexList found = model.match(model.index(0, 0), Qt::DisplayRole, "buffer assignment", 1,
                                              Qt::MatchExactly | Qt::MatchRecursive);
    ASSERT_EQ(found.size(), 1);
    tree.setCurrentIndex(found[0]);
    press(tree, Qt::Key_Return);
    settle();
    EXPECT_EQ(window_->view<FileView>().text().lines().text(), assignment.toStdString());
    EXPECT_TRUE(window_->view<FileView>().isVisible());
  };
  openReport();
  window_->files().saveAs(folder_.filePath("log.hilo"));
  settle();
  window_->showView("graph");
  window_->files().open(folder_.filePath("log.hilo"));
  settle();
  openReport();
}

TEST_F(MainWindowTest, WhatPassesMadeStandsBelowWhatTheyRanOver) {
  openSmall();
  ModuleTreeModel& model = window_->view<TreeView>().model();
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  tester.setUseFetchMore(false);
  const SnapshotId origin = session_->current()->id;
  window_->view<PassesView>().run({.module = session_->current()->module, .passes = {"dce"}});
  settle();
  const QModelIndex document = model.index(0, 0);
  const QModelIndex series = model.index(0, 0, document);
  ASSERT_EQ(model.entryAt(series).kind, ModuleTreeModel::Kind::kSeries);
  QTreeView& tree = window_->view<TreeView>().tree();
  tree.expand(series);
  const QModelIndex step = model.index(0, 0, series);
  EXPECT_EQ(step.data().toString(), "after dce");
  EXPECT_EQ(step.siblingAtColumn(1).data().toString(), "changed");
  tree.setCurrentIndex(step);
  press(tree, Qt::Key_Return);
  settle();
  ASSERT_NE(session_->current(), nullptr);
  EXPECT_NE(session_->current()->id, origin);
  EXPECT_EQ(session_->current()->module->findInstruction("unused"), nullptr);
  // What is selected in it is found below the step, not below the file.
  ASSERT_TRUE(window_->goToName("dot.1"));
  EXPECT_EQ(tree.currentIndex().parent().parent().data().toString(), "after dce");
  EXPECT_TRUE(window_->windowTitle().startsWith("small.hlo"));
}

class DumpTest : public StudioTest {
 protected:
  void openDump() {
    window_->files().open("resources/samples/dump");
    settle();
    ASSERT_NE(session_->current(), nullptr);
  }
};

TEST_F(DumpTest, FilesWithoutAModuleOpenAsText) {
  openDump();
  QTreeView& tree = window_->view<TreeView>().tree();
  ModuleTreeModel& model = window_->view<TreeView>().model();
  const QModelIndex module = model.index(0, 0, model.index(0, 0));
  QModelIndex file;
  for (int row = 0; row < model.rowCount(module); ++row) {
    const QModelIndex index = model.index(row, 0, module);
    if (index.data().toString() == "buffer assignment") file = index;
  }
  ASSERT_TRUE(file.isValid());
  tree.setCurrentIndex(file);
  press(tree, Qt::Key_Return);
  settle();
  EXPECT_TRUE(window_->view<FileView>().isVisible());
  TextView& text = window_->view<FileView>().text();
  EXPECT_EQ(text.lines().lineText(0), "BufferAssignment:");
  // Names in it lead to the instructions.
  Q_EMIT text.nameActivated("dot_general.2", 0);
  settle();
  EXPECT_EQ(selectedName(), "dot_general.2");
}

TEST_F(DumpTest, TheInspectorKnowsTheBuffersOfAnInstruction) {
  openDump();
  ASSERT_TRUE(window_->goToName("dot_general.1"));
  settle();
  const QString text = window_->view<InspectorView>().asText();
  EXPECT_TRUE(text.contains("allocation: 4, 2.00 KiB, preallocated temp")) << text.toStdString();
  EXPECT_TRUE(text.contains("dot_general.2"));
  // The row of the allocation leads to its place in the file.
  InspectorView& inspector = window_->view<InspectorView>();
  const auto rows = inspector.model().match(inspector.model().index(0, 0), Qt::DisplayRole, "allocation", 1,
                                            Qt::MatchExactly | Qt::MatchRecursive);
  ASSERT_EQ(rows.size(), 1);
  inspector.tree().setCurrentIndex(rows[0].siblingAtColumn(1));
  press(inspector.tree(), Qt::Key_Return);
  settle();
  EXPECT_EQ(window_->view<FileView>().text().lines().lineText(
                window_->view<FileView>().text().caret().place().line),
            "allocation 4: size 2048, preallocated-temp:");
}

TEST_F(MainWindowTest, ABinaryFileIsToldToBeOne) {
  openSmall();
  window_->view<FileView>().show(
      {.path = write("kernel.o", QByteArray("\x7f\x45\x4c\x46\0\0", 6)), .word = {}});
  settle();
  ASSERT_FALSE(window_->view<ProblemsView>().model().rows().empty());
  EXPECT_EQ(window_->view<ProblemsView>().model().rows()[0].kind, "not-text");
}

TEST_F(MainWindowTest, F6GoesAround) {
  openSmall();
  window_->activateWindow();
  QSet<QWidget*> seen;
  for (int i = 0; i < 8; ++i) {
    window_->action("go.nextDock")->trigger();
    seen.insert(QApplication::focusWidget());
  }
  EXPECT_GE(seen.size(), 4);
}

TEST_F(MainWindowTest, CostsAreCountedOnceForAllViews) {
  openSmall();
  for (const char* view : {"overview", "text", "inspector", "source"}) {
    window_->showView(view);
    settle();
  }
  window_->bus().ask(SearchFor{"flops>0"});
  settle();
  EXPECT_EQ(std::ranges::count(jobs_.jobs(), std::string("Count costs of small.hlo"), &JobInfo::title), 1);
  EXPECT_NE(session_->result<ResultKind::Cost>(session_->current()->id), nullptr);
}

}  // namespace
}  // namespace hilo
