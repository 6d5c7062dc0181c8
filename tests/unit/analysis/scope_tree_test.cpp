#include "core/analysis/grouping/scope_tree.h"

#include <gtest/gtest.h>

#include "core/analysis/execution_counts.h"
#include "core/analysis/summary.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

constexpr const char* kLooping = R"(HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}
helper {
  h = f32[8] parameter(0)
  ROOT twice = f32[8] add(h, h), metadata={op_name="jit(f)/while/layer/add"}
}
body {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[8] get-tuple-element(s), index=1
  c = f32[8] call(v), to_apply=helper
  reduced = f32[8] all-reduce(c), to_apply=add, replica_groups={{0,1}}, metadata={op_name="jit(f)/while/layer/psum"}
  ROOT t = (s32[], f32[8]) tuple(next, reduced)
}
cond {
  cs = (s32[], f32[8]) parameter(0)
  ci = s32[] get-tuple-element(cs), index=0
  n = s32[] constant(5)
  ROOT less = pred[] compare(ci, n), direction=LT
}
ENTRY e {
  p = f32[8] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[8]) tuple(zero, p)
  loop = (s32[], f32[8]) while(start), condition=cond, body=body, backend_config={"known_trip_count":{"n":"5"}}
  out = f32[8] get-tuple-element(loop), index=1
  ROOT r = f32[8] multiply(out, out), metadata={op_name="jit(f)/scale/mul"}
})";

std::unique_ptr<Module> parsed() {
  auto module = parseModuleStrictly(kLooping);
  EXPECT_TRUE(module) << toString(module.error());
  return std::move(*module);
}

const ScopeNode* find(const ScopeTree& tree, const std::string& path) {
  for (uint32_t n = 0; n < tree.nodes.size(); ++n) {
    if (tree.path(n) == path) return &tree.nodes[n];
  }
  return nullptr;
}

TEST(ExecutionCounts, LoopsMultiplyWhatIsInThem) {
  const auto module = parsed();
  const auto counts = executionCounts(*module);
  const auto of = [&](const char* name) { return counts[module->findComputation(name)->id().value]; };
  EXPECT_EQ(of("e"), 1);
  EXPECT_EQ(of("body"), 5);
  EXPECT_EQ(of("helper"), 5);
  EXPECT_EQ(of("cond"), 5);
  EXPECT_EQ(of("add"), 0);
}

TEST(ScopeTree, SumsCostsByScopeWithLoops) {
  const auto module = parsed();
  const ScopeTree tree = scopeTree(*module, ModuleCost(*module));
  // Five times 8 additions in the helper, and the all-reduce's own.
  const ScopeNode* layer = find(tree, "jit(f)/while/layer");
  ASSERT_NE(layer, nullptr);
  EXPECT_EQ(layer->instructions, 2);
  EXPECT_GE(layer->flops, 40);
  EXPECT_EQ(layer->flops % 5, 0);
  const ScopeNode* scale = find(tree, "jit(f)/scale");
  ASSERT_NE(scale, nullptr);
  EXPECT_EQ(scale->flops, 8);
  EXPECT_EQ(scale->bytesAccessed, 3 * 32);  // two operands and the result
  ASSERT_NE(find(tree, "jit(f)/scale/mul"), nullptr);
  EXPECT_EQ(find(tree, "jit(f)/scale/mul")->flops, 8);
  const ScopeNode* all = find(tree, "jit(f)");
  EXPECT_EQ(all->flops, layer->flops + scale->flops);
  EXPECT_EQ(tree.nodes[0].flops, all->flops + find(tree, "(no op_name)")->flops);
}

TEST(Summary, CollectivesCountTheLoopsAroundThem) {
  const auto module = parsed();
  const ModuleSummary summary = summarize(*module);
  ASSERT_EQ(summary.collectives.size(), 1u);
  EXPECT_EQ(summary.collectives[0].count, 1);
  EXPECT_EQ(summary.collectives[0].executions, 5);
  EXPECT_EQ(summary.collectives[0].bytes, 32);
  EXPECT_EQ(summary.collectives[0].executedBytes, 160);
}

TEST(ScopeTree, TimesAreSummedByScope) {
  const auto module = parsed();
  std::vector<double> times(module->idLimit());
  times[module->findInstruction("twice")->id().value] = 50;
  times[module->findInstruction("reduced")->id().value] = 7;
  times[module->findInstruction("r")->id().value] = 1;
  const ScopeTree tree = scopeTree(*module, ModuleCost(*module), times);
  EXPECT_EQ(tree.nodes[0].timeNs, 58);
  for (uint32_t n = 0; n < tree.nodes.size(); ++n) {
    if (tree.path(n) == "jit(f)/while/layer") EXPECT_EQ(tree.nodes[n].timeNs, 57);
    if (tree.path(n) == "jit(f)/scale") EXPECT_EQ(tree.nodes[n].timeNs, 1);
  }
}

}  // namespace
}  // namespace hilo
