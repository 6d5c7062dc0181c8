#include "ui/models/command_line.h"

#include <QClipboard>
#include <QTest>

#include "core/workspace/session/comparable.h"
#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/models/text_of.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/passes/passes_view.h"
#include "ui/views/runs/runs_view.h"
#include "ui/views/search/search_view.h"

namespace hilo {
namespace {

using CommandLineTest = StudioTest;

TEST(ShellWord, QuotesWhatAShellWouldReadOtherwise) {
  EXPECT_EQ(shellWord("a/b_c.hlo"), "a/b_c.hlo");
  EXPECT_EQ(shellWord("bytes>1MB"), "'bytes>1MB'");
  EXPECT_EQ(shellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(shellWord(""), "''");
}

TEST_F(CommandLineTest, APictureNamesTheViewAndTheFile) {
  EXPECT_EQ(pictureCommand(*session_, {.view = "graph"}), "");
  openSmall();
  EXPECT_EQ(pictureCommand(*session_, {.view = "graph", .selected = "dot.1", .dark = true}),
            "hilo-studio --render graph -o graph.png --select dot.1 --theme dark " +
                qs(session_->documents().front()->path));
}

TEST_F(CommandLineTest, SearchesAndRunsAreCommandsOfHilo) {
  openSmall();
  const QString path = qs(session_->documents().front()->path);
  SearchView& search = window_->view<SearchView>();
  search.search("opcode:dot bytes>1");
  EXPECT_EQ(search.commandLine({.view = "search"}), "hilo query 'opcode:dot bytes>1' " + path);
  RunsView& runs = window_->view<RunsView>();
  runs.form().arguments().setText("seed 7");
  runs.form().repeat().setValue(3);
  EXPECT_EQ(runs.commandLine({.view = "runs"}),
            "hilo run --engine " + runs.form().engine() + " --seed 7 --repeat 3 --time-limit 600 " + path);
}

TEST_F(CommandLineTest, TheGraphIsArrangedAsItIs) {
  openSmall();
  EXPECT_EQ(window_->view<GraphArea>().arrangement(), "");
  const QString words = "computations,query=shape:f32[4\\,4],query=opcode:reduce,legend";
  ASSERT_TRUE(window_->view<GraphArea>().arrange(words));
  settle();
  EXPECT_EQ(window_->view<GraphArea>().arrangement(), words);
  EXPECT_EQ(window_->view<GraphArea>().view().colours().queries(),
            (QStringList{"shape:f32[4,4]", "opcode:reduce"}));
  QTest::keyClick(window_->view<GraphArea>().view().canvas(), Qt::Key_L,
                  Qt::ControlModifier | Qt::ShiftModifier);
  settle();
  const QString line = QApplication::clipboard()->text();
  EXPECT_TRUE(line.startsWith("hilo-studio --render ")) << line.toStdString();
  EXPECT_TRUE(line.contains("--graph '" + words + "'")) << line.toStdString();
  ASSERT_TRUE(window_->view<GraphArea>().arrange("colour=type"));
  settle();
  EXPECT_EQ(window_->view<GraphArea>().arrangement(), "computations,colour=type,legend");
}

TEST_F(CommandLineTest, AModuleThatPassesMadeIsMadeAgain) {
  openSmall();
  const QString path = qs(session_->documents().front()->path);
  window_->view<PassesView>().run({.module = session_->current()->module, .passes = {"cse", "dce"}});
  settle();
  showStep(*session_, session_->series().back().id, 2);
  settle();
  window_->view<SearchView>().search("dot");
  EXPECT_EQ(window_->view<SearchView>().commandLine({.view = "search"}),
            "hilo opt --passes=cse,dce " + path + " -o - | hilo query dot -");
}

}  // namespace
}  // namespace hilo
