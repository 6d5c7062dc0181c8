// The engine cuda-sim: modules as PTX, run on a simulated GPU in check mode, held to the evaluator's answers.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/workspace/run/engines.h"
#include "tests/support/answers/answer_cases.h"
#include "tests/support/module_fuzzer/fuzz_engine.h"
#include "tests/support/module_text.h"
#include "tests/unit/workspace/simulated_engine/run_simulated.h"

namespace hilo {
namespace {

Result<Literal> simulated(const std::shared_ptr<const Module>& module, std::span<const Literal> arguments) {
  return runSimulated(module, arguments, /*runsPasses=*/false, /*isChecked=*/true);
}

Result<Literal> simulatedWithPasses(const std::shared_ptr<const Module>& module,
                                    std::span<const Literal> arguments) {
  return runSimulated(module, arguments, /*runsPasses=*/true, /*isChecked=*/true);
}

// Every n-th case; all of them where HILO_ALL_PTX is set.
size_t everyNth(size_t n) { return std::getenv("HILO_ALL_PTX") == nullptr ? n : 1; }

template <typename Cases, typename Name>
void checkCases(const Cases& cases, const Name& name) {
  int wrong = 0;
  for (size_t i = 0; i < cases.size(); i += everyNth(10)) {
    const std::string difference = outcome(cases[i], simulated);
    EXPECT_EQ(difference, "") << name(cases[i]);
    if (!difference.empty() && ++wrong == 60) FAIL() << "and maybe more";
  }
}

TEST(SimulatedEngine, GivesElementwiseAnswers) {
  checkCases(elementwiseCases(), [](const ElementwiseCase& c) { return c.line; });
}

TEST(SimulatedEngine, GivesStructuralAnswers) {
  checkCases(structuralCases(), [](const StructuralCase& c) { return c.name + "\n" + c.text; });
}

TEST(SimulatedEngine, AgreesWithTheEvaluatorOnAFewModules) {
  const fuzz::Report report =
      fuzz::fuzzEngine({simulated, simulatedWithPasses}, {.modules = 10, .operations = 8});
  for (const fuzz::Finding& finding : report.findings)
    ADD_FAILURE() << "seed " << finding.seed << ": " << finding.why;
  EXPECT_EQ(report.refused, 0);
}

TEST(SimulatedEngine, NotesWhatTheHostDidInPlaceOfAGpu) {
  const auto engine = engineNamed("cuda-sim");
  ASSERT_TRUE(engine);
  // The comparison says nothing of NaN.
  const auto module = moduleWithReducers(R"(less { a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT r = pred[] compare(a, b), direction=LT }
  ENTRY e { p = f32[8] parameter(0)
    ROOT t = f32[8] sort(p), dimensions={0}, to_apply=less })");
  const auto executable = (*engine)->compile(module, {}, {});
  ASSERT_TRUE(executable) << toString(executable.error());
  ASSERT_EQ((*executable)->notes.size(), 1u);
  EXPECT_EQ((*executable)->notes[0], "substituted, done by the host in place of the GPU: t");
}

}  // namespace
}  // namespace hilo
