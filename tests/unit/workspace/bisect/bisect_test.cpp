#include "core/workspace/bisect/bisect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/text/parse.h"
#include "core/workspace/watch/pass_process.h"
#include "tests/support/layered_module.h"
#include "tests/support/module_text.h"
#include "tests/unit/workspace/bisect/faulty_pass.h"
#include "tests/unit/workspace/bisect/planted_passes.h"

namespace hilo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct PlantedCase {
  const char* pass;
  const char* watcher;
  const char* kind;    // what it fails with, as it begins
  const char* before;  // the passes around the planted one
  const char* after;
};

std::ostream& operator<<(std::ostream& out, const PlantedCase& c) { return out << c.pass; }

const PlantedCase kCases[] = {
    {"planted-plus-one", "differs:reference", "differs", "cse,dce", "algebraic-simplifier,cse,dce"},
    {"planted-sign", "differs:reference", "differs", "", "tuple-simplifier,dce"},
    {"planted-doubled", "differs:reference", "differs", "algebraic-simplifier,dce", "cse"},
    {"planted-zero", "differs:reference", "differs", "cse", "constant-folding,algebraic-simplifier,dce"},
    {"planted-operand", "differs:reference", "differs", "dce", "cse,dce"},
    {"planted-difference", "differs:reference", "differs", "cse", "dce"},
    {"planted-clamped", "differs:reference", "differs", "cse,dce", "dce"},
    {"planted-reversed", "differs:reference", "differs", "dce", "algebraic-simplifier,dce"},
    {"planted-zero-by-zero", "nan", "nan", "cse", "dce"},
    {"planted-root", "nan", "nan", "cse,dce", "cse,dce"},
    {"planted-check", "crash", "SIGABRT at ", "cse,dce", "dce"},
    {"planted-signal", "crash", "SIGSEGV", "cse", "dce"},
    {"planted-shape", "verifier", "", "cse,dce", "dce"},
    {"planted-refusal", "fails", "planted-failure", "cse", "dce"},
    {"planted-slow", "time:4x", "time", "cse", "dce"},
    {"planted-large", "memory:3x", "memory", "cse,dce", "dce"},
    {"planted-kernels", "kernels:1.2x", "kernels", "cse", "dce"},
};

std::vector<ConfiguredPass> passesOf(const char* list) { return *parsePassList(list); }

BisectRequest requestFor(const PlantedCase& c, std::shared_ptr<const Module> module) {
  BisectRequest request{.module = module, .passes = passesOf(c.before)};
  request.passes.emplace_back(&plantedPass(c.pass));
  for (ConfiguredPass& pass : *parsePassList(c.after)) request.passes.push_back(std::move(pass));
  request.arguments = makeArguments(*module, 7)->arguments;
  return request;
}

class PlantedFaults : public testing::TestWithParam<PlantedCase> {};

TEST_P(PlantedFaults, AreFoundByPassRewriteAndInstruction) {
  const PlantedCase& c = GetParam();
  const std::shared_ptr<const Module> module = makeLayeredModule(5000);
  const BisectRequest request = requestFor(c, module);
  const size_t place = passesOf(c.before).size();
  const auto before = runPasses(module, passesOf(c.before), {}).output();
  const PlantedFault fault = plantedFault(*before);

  const auto watcher = makeWatcher(c.watcher, {.passWorker = ownPassWorker(), .samples = 3});
  ASSERT_TRUE(watcher) << toString(watcher.error());
  const auto found = bisect(request, **watcher, {});
  ASSERT_TRUE(found) << toString(found.error());
  ASSERT_EQ(found->outcome, BisectOutcome::Found) << found->end.what;
  EXPECT_THAT(found->end.kind, StartsWith(c.kind));
  EXPECT_EQ(found->firstBad, place + 1);
  EXPECT_EQ(found->pass, c.pass);
  ASSERT_TRUE(found->rewrite) << found->whyNoRewrite;
  EXPECT_EQ(found->rewrite->bad, fault.rewrite);
  EXPECT_EQ(found->rewrite->good, fault.rewrite - 1);
  ASSERT_TRUE(found->rewrite->instruction);
  EXPECT_EQ(found->rewrite->instruction->name, fault.instruction);
  EXPECT_THAT(found->rewrite->text, HasSubstr("%" + fault.instruction + " = "));
}

INSTANTIATE_TEST_SUITE_P(All, PlantedFaults, testing::ValuesIn(kCases), [](const auto& info) {
  std::string name = info.param.pass;
  std::erase(name, '-');
  return name;
});

TEST(Bisect, WhatTheBadRewriteChangedIsShownOnBothSides) {
  const std::shared_ptr<const Module> module = makeLayeredModule(200);
  const BisectRequest request = requestFor({"planted-sign", "", "", "dce", "dce"}, module);
  const auto found = bisect(request, **makeWatcher("differs:reference", {}), {});
  ASSERT_TRUE(found && found->rewrite);
  ASSERT_NE(found->bad, nullptr);
  EXPECT_TRUE(std::ranges::any_of(found->changes, [](const BisectChange& change) {
    return change.before.empty() && change.after.find("negate(") != std::string::npos;
  }));
}

// Negates the result, without asking.
Result<bool> negateSilently(Module& module, PassContext&) {
  Instruction* root = module.entry()->root();
  module.entry()->setRoot(module.entry()->create(Opcode::Negate, root->shape(), {root}));
  return true;
}
const Pass kSilent{"silent", negateSilently, ""};

