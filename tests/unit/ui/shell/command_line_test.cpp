#include "ui/shell/command_line.h"

#include "tests/unit/ui/shell/studio_fixture.h"
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
