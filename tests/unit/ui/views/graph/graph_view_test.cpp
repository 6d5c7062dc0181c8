#include "ui/views/graph/graph_view.h"

#include <gtest/gtest.h>

#include <set>

#include <QFile>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolBar>
#include <QToolButton>

#include "core/hlo/text/parse.h"
#include "tests/support/qt/ui_jobs.h"
#include "ui/views/graph/node_look.h"
#include "ui/widgets/query_box.h"

namespace hilo {
namespace {

constexpr const char* kModule = R"(HloModule m

%fused (p: f32[8], q: f32[8]) -> f32[8] {
  %p = f32[8] parameter(0)
  %q = f32[8] parameter(1)
  ROOT %mul = f32[8] multiply(%p, %q)
}

ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8] parameter(0)
  %neg = f32[8] negate(%x), metadata={op_name="jit(f)/enc/neg" source_file="model.py" source_line=7}
  %abs = f32[8] abs(%neg), metadata={op_name="jit(f)/enc/abs"}
  %fusion = f32[8] fusion(%neg, %abs), kind=kLoop, calls=%fused, metadata={op_name="jit(f)/dec/mul"}
  ROOT %add = f32[8] add(%fusion, %abs), control-predecessors={%neg}
}
)";

std::shared_ptr<const Module> parse() { return std::move(parseModule(kModule).module); }

class GraphViewTest : public testing::Test {
 protected:
  void SetUp() override {
    view.resize(900, 600);
    view.canvas()->setAnimated(false);
    view.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
    module = parse();
    view.setModule(module);
    settle();
  }