TEST(Bisect, APassThatCountsNoRewritesIsNamedWithWhatItChanged) {
  const std::shared_ptr<const Module> module = makeLayeredModule(20);
  const BisectRequest request{
      .module = module, .passes = {&kSilent}, .arguments = makeArguments(*module, 7)->arguments};
  const auto found = bisect(request, **makeWatcher("differs:reference", {}), {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pass, "silent");
  EXPECT_FALSE(found->rewrite);
  EXPECT_THAT(found->whyNoRewrite, HasSubstr("before the first rewrite"));
  EXPECT_TRUE(std::ranges::any_of(found->changes, [](const BisectChange& change) {
    return change.kind == ChangeKind::Added && change.after.find("negate(") != std::string::npos;
  }));
}

// Knows two negates as good, three and four as neither, five as bad.
class CountingWatcher : public Watcher {
 public:
  Result<Observation> look(const WatchedCase& watched, const JobContext&) override {
    const auto more = watched.after->instructionCount() - watched.module->instructionCount();
    if (more == 3 || more == 4) return Observation{Sight::Unknown};
    return more < 3 ? Observation{} : Observation{Sight::Bad, "five", "five"};
  }
};

TEST(Bisect, StepsThatCannotBeToldAreGivenAsAStretch) {
  const std::vector<ConfiguredPass> passes(6, ConfiguredPass(&kSilent));
  CountingWatcher watcher;
  const auto found = bisect({.module = makeLayeredModule(20), .passes = passes}, watcher, {});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->isOneStep);
  EXPECT_EQ(found->lastGood, 2u);
  EXPECT_EQ(found->firstBad, 5u);
  EXPECT_THAT(found->whyNoRewrite, HasSubstr("which of several"));
}

TEST(Bisect, EndsThatAreNotAsTheyShouldBeAreSaid) {
  const std::shared_ptr<const Module> module = makeLayeredModule(40);
  BisectRequest request{
      .module = module, .passes = passesOf("cse,dce"), .arguments = makeArguments(*module, 7)->arguments};
  EXPECT_EQ(bisect(request, **makeWatcher("differs:reference", {}), {})->outcome, BisectOutcome::GoodAtEnd);
  EXPECT_EQ(bisect(request, **makeWatcher("kernels:1", {}), {})->outcome, BisectOutcome::BadAtStart);
  request.arguments.clear();
  EXPECT_EQ(bisect(request, **makeWatcher("nan", {}), {})->outcome, BisectOutcome::UnknownAtStart);
}

TEST(Bisect, PassesDoNotRunOverAModuleThatDoesNotVerify) {
  auto parsed = parseModule(R"(HloModule m
ENTRY e {
  p = f32[2,3] parameter(0)
  ROOT t = f32[3,2] transpose(p), dimensions={65536,0}
})");
  const std::shared_ptr<const Module> module = std::move(parsed.module);
  ASSERT_NE(module, nullptr);
  const BisectRequest request = requestFor({"planted-doubled", "", "", "cse", "layout-assignment"}, module);
  const auto found = bisect(request, **makeWatcher("kernels:1.1x", {}), {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, "dimension-out-of-range");
}

// A constant that was not written has one value in all stages, also where a pass gave it another name.
TEST(Bisect, StagesWithElidedConstantsAreTold) {
  const auto stage = [](std::string_view name, std::string_view operation) {
    return moduleOf(
        fmt::format("ENTRY e {{ a = f32[12] parameter(0)\n {0} = f32[12] constant({{...}})\n "
                    "ROOT r = f32[12] {1}(a, {0}) }}",
                    name, operation));
  };
  const std::shared_ptr<const Module> first = stage("c.1", "add");
  BisectRequest request{
      .module = first, .stages = PassSeries{}, .arguments = makeArguments(*first, 7)->arguments};
  request.stages->steps.push_back(makeStep("before", first));
  request.stages->steps.push_back(makeStep("renamed", stage("x", "add")));
  request.stages->steps.push_back(makeStep("broken", stage("constant_4_0", "subtract")));
  const auto found = bisect(request, **makeWatcher("differs:reference", {}), {});
  ASSERT_TRUE(found) << toString(found.error());
  ASSERT_EQ(found->outcome, BisectOutcome::Found) << found->end.what;
  EXPECT_EQ(found->pass, "broken");
  EXPECT_TRUE(found->isOneStep);
}

TEST(Bisect, StagesAreSearchedWithoutPasses) {
  const std::shared_ptr<const Module> module = makeLayeredModule(100);
  const PassRun run =
      runPasses(module, requestFor({"planted-doubled", "", "", "cse", "dce"}, module).passes, {});
  BisectRequest request{
      .module = module, .stages = PassSeries{}, .arguments = makeArguments(*module, 7)->arguments};
  request.stages->steps.push_back(makeStep("before", module));
  for (const PassStep& step : run.steps)
    request.stages->steps.push_back(makeStep("after " + step.pass, step.module));
  const auto found = bisect(request, **makeWatcher("differs:reference", {}), {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pass, "after planted-doubled");
  EXPECT_EQ(found->lastGood + 1, found->firstBad);
  EXPECT_GT(found->changeCount, 0u);
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  std::vector<hilo::Pass> passes(hilo::plantedPasses().begin(), hilo::plantedPasses().end());
  if (const auto faulty = hilo::faultyPassOfParent()) passes.push_back(*faulty);
  if (const auto status = hilo::servePassesIfAsked(argc, argv, passes)) return *status;
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
