#include "ui/shell/command_line.h"

#include <QClipboard>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/passes/passes_view.h"

namespace hilo {
namespace {

using CommandLineTest = StudioTest;

TEST(ShellWord, QuotesWhatAShellWouldReadOtherwise) {
  EXPECT_EQ(shellWord("a/b_c.hlo"), "a/b_c.hlo");
  EXPECT_EQ(shellWord("bytes>1MB"), "'bytes>1MB'");
  EXPECT_EQ(shellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(shellWord(""), "''");
}

TEST_F(CommandLineTest, SaysHowToSeeTheSameAgain) {
  EXPECT_EQ(commandLineOf(*session_, {.view = "graph"}), "");
  openSmall();
  const QString path = session_->documents().front()->path;
  EXPECT_EQ(commandLineOf(*session_, {.view = "graph", .selected = "dot.1", .dark = true}),
            "hilo-studio --render graph -o graph.png --select dot.1 --theme dark " + path);
  EXPECT_EQ(commandLineOf(*session_, {.view = "search", .query = "opcode:dot bytes>1"}),
            "hilo query 'opcode:dot bytes>1' " + path);
  EXPECT_EQ(
      commandLineOf(*session_, {.view = "runs", .engine = "reference", .arguments = "seed 7", .repeat = 3}),
      "hilo run --engine reference --seed 7 --repeat 3 " + path);
}

TEST_F(CommandLineTest, TheGraphIsArrangedAsItIs) {
  openSmall();
  EXPECT_EQ(window_->graph().arrangement(), "");
  const QString words = "computations,query=shape:f32[4\\,4],query=opcode:reduce,legend";
  ASSERT_TRUE(window_->graph().arrange(words));
  settle();
  EXPECT_EQ(window_->graph().arrangement(), words);
  EXPECT_EQ(window_->graph().view().queries(), (QStringList{"shape:f32[4,4]", "opcode:reduce"}));
  QTest::keyClick(window_->graph().view().canvas(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
  settle();
  const QString line = QApplication::clipboard()->text();
  EXPECT_TRUE(line.startsWith("hilo-studio --render ")) << line.toStdString();
  EXPECT_TRUE(line.contains("--graph '" + words + "'")) << line.toStdString();
  ASSERT_TRUE(window_->graph().arrange("colour=type"));
  settle();
  EXPECT_EQ(window_->graph().arrangement(), "computations,colour=type,legend");
}

TEST_F(CommandLineTest, AModuleThatPassesMadeIsMadeAgain) {
  openSmall();
  const QString path = session_->documents().front()->path;
  window_->passes().run({.module = session_->current()->module, .passes = {"cse", "dce"}});
  settle();
  session_->showStep(session_->series().back().id, 2);
  settle();
  EXPECT_EQ(commandLineOf(*session_, {.view = "search", .query = "dot"}),
            "hilo opt --passes=cse,dce " + path + " -o - | hilo query dot -");
}

}  // namespace
}  // namespace hilo
