#include "core/analysis/grouping/grouping.h"

#include <gtest/gtest.h>

#include "core/analysis/grouping/grouping_opening.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

constexpr const char* kModule = R"(HloModule m

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

%fused (p: f32[8]) -> f32[8] {
  %p = f32[8] parameter(0)
  %c = f32[] constant(2)
  %bc = f32[8] broadcast(%c), dimensions={}
  ROOT %mul = f32[8] multiply(%p, %bc)
}

%cond (t: (f32[8])) -> pred[] {
  %t = (f32[8]) parameter(0)
  ROOT %yes = pred[] constant(true)
}

%body (u: (f32[8])) -> (f32[8]) {
  %u = (f32[8]) parameter(0)
  %g = f32[8] get-tuple-element(%u), index=0
  %f2 = f32[8] fusion(%g), kind=kLoop, calls=%fused
  ROOT %r = (f32[8]) tuple(%f2)
}

ENTRY %main (x: f32[8]) -> f32[] {
  %x = f32[8] parameter(0)
  %neg = f32[8] negate(%x), metadata={op_name="jit(f)/enc/layer_0/neg"}
  %f = f32[8] fusion(%neg), kind=kLoop, calls=%fused, metadata={op_name="jit(f)/enc/layer_1/mul"}
  %k = f32[] constant(1)
  %kb = f32[8] broadcast(%k), dimensions={}, metadata={op_name="jit(f)/enc/layer_1/broadcast[shape=(8,) a/b]"}
  %add = f32[8] add(%f, %kb), control-predecessors={%neg}, metadata={op_name="jit(f)/dec/add"}
  %in = (f32[8]) tuple(%add)
  %w = (f32[8]) while(%in), condition=%cond, body=%body, metadata={op_name="jit(f)/dec/while"}
  %o = f32[8] get-tuple-element(%w), index=0
  %z = f32[] constant(0)
  ROOT %red = f32[] reduce(%o, %z), dimensions={0}, to_apply=%sum, metadata={op_name="jit(f)/reduce_sum"}
}
)";

std::shared_ptr<const Module> parse(const std::string& text) {
  ParseResult result = parseModule(text);
  EXPECT_FALSE(hasErrors(result.diagnostics));
  return std::move(result.module);
}

// The tree as indented text: scopes and computations by label, instructions by name, callers with a '+'.
std::string tree(const Grouping& grouping, GroupId id, int depth = 0) {
  const GroupNode& node = grouping.node(id);
  std::string line(static_cast<size_t>(2 * depth), ' ');
  line += node.instruction != nullptr ? std::string(node.instruction->name()) + (node.group ? "+" : "")
                                      : fmt::format("[{} {}]", node.label, node.instructionCount);
  line += '\n';
  for (GroupId child : node.children) line += tree(grouping, child, depth + 1);
  return line;
}

TEST(Grouping, scopesNestAndTheNamelessJoinTheirUsers) {
  const Grouping grouping(parse(kModule));
  EXPECT_EQ(tree(grouping, grouping.root()),
            "[main 11]\n"
            "  [jit(f) 7]\n"
            "    [enc 4]\n"
            "      [layer_0 1]\n"
            "        neg\n"
            "      [layer_1 3]\n"
            "        f+\n"
            "        k\n"
            "        kb\n"
            "    [dec 3]\n"
            "      add\n"
            "      in\n"
            "      w+\n"
            "  x\n"
            "  o\n"
            "  z\n"
            "  red\n");
}

TEST(Grouping, byComputationTheInstructionsStandInOrder) {
  const Grouping grouping(parse(kModule), {.mode = GroupingMode::ByComputation});
  EXPECT_EQ(tree(grouping, grouping.root()),
            "[main 11]\n  x\n  neg\n  f+\n  k\n  kb\n  add\n  in\n  w+\n  o\n  z\n  red\n");
}

TEST(Grouping, callersAreMadeWhenAskedFor) {
  const auto module = parse(kModule);
  Grouping grouping(module, {.mode = GroupingMode::ByComputation});
  const size_t before = grouping.nodeCount();
  const GroupId loop = grouping.find(*module->findInstruction("w"));
  EXPECT_EQ(grouping.nodeCount(), before);
  grouping.expand(loop);
  EXPECT_EQ(tree(grouping, loop),
            "w+\n  [cond 2]\n    t\n    yes\n  [body 4]\n    u\n    g\n    f2+\n    r\n");
  const size_t after = grouping.nodeCount();
  grouping.expand(loop);
  EXPECT_EQ(grouping.nodeCount(), after);
}

