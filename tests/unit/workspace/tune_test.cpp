// Tuning: what is tried of which instruction, what is chosen, what is found again.
#include "core/workspace/tune/tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/llvm_kernel_options.h"
#include "core/compiler/codegen/cpu/choices/dot_method.h"
#include "core/hlo/text/parse.h"
#include "core/workspace/store/store.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::shared_ptr<const Module> parsed(const std::string& text) {
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  return *std::move(module);
}

// Two dots that are the same but for their names, one that is not, and elementwise work.
constexpr const char* kDots = R"(HloModule m
ENTRY e {
  a = f32[48,48] parameter(0)
  b = f32[48,48] parameter(1)
  first = f32[48,48] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  second = f32[48,48] dot(first, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  other = f32[48,48] dot(first, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT sum = f32[48,48] add(second, other)
}
)";

class TuneTest : public testing::Test {
 protected:
  TuneReport tuned(const std::string& text) {
    auto report =
        tune({.module = parsed(text), .runsPasses = false, .repeat = 6, .store = store.get()}, JobContext());
    EXPECT_TRUE(report.has_value()) << toString(report.error());
    return *std::move(report);
  }
  static std::vector<TunedInstruction> of(const TuneReport& report, std::string_view backend) {
    std::vector<TunedInstruction> found;
    std::ranges::copy_if(report.tuned, std::back_inserter(found),
                         [&](const TunedInstruction& t) { return t.backend == backend; });
    return found;
  }
  std::unique_ptr<RunStore> store = *RunStore::open(":memory:");
};

TEST_F(TuneTest, sameInstructionsAreTriedOnce) {
  const TuneReport report = tuned(kDots);
  const auto products = of(report, "product");
  ASSERT_EQ(products.size(), 2u) << "an add has no ways of being a product";
  EXPECT_THAT(products[0].instructions, ElementsAre("first", "second"));
  EXPECT_THAT(products[1].instructions, ElementsAre("other"));
  std::vector<std::string> configs;
  for (const TriedConfig& tried : products[0].tried) configs.push_back(tried.config);
  EXPECT_THAT(configs, ElementsAre("default", "library", "tiles", "elements"));
  // One of the three is what is done when nothing is said.
  EXPECT_EQ(std::ranges::count(products[0].tried, "the code of default", &TriedConfig::remark), 1);
  for (const TriedConfig& tried : products[0].tried)
    EXPECT_TRUE(tried.timings.n() == 6 || !tried.remark.empty());
  EXPECT_THAT(report.untried, IsEmpty());
}

TEST_F(TuneTest, whatIsChosenIsWritten) {
  const TuneReport report = tuned(kDots);
  for (const TunedInstruction& each : report.tuned) {
    for (const std::string& name : each.instructions) {
      const Instruction& instruction = *report.module->findInstruction(name);
      if (each.backend == "product") {
        const auto stated = *statedDotMethod(instruction);
        EXPECT_EQ(stated ? dotMethodName(*stated) : "default", each.best) << name;
      } else {
        EXPECT_EQ((*llvmKernelOptions(instruction)).has_value(), each.best != "default") << name;
      }
    }
    EXPECT_LE(each.bestNs, each.defaultNs);
  }
}

TEST_F(TuneTest, foundAgain) {
  const TuneReport first = tuned(kDots);
  // Another module with the same instructions under other names.
  std::string renamed = kDots;
  for (size_t at = 0; (at = renamed.find("first", at)) != std::string::npos;)
    renamed.replace(at, 5, "product.7");
  const TuneReport second = tuned(renamed);
  ASSERT_EQ(first.tuned.size(), second.tuned.size());
  for (size_t i = 0; i < first.tuned.size(); ++i) {
    EXPECT_FALSE(first.tuned[i].reused);
    EXPECT_TRUE(second.tuned[i].reused) << second.tuned[i].instructions[0];
    EXPECT_THAT(second.tuned[i].tried, IsEmpty());
    EXPECT_EQ(second.tuned[i].best, first.tuned[i].best);
    EXPECT_EQ(second.tuned[i].bestNs, first.tuned[i].bestNs);
  }
}

TEST_F(TuneTest, whatIsNoWorkHasNoConfigs) {
  const TuneReport report = tuned(R"(HloModule m
ENTRY e {
  a = f32[4] parameter(0)
  c = f32[4] constant({1, 2, 3, 4})
  b = f32[2,2] bitcast(a)
  ROOT t = (f32[4], f32[2,2], f32[4]) tuple(a, b, c)
}
)");
  EXPECT_THAT(report.tuned, IsEmpty());
  EXPECT_THAT(report.untried, IsEmpty());
}

// 2^3 ways, of which those that are the same code run once; inside of a loop's body too.
TEST_F(TuneTest, kernelsInLoops) {
  const TuneReport report = tuned(R"(HloModule m
body { p = (s32[], f32[512]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[512] get-tuple-element(p), index=1
  y = f32[512] multiply(x, x)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[512]) tuple(j, y) }
condition { p = (s32[], f32[512]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e {
  s = (s32[], f32[512]) parameter(0)
  ROOT w = (s32[], f32[512]) while(s), condition=condition, body=body
}
)");
  const auto kernels = of(report, "llvm-kernel");
  const auto multiply = std::ranges::find_if(kernels, [](const auto& k) { return k.opcode == "multiply"; });
  ASSERT_NE(multiply, kernels.end());
  ASSERT_THAT(multiply->tried, SizeIs(9));
  EXPECT_GT(std::ranges::count_if(multiply->tried, [](const auto& t) { return t.timings.n() > 0; }), 1);
  EXPECT_EQ(multiply->tried[0].config, "default");
}

TEST_F(TuneTest, oneAlone) {
  const auto report =
      tune({.module = parsed(kDots), .runsPasses = false, .only = "second", .repeat = 1}, JobContext());
  ASSERT_TRUE(report.has_value()) << toString(report.error());
  ASSERT_FALSE(report->tuned.empty());
  for (const TunedInstruction& each : report->tuned) EXPECT_THAT(each.instructions, ElementsAre("second"));
  const auto none = tune({.module = parsed(kDots), .runsPasses = false, .only = "third"}, JobContext());
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, "no-such-instruction");
}

TEST_F(TuneTest, refusedByName) {
  const auto refused = tune(
      {.module = parsed(
           "HloModule m\nENTRY e { ROOT o = f32[2] custom-call(), custom_call_target=\"unheard_of\" }\n")},
      JobContext());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, "not-compiled");
}

}  // namespace
}  // namespace hilo