  void settle() {
    ASSERT_TRUE(QTest::qWaitFor([&] { return view.isSettled(); }, 20'000));
  }

  // The titles in the scene, in its order; open groups with a '*', closed ones with a '+'.
  std::string shown() const {
    std::string text;
    for (const SceneNode& node : view.canvas()->scene().nodes) {
      text += (text.empty() ? "" : " ") + node.title.toStdString() +
              (node.open    ? "*"
               : node.group ? "+"
                            : "");
    }
    return text;
  }

  uint64_t keyOf(const char* title) const {
    for (const SceneNode& node : view.canvas()->scene().nodes) {
      if (node.title == QLatin1String(title)) return node.id;
    }
    return kNoSceneNode;
  }

  InstructionId id(const char* name) const { return module->findInstruction(name)->id(); }

  UiJobs jobs;
  GraphView view{jobs.queue()};
  std::shared_ptr<const Module> module;
};

TEST_F(GraphViewTest, startsWithLittleOpen) { EXPECT_EQ(shown(), "main* jit(f)* enc+ dec+ x add"); }

TEST_F(GraphViewTest, bundlesEdgesOfClosedGroups) {
  const Scene& scene = view.canvas()->scene();
  for (const SceneEdge& edge : scene.edges) {
    if (scene.nodes[edge.from].title == QLatin1String("enc") &&
        scene.nodes[edge.to].title == QLatin1String("dec")) {
      EXPECT_EQ(edge.count, 2u);
      EXPECT_EQ(edge.bytes, 64);
    }
  }
  EXPECT_EQ(scene.edges.size(), 5u);  // x enc, enc dec, enc add, dec add, and the control edge
}

TEST_F(GraphViewTest, opensAndClosesInPlace) {
  view.toggle(keyOf("dec"));
  settle();
  EXPECT_EQ(shown(), "main* jit(f)* enc+ dec* fusion+ x add");
  view.toggle(keyOf("fusion"));
  settle();
  EXPECT_EQ(shown(), "main* jit(f)* enc+ dec* fusion* p q mul x add");
  // Values pass the border of the fusion to its parameters.
  const Scene& scene = view.canvas()->scene();
  int toParameters = 0;
  for (const SceneEdge& edge : scene.edges) {
    toParameters +=
        scene.nodes[edge.to].title == QLatin1String("p") || scene.nodes[edge.to].title == QLatin1String("q");
  }
  EXPECT_EQ(toParameters, 2);
  view.toggle(keyOf("dec"));
  settle();
  EXPECT_EQ(shown(), "main* jit(f)* enc+ dec+ x add");
  view.toggle(keyOf("main"));
  settle();
  EXPECT_EQ(shown(), "main+");
}

TEST_F(GraphViewTest, selectingAnInstructionOpensTheWayToIt) {
  QSignalSpy spy(&view, &GraphView::instructionSelected);
  view.select(id("mul"));
  settle();
  EXPECT_EQ(shown(), "main* jit(f)* enc+ dec* fusion* p q mul x add");
  EXPECT_EQ(view.canvas()->selected(), keyOf("mul"));
  // The next one closes what was opened only for the last.
  view.select(id("abs"));
  settle();
  EXPECT_EQ(shown(), "main* jit(f)* enc* neg abs dec+ x add");
  EXPECT_EQ(spy.count(), 0);
}

TEST_F(GraphViewTest, withoutFollowTheClosedGroupIsSelected) {
  view.setFollow(false);
  view.select(id("abs"));
  settle();
  EXPECT_EQ(shown(), "main* jit(f)* enc+ dec+ x add");
  EXPECT_EQ(view.canvas()->selected(), keyOf("enc"));
}

TEST_F(GraphViewTest, clickTellsTheInstruction) {
  QSignalSpy selected(&view, &GraphView::instructionSelected),
      activated(&view, &GraphView::instructionActivated);
  const uint32_t node = view.canvas()->index().find(keyOf("add"));
  const QPoint place =
      view.canvas()->view().toScreen(view.canvas()->scene().nodes[node].rect.center()).toPoint();
  QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, place);
  ASSERT_EQ(selected.count(), 1);
  EXPECT_EQ(selected[0][0].value<InstructionId>(), id("add"));
  QTest::keyClick(view.canvas(), Qt::Key_Return);
  ASSERT_EQ(activated.count(), 1);
  EXPECT_EQ(activated[0][0].value<InstructionId>(), id("add"));
}

TEST_F(GraphViewTest, focusShowsTheNeighbourhoodAndEscapeLeavesIt) {
  view.select(id("add"));
  settle();
  QTest::keyClick(view.canvas(), Qt::Key_1);
  settle();
  EXPECT_EQ(shown(), "add fusion+ abs neg");  // neg by the control dependency
  QTest::keyClick(view.canvas(), Qt::Key_2);
  settle();
  EXPECT_EQ(shown(), "add fusion+ abs neg x");
  QTest::keyClick(view.canvas(), Qt::Key_Escape);  // clears the selection first
  QTest::keyClick(view.canvas(), Qt::Key_Escape);
  settle();
  EXPECT_EQ(shown(), "main* jit(f)* enc+ dec+ x add");
}

TEST_F(GraphViewTest, conesAndPaths) {
  view.select(id("abs"));
  settle();
  QTest::keyClick(view.canvas(), Qt::Key_I);
  settle();
  EXPECT_EQ(shown(), "abs neg x");
  QTest::keyClick(view.canvas(), Qt::Key_O);
  settle();
  EXPECT_EQ(shown(), "abs fusion+ add");
  view.leaveFocus();
  settle();
  view.select(id("x"));
  view.select(id("fusion"));
  settle();
  QTest::keyClick(view.canvas(), Qt::Key_P);
  settle();
  EXPECT_EQ(shown(), "x neg abs fusion+");
}

TEST_F(GraphViewTest, opensAllAndBack) {
  QTest::keyClick(view.canvas(), Qt::Key_E);
  settle();
  EXPECT_EQ(shown(), "main* jit(f)* enc* neg abs dec* fusion* p q mul x add");
  QTest::keyClick(view.canvas(), Qt::Key_C);
  settle();
  EXPECT_EQ(shown(), "main* jit(f)* enc+ dec+ x add");
}

TEST_F(GraphViewTest, foldsConstantsAndTupleElements) {
  module = std::move(parseModule(R"(HloModule m
ENTRY %main (t: (f32[8], f32[8])) -> f32[8] {
  %t = (f32[8], f32[8]) parameter(0)
  %g = f32[8] get-tuple-element(%t), index=1
  %half = f32[] constant(0.5)
  %spread = f32[8] broadcast(%half), dimensions={}
  ROOT %mul = f32[8] multiply(%g, %spread)
})")
                         .module);
  view.setModule(module);
  settle();
  EXPECT_EQ(shown(), "main* t mul");
  const auto& scene = view.canvas()->scene();
  EXPECT_EQ(scene.nodes[2].tags, QStringList({"#1", "0.5"}));
  ASSERT_EQ(scene.edges.size(), 1u);
  EXPECT_EQ(scene.edges[0].bytes, 32);  // of the element, not of the tuple
  // What is folded is selected on the node that shows it.
  view.select(id("half"));
  EXPECT_EQ(view.canvas()->selected(), kNoSceneNode);  // only the spread value is on a node
  view.select(id("spread"));
  EXPECT_EQ(view.canvas()->selected(), keyOf("mul"));
  QTest::keyClick(view.canvas(), Qt::Key_T);
  settle();
  EXPECT_EQ(shown(), "main* t g half spread mul");
  EXPECT_EQ(view.canvas()->selected(), keyOf("spread"));
}

TEST_F(GraphViewTest, overlaysColourNodesAndGroups) {
  view.colours().set(OverlayKind::OutputBytes);
  settle();
  const auto node = [&](const char* title) {
    return view.canvas()->scene().nodes[view.canvas()->index().find(keyOf(title))];
  };
  // enc holds two values of 32 bytes, dec one, x is one itself.
  EXPECT_EQ(node("enc").heat, 1);
  EXPECT_EQ(node("dec").heat, node("x").heat);
  EXPECT_LT(node("dec").heat, 1);
  EXPECT_EQ(node("enc").subtitle, QStringLiteral("64 B"));
  view.colours().set(OverlayKind::Precision);
  settle();
  EXPECT_EQ(node("enc").category, 0);
  EXPECT_LT(node("enc").heat, 0);
  view.colours().setPalette(NodePalette::kOpcodeClass);
  settle();
  EXPECT_EQ(node("enc").category, -1);
}

TEST_F(GraphViewTest, ofNamesThatDifferAGroupShowsTheShares) {
  std::vector<std::string> names(module->idLimit());
  names[id("neg").value] = "early";
  names[id("abs").value] = "late";
  names[id("x").value] = "late";
  view.colours().set(makeNameOverlay("when", names));
  settle();
  const auto node = [&](const char* title) {
    return view.canvas()->scene().nodes[view.canvas()->index().find(keyOf(title))];
  };
  EXPECT_EQ(node("enc").category, kPlainNode);
  EXPECT_EQ(node("enc").parts, (std::vector<std::pair<int16_t, float>>{{0, 0.5F}, {1, 0.5F}}));
  EXPECT_EQ(node("x").category, 0);  // "late" is the more frequent
  EXPECT_EQ(node("add").category, kPlainNode);
}

// The rectangle of a choice of the colour menu, which is open.
QPoint placeOf(const QMenu& menu, const char* text) {
  for (QAction* action : menu.actions()) {
    if (action->text().startsWith(QLatin1String(text))) return menu.actionGeometry(action).center();
  }
  return {};
}

TEST_F(GraphViewTest, queriesTypedAboveTheGraphColourWhatMatches) {
  QMenu* menu = nullptr;
  for (QMenu* at : view.findChildren<QMenu*>()) {
    if (at->title() == QLatin1String("Colour")) menu = at;
  }
  ASSERT_NE(menu, nullptr);
  menu->popup(view.mapToGlobal(QPoint(40, 20)));
  QTest::mouseClick(menu, Qt::LeftButton, {}, placeOf(*menu, "What matches"));
  auto lines = [&] { return view.findChildren<QueryBox*>(); };
  ASSERT_EQ(lines().size(), 1);
  ASSERT_TRUE(lines()[0]->isVisible());
  const auto category = [&](const char* title) {
    return view.canvas()->scene().nodes[view.canvas()->index().find(keyOf(title))].category;
  };
  QTest::keyClicks(lines()[0], "opcode:multiply");
  QTest::keyClick(lines()[0], Qt::Key_Return);
  settle();
  // It is in the fusion, which is closed away in dec.
  EXPECT_EQ(category("dec"), 0);
  EXPECT_EQ(category("enc"), kPlainNode);
  ASSERT_EQ(lines().size(), 2);
  QTest::keyClicks(lines()[1], "opcode:abs or opcode:add");
  QTest::keyClick(lines()[1], Qt::Key_Return);
  settle();
  EXPECT_EQ(category("enc"), 1);
  EXPECT_EQ(category("add"), 1);
  EXPECT_EQ(view.canvas()->scene().nodes[view.canvas()->index().find(keyOf("enc"))].subtitle,
            QStringLiteral("1 of 2"));
  // What cannot be read changes nothing.
  QTest::keyClicks(lines()[2], "opcode:(");
  QTest::keyClick(lines()[2], Qt::Key_Return);
  settle();
  EXPECT_EQ(category("enc"), 1);
  QTest::keyClick(lines()[0], Qt::Key_Escape);
  settle();
  EXPECT_EQ(category("dec"), -1);
  EXPECT_FALSE(lines()[0]->isVisible());
}

TEST_F(GraphViewTest, theOtherColumnsOfAFileAreInTheMenu) {
  QTemporaryDir folder;
  const QString path = folder.filePath("times.csv");
  QFile file(path);
  ASSERT_TRUE(file.open(QFile::WriteOnly));
  file.write("name,us,calls\nneg,4,1\nabs,4,9\nx,8,1\n");
  file.close();
  ASSERT_TRUE(view.colours().by(path));
  settle();
  const auto node = [&](const char* title) {
    return view.canvas()->scene().nodes[view.canvas()->index().find(keyOf(title))];
  };
  EXPECT_EQ(node("enc").heat, node("x").heat);
  QMenu* columns = nullptr;
  for (QMenu* menu : view.findChildren<QMenu*>()) {
    if (menu->title() == QLatin1String("Columns of times.csv")) columns = menu;
  }
  ASSERT_NE(columns, nullptr);
  columns->popup(view.mapToGlobal(QPoint(40, 20)));
  QTest::mouseClick(columns, Qt::LeftButton, {}, placeOf(*columns, "calls"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return node("x").heat < 1; }, 20'000));
  settle();
  EXPECT_EQ(node("enc").heat, 1);
  EXPECT_EQ(node("enc").subtitle, QStringLiteral("10"));
}

TEST_F(GraphViewTest, theCardSaysWhatAnInstructionIsAndCosts) {
  module = std::move(parseModule(R"(HloModule m
ENTRY %main (x: f32[4,8], y: f32[8,2]) -> f32[4,2] {
  %x = f32[4,8]{1,0} parameter(0)
  %y = f32[8,2]{1,0} parameter(1)
  ROOT %product = f32[4,2]{0,1} dot(%x, %y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[2,1]<=[2]}, metadata={op_name="jit(f)/dot" source_file="model.py" source_line=12}
})")
                         .module);
  view.setModule(module);
  settle();
  const uint32_t node = view.canvas()->index().find(keyOf("product"));
  const QPoint place =
      view.canvas()->view().toScreen(view.canvas()->scene().nodes[node].rect.center()).toPoint();
  const auto card = [&] {
    // The card is made anew with each visit.
    QTest::mouseMove(view.canvas(), QPoint(3, view.canvas()->height() - 3));
    QTest::mouseMove(view.canvas(), place);
    QString text;
    QTest::qWaitFor(
        [&] {
          for (const QLabel* label : view.canvas()->findChildren<QLabel*>()) {
            if (label->isVisible()) text = label->text();
          }
          return !text.isEmpty();
        },
        2'000);
    return text.remove(QChar(0x200b));
  };
  EXPECT_FALSE(card().contains("flops"));
  view.colours().setCost(std::make_shared<const ModuleCost>(*module));
  const QString text = card();
  EXPECT_TRUE(text.contains("flops"));
  for (const char* fact :
       {"f32[4,2]{0,1}", "32 B", "devices=[2,1]", "model.py:12", "jit(f)/dot", "128", "224 B"})
    EXPECT_TRUE(text.contains(fact)) << fact << " in " << text.toStdString();
}

TEST_F(GraphViewTest, queriesGoOnWithTheNextModule) {
  ASSERT_TRUE(view.colours().setQueries({"opcode:negate"}));
  settle();
  EXPECT_FALSE(view.colours().setQueries({"bytes>x"}));
  module = std::move(parseModule("HloModule n\nENTRY %e (p: f32[2]) -> f32[2] {\n  %p = f32[2] parameter(0)\n"
                                 "  ROOT %n = f32[2] negate(%p)\n}")
                         .module);
  view.setModule(module);
  settle();
  EXPECT_EQ(view.canvas()->scene().nodes[view.canvas()->index().find(keyOf("n"))].category, 0);
  EXPECT_EQ(view.canvas()->scene().nodes[view.canvas()->index().find(keyOf("p"))].category, kPlainNode);
}

TEST_F(GraphViewTest, openFusionsShowTheirHeroAndTheirOperands) {
  view.select(id("mul"));
  settle();
  const Scene& scene = view.canvas()->scene();
  const uint32_t mul = view.canvas()->index().find(keyOf("mul"));
  const uint32_t q = view.canvas()->index().find(keyOf("q"));
  EXPECT_TRUE(scene.nodes[mul].emphasised);
  EXPECT_FALSE(scene.nodes[q].emphasised);
  EXPECT_EQ(scene.nodes[q].category, 1);  // the second operand's
  for (const SceneEdge& edge : scene.edges) EXPECT_EQ(edge.category, scene.nodes[edge.to].category);
}

TEST_F(GraphViewTest, asynchronousPairsAndAliases) {
  module = std::move(
      parseModule(R"(HloModule m, input_output_alias={ {0}: (1, {}, may-alias) }, buffer_donor={ (0, {}) }
ENTRY %main (x: f32[8], y: f32[8]) -> (f32[8]) {
  %x = f32[8] parameter(0)
  %y = f32[8] parameter(1)
  %start = (f32[8], f32[8], u32[]) copy-start(%x)
  %done = f32[8] copy-done(%start)
  %sum = f32[8] add(%done, %y)
  ROOT %r = (f32[8]) tuple(%sum)
})")
          .module);
  view.setModule(module);
  settle();
  const Scene& scene = view.canvas()->scene();
  int pairs = 0;
  for (const SceneEdge& edge : scene.edges) {
    if (edge.kind != SceneEdgeKind::kAsync) continue;
    ++pairs;
    EXPECT_EQ(scene.nodes[edge.from].title, QStringLiteral("start"));
    EXPECT_EQ(scene.nodes[edge.to].title, QStringLiteral("done"));
  }
  EXPECT_EQ(pairs, 1);
  int aliases = 0;
  for (const SceneEdge& edge : scene.edges) {
    if (edge.kind != SceneEdgeKind::kAlias) continue;
    ++aliases;
    EXPECT_EQ(scene.nodes[edge.from].title, QStringLiteral("sum"));
    EXPECT_EQ(scene.nodes[edge.to].title, QStringLiteral("y"));
    EXPECT_EQ(edge.bytes, 32);
  }
  EXPECT_EQ(aliases, 1);
  EXPECT_EQ(scene.nodes[view.canvas()->index().find(keyOf("x"))].tags, QStringList{"donated"});
  EXPECT_EQ(scene.nodes[view.canvas()->index().find(keyOf("y"))].tags, QStringList{"out{0}"});
}

TEST_F(GraphViewTest, branchesStandSideBySide) {
  module = std::move(parseModule(R"(HloModule m
%low (a: f32[8]) -> f32[8] {
  %a = f32[8] parameter(0)
  %a1 = f32[8] negate(%a)
  %a2 = f32[8] abs(%a1)
  ROOT %a3 = f32[8] sine(%a2)
}
%high (b: f32[8]) -> f32[8] {
  %b = f32[8] parameter(0)
  ROOT %b1 = f32[8] negate(%b)
}
ENTRY %main (i: s32[], x: f32[8]) -> f32[8] {
  %i = s32[] parameter(0)
  %x = f32[8] parameter(1)
  ROOT %c = f32[8] conditional(%i, %x, %x), branch_computations={%high, %low}
})")
                         .module);
  view.setModule(module);
  settle();
  view.openAll();
  settle();
  const auto rect = [&](const char* title) {
    return view.canvas()->scene().nodes[view.canvas()->index().find(keyOf(title))].rect;
  };
  EXPECT_LT(rect("high").right(), rect("low").left());
  EXPECT_EQ(rect("high").top(), rect("low").top());
  // What a branch takes leads to its own parameter, and to no other's.
  std::set<std::string> ways;
  const Scene& scene = view.canvas()->scene();
  for (const SceneEdge& edge : scene.edges)
    ways.insert((scene.nodes[edge.from].title + ">" + scene.nodes[edge.to].title).toStdString());
  for (const char* way : {"x>a", "x>b", "i>c", "a>a1", "b>b1"}) EXPECT_TRUE(ways.contains(way)) << way;
  EXPECT_FALSE(ways.contains("x>c"));
}

TEST_F(GraphViewTest, extractsWhatANodeStandsForAsAModule) {
  std::optional<Result<std::string>> text;
  view.exports().extract(keyOf("enc"), [&](Result<std::string> got) { text = std::move(got); });
  ASSERT_TRUE(QTest::qWaitFor([&] { return text.has_value(); }, 20'000));
  ASSERT_TRUE(text->has_value());
  const auto part = parseModule(**text).module;
  ASSERT_NE(part, nullptr);
  // enc holds neg and abs; both are read outside.
  EXPECT_NE(part->findInstruction("neg"), nullptr);
  EXPECT_EQ(part->entry()->instructionCount(), 4u);
  EXPECT_EQ(part->entry()->root()->opcode(), Opcode::Tuple);
  text.reset();
  view.exports().extract(keyOf("main"), [&](Result<std::string> got) { text = std::move(got); });
  ASSERT_TRUE(QTest::qWaitFor([&] { return text.has_value(); }, 20'000));
  ASSERT_TRUE(text->has_value());
  EXPECT_EQ(parseModule(**text).module->instructionCount(), module->instructionCount());
}

TEST_F(GraphViewTest, coloursFromElsewhereAreAskedFor) {
  int asked = 0;
  view.colours().addSource("mine", "My own", [&] { ++asked; });
  EXPECT_TRUE(view.colours().by("mine"));
  EXPECT_EQ(asked, 1);
  Overlay times;
  times.title = "measured time";
  times.isNanoseconds = true;
  times.amounts.assign(64, -1);
  times.amounts[id("add").value] = 1'500;
  view.colours().set(std::move(times));
  settle();
  EXPECT_EQ(view.canvas()->scene().nodes[view.canvas()->index().find(keyOf("add"))].subtitle,
            QString::fromUtf8("1.50 µs"));
}

// In a narrow pane what does not fit goes into the menu behind the last button: nothing is cut.
TEST_F(GraphViewTest, theToolBarOverflows) {
  auto* bar = view.findChild<QToolBar*>();
  for (int width : {420, 700, 1400}) {
    view.resize(width, 500);
    QTest::qWait(20);
    int shown = 0, hidden = 0;
    for (QAction* action : bar->actions()) {
      const QWidget* button = bar->widgetForAction(action);
      if (!button->isVisible()) {
        ++hidden;
        continue;
      }
      ++shown;
      EXPECT_GE(button->width(), button->minimumSizeHint().width()) << width;
      EXPECT_LE(button->geometry().right(), bar->width()) << width;
    }
    EXPECT_GE(shown, 4) << width;
    EXPECT_EQ(hidden == 0, width > 420) << width;
    EXPECT_EQ(bar->findChild<QToolButton*>("qt_toolbar_ext_button")->isVisible(), hidden > 0) << width;
  }
}

TEST_F(GraphViewTest, groupingByComputation) {
  QTest::keyClick(view.canvas(), Qt::Key_G);
  settle();
  EXPECT_EQ(shown(), "main* x neg abs fusion+ add");
}

TEST_F(GraphViewTest, marksShowOnClosedGroups) {
  view.setMarks({{id("mul"), SceneMark::kAdded}, {id("add"), SceneMark::kRemoved}});
  settle();
  auto markOf = [&](const char* title) {
    return view.canvas()->scene().nodes[view.canvas()->index().find(keyOf(title))].mark;
  };
  EXPECT_EQ(markOf("dec"), SceneMark::kChanged);
  EXPECT_EQ(markOf("add"), SceneMark::kRemoved);
  EXPECT_EQ(markOf("enc"), SceneMark::kNone);
  view.select(id("mul"));
  settle();
  EXPECT_EQ(markOf("mul"), SceneMark::kAdded);
}

TEST_F(GraphViewTest, anotherModuleKeepsWhatIsOpen) {
  view.toggle(keyOf("enc"));
  settle();
  view.setModule(module->clone());
  settle();
  EXPECT_EQ(shown(), "main* jit(f)* enc* neg abs dec+ x add");
  view.setModule(nullptr);
  EXPECT_TRUE(view.isSettled());
  EXPECT_EQ(shown(), "");
}

TEST_F(GraphViewTest, exportsByTheEndingOfThePath) {
  QTemporaryDir folder;
  for (const char* name : {"g.svg", "g.pdf", "g.png", "g.dot"}) {
    const QString path = folder.filePath(QLatin1String(name));
    EXPECT_TRUE(view.exports().write(path).has_value());
    EXPECT_GT(QFileInfo(path).size(), 100);
  }
  EXPECT_EQ(view.exports().write(QStringLiteral("g.txt")).error().kind, "unknown-format");
}

TEST_F(GraphViewTest, exportsTheSelectionOrWhatIsInSight) {
  QTemporaryDir folder;
  const auto dot = [&](GraphExport::Part part) {
    const QString path = folder.filePath("part.dot");
    EXPECT_TRUE(view.exports().write(path, part));
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return file.readAll();
  };
  using Part = GraphExport::Part;
  EXPECT_EQ(view.exports().write(folder.filePath("x.svg"), Part::Selection).error().kind, "nothing-selected");
  view.toggle(keyOf("enc"));
  settle();
  QTest::mouseClick(
      view.canvas(), Qt::LeftButton, {},
      view.canvas()
          ->view()
          .toScreen(view.canvas()->scene().nodes[view.canvas()->index().find(keyOf("enc"))].rect.topLeft() +
                    QPointF(6, 6))
          .toPoint());
  const QByteArray selection = dot(Part::Selection);
  EXPECT_TRUE(selection.contains("neg") && selection.contains("abs"));
  EXPECT_FALSE(selection.contains("dec"));
  EXPECT_TRUE(dot(Part::All).contains("dec"));
  // Only the parameter is in sight.
  const QRectF x = view.canvas()->scene().nodes[view.canvas()->index().find(keyOf("x"))].rect;
  view.canvas()->setView(ViewTransform::fitting(x, view.canvas()->size(), 0));
  const QByteArray seen = dot(Part::InSight);
  EXPECT_TRUE(seen.contains("label=\"x"));
  EXPECT_FALSE(seen.contains("dec"));
}

TEST_F(GraphViewTest, canGoWhileItWorks) {
  auto other = std::make_unique<GraphView>(jobs.queue());
  other->setModule(module);
  other.reset();
  QTest::qWait(30);
}

TEST(NodeLook, everyOpcodeHasARole) {
  Module module("m");
  Computation* computation = module.createComputation("c");
  std::array<int, static_cast<size_t>(NodeRole::kCount)> used{};
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Instruction* made =
        computation->create(static_cast<Opcode>(i), Shape::scalar(ElementType::F32), {});
    const NodeRole role = nodeRole(*made);
    ++used[static_cast<size_t>(role)];
    if (role == NodeRole::kUnknown) EXPECT_EQ(made->opcode(), Opcode::Opaque);
  }
  // Only these are not an instruction's, or depend on its size.
  for (size_t role = 0; role < used.size(); ++role) {
    const auto which = static_cast<NodeRole>(role);
    if (which == NodeRole::kScope || which == NodeRole::kLargeParameter) continue;
    EXPECT_GT(used[role], 0) << nodeRoleName(which);
  }
}

TEST(NodeLook, textsAndCards) {
  const auto module = parse();
  Grouping grouping(module);
  const Instruction& neg = *module->findInstruction("neg");
  const NodeText text = nodeText(grouping.node(grouping.find(neg)));
  EXPECT_EQ(text.title, QStringLiteral("neg"));
  EXPECT_EQ(text.subtitle, QStringLiteral("negate  f32[8]"));
  const QString html = instructionHtml(neg);
  EXPECT_TRUE(html.contains(QStringLiteral("model.py:7"))) << html.toStdString();
  EXPECT_TRUE(html.contains(QStringLiteral("32 B")));
  const auto opcodes = opcodesIn(grouping, grouping.root());
  ASSERT_EQ(opcodes.size(), 5u);
  const QString group = groupHtml(nodeText(grouping.node(grouping.root())), opcodes);
  EXPECT_TRUE(group.contains(QStringLiteral("5 instructions"))) << group.toStdString();
  EXPECT_TRUE(group.contains(QStringLiteral("negate"))) << group.toStdString();
}

}  // namespace
}  // namespace hilo