TEST(Grouping, findMakesTheWayFromTheEntry) {
  const auto module = parse(kModule);
  Grouping grouping(module);
  const Instruction& inner = *module->findInstruction("g");
  EXPECT_EQ(grouping.node(grouping.findMade(inner)).instruction, module->findInstruction("w"));
  const GroupId found = grouping.find(inner);
  ASSERT_NE(found, kNoGroup);
  EXPECT_EQ(grouping.node(found).instruction, &inner);
  EXPECT_EQ(grouping.findMade(inner), found);
  // What only a reduce calls has no place in the graph.
  EXPECT_EQ(grouping.find(*module->findInstruction("s")), kNoGroup);
}

TEST(Grouping, edgesCarryBytesAndKind) {
  const auto module = parse(kModule);
  const Grouping grouping(module);
  int data = 0, control = 0;
  for (const GroupEdge& edge : grouping.edges()) {
    const std::string_view from = grouping.node(edge.from).instruction->name();
    const std::string_view to = grouping.node(edge.to).instruction->name();
    (edge.kind == GroupEdgeKind::Data ? data : control) += 1;
    if (from == "f" && to == "add") EXPECT_EQ(edge.bytes, 32);
    if (edge.kind == GroupEdgeKind::Control) EXPECT_EQ(std::string(from) + std::string(to), "negadd");
  }
  EXPECT_EQ(data, 10);
  EXPECT_EQ(control, 1);
}

std::string namesOf(const Grouping& grouping, const std::vector<GroupId>& ids) {
  std::string names;
  for (GroupId id : ids) names += std::string(grouping.node(id).instruction->name()) + " ";
  return names;
}

TEST(Grouping, bordersOfCallersAreTheirParametersAndRoots) {
  const auto module = parse(kModule);
  Grouping grouping(module);
  const GroupId fusion = grouping.find(*module->findInstruction("f"));
  EXPECT_TRUE(grouping.parametersInside(fusion, 0).empty());
  grouping.expand(fusion);
  EXPECT_EQ(namesOf(grouping, grouping.parametersInside(fusion, 0)), "p ");
  EXPECT_TRUE(grouping.parametersInside(fusion, 1).empty());
  EXPECT_EQ(namesOf(grouping, grouping.rootsInside(fusion)), "mul ");
  const GroupId loop = grouping.find(*module->findInstruction("w"));
  grouping.expand(loop);
  EXPECT_EQ(namesOf(grouping, grouping.parametersInside(loop, 0)), "t u ");
  EXPECT_EQ(namesOf(grouping, grouping.rootsInside(loop)), "r ");
}

TEST(Grouping, eachBranchOfAConditionalHasItsOperand) {
  const auto module = parse(R"(HloModule m

%low (a: f32[4]) -> f32[4] {
  %a = f32[4] parameter(0)
  ROOT %n = f32[4] negate(%a)
}

%high (b: f32[8]) -> f32[4] {
  %b = f32[8] parameter(0)
  ROOT %s = f32[4] slice(%b), slice={[0:4]}
}

ENTRY %main (i: s32[], x: f32[4], y: f32[8]) -> f32[4] {
  %i = s32[] parameter(0)
  %x = f32[4] parameter(1)
  %y = f32[8] parameter(2)
  ROOT %c = f32[4] conditional(%i, %x, %y), branch_computations={%low, %high}
}
)");
  Grouping grouping(module);
  const GroupId conditional = grouping.find(*module->findInstruction("c"));
  grouping.expand(conditional);
  EXPECT_TRUE(grouping.parametersInside(conditional, 0).empty());
  EXPECT_EQ(namesOf(grouping, grouping.parametersInside(conditional, 1)), "a ");
  EXPECT_EQ(namesOf(grouping, grouping.parametersInside(conditional, 2)), "b ");
  EXPECT_TRUE(grouping.parametersInside(conditional, 3).empty());
  EXPECT_EQ(namesOf(grouping, grouping.rootsInside(conditional)), "n s ");
}

TEST(Grouping, keysAreTheSameInEveryGroupingOfTheText) {
  Grouping a(parse(kModule)), b(parse(kModule));
  ASSERT_EQ(a.nodeCount(), b.nodeCount());
  absl::flat_hash_set<uint64_t> keys;
  for (GroupId id = 0; id < a.nodeCount(); ++id) {
    EXPECT_EQ(a.node(id).key, b.node(id).key);
    EXPECT_TRUE(keys.insert(a.node(id).key).second);
    EXPECT_EQ(a.findKey(a.node(id).key), id);
  }
}

// An entry of `parameters` parameters and a chain of `length` negations.
std::string chain(int parameters, int length) {
  std::string text = "HloModule m\n\nENTRY %main (";
  for (int i = 0; i < parameters; ++i) text += fmt::format("{}p{}: f32[]", i == 0 ? "" : ", ", i);
  text += ") -> f32[] {\n";
  for (int i = 0; i < parameters; ++i) text += fmt::format("  %p{} = f32[] parameter({})\n", i, i);
  for (int i = 0; i < length; ++i) {
    text += fmt::format("  {}%n{} = f32[] negate(%{}{})\n", i + 1 == length ? "ROOT " : "", i,
                        i == 0 ? "p" : "n", i == 0 ? 0 : i - 1);
  }
  return text + "}\n";
}

TEST(Grouping, manyInstructionsAreCutIntoPagesAndGroupsStay) {
  const Grouping grouping(parse(chain(20, 1'000)), {.pageSize = 300});
  const GroupNode& root = grouping.node(grouping.root());
  ASSERT_EQ(root.children.size(), 5u);  // the parameters, and the chain in four pages
  EXPECT_EQ(root.instructionCount, 1'020u);
  const GroupNode& parameters = grouping.node(root.children[0]);
  EXPECT_EQ(parameters.kind, GroupKind::Parameters);
  EXPECT_EQ(parameters.children.size(), 20u);
  EXPECT_EQ(grouping.node(root.children[1]).label, "part 1");
  EXPECT_EQ(grouping.node(root.children[4]).label, "part 4");
  for (GroupId page : root.children) {
    for (GroupId child : grouping.node(page).children) EXPECT_EQ(grouping.node(child).parent, page);
  }
}

TEST(Grouping, stoppedMidwayIsAsBefore) {
  const auto module = parse(kModule);
  CancelToken stopped;
  stopped.cancel();
  EXPECT_TRUE(Grouping(module, {}, stopped).wasCancelled());
  EXPECT_EQ(Grouping(module, {}, stopped).root(), kNoGroup);

  Grouping grouping(module, {});
  const std::string before = tree(grouping, grouping.root());
  const size_t nodes = grouping.nodeCount(), edges = grouping.edges().size();
  for (GroupId id = 0; id < nodes; ++id) {
    if (grouping.node(id).group && !grouping.node(id).expanded) EXPECT_FALSE(grouping.expand(id, stopped));
  }
  EXPECT_EQ(tree(grouping, grouping.root()), before);
  EXPECT_EQ(grouping.nodeCount(), nodes);
  EXPECT_EQ(grouping.edges().size(), edges);
  OpenGroups open, again;
  EXPECT_FALSE(openEverything(grouping, open, stopped));
  // What was stopped can be done later, with the same result.
  EXPECT_TRUE(openEverything(grouping, again));
  Grouping fresh(module, {});
  OpenGroups all;
  EXPECT_TRUE(openEverything(fresh, all));
  EXPECT_EQ(again, all);
  EXPECT_EQ(tree(grouping, grouping.root()), tree(fresh, fresh.root()));
}

TEST(OpNameParts, cutOutsideBrackets) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(opNameParts("jit(f)/a/b"), (Parts{"jit(f)", "a", "b"}));
  EXPECT_EQ(opNameParts("jit(a/b)/c[x={d/e}]/f"), (Parts{"jit(a/b)", "c[x={d/e}]", "f"}));
  EXPECT_EQ(opNameParts("/a//b/"), (Parts{"a", "b"}));
  EXPECT_EQ(opNameParts("a/b;c/d"), (Parts{"a", "b"}));
  EXPECT_EQ(opNameParts(""), Parts{});
  EXPECT_EQ(opNameParts("a)/b"), (Parts{"a)", "b"}));
}

}  // namespace
}  // namespace hilo
