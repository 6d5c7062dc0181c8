// XLA's own tests of its scheduling annotation legaliser.
#include "core/analysis/schedule/async_op.h"
#include "core/compiler/passes/schedule/legalize_scheduling_annotations.h"
#include "core/compiler/schedule/scheduling_annotation.h"
#include "tests/conformance/schedules/match.h"
#include "tests/conformance/schedules/xla_test_modules.h"

namespace hilo {
namespace {

constexpr const char* kFile = "xla/service/legalize_scheduling_annotations_test.cc";

struct LegalizeCase {
  std::string test;
  SchedulingAnnotationRules rules;
  std::string refusal;                        // part of the message; empty: accepted
  std::optional<bool> changes;                // nullopt: either
  std::map<std::string, std::string> groups;  // of instructions afterwards; "": none
};
void PrintTo(const LegalizeCase& c, std::ostream* out) { *out << c.test; }

bool never(const Instruction&) { return false; }
std::function<bool(const Instruction&)> isOp(Opcode opcode) {
  return [opcode](const Instruction& i) { return i.opcode() == opcode; };
}
std::function<bool(const Instruction&)> isNotOp(Opcode opcode) {
  return [opcode](const Instruction& i) { return i.opcode() != opcode; };
}

std::vector<LegalizeCase> cases() {
  const std::string legalize = "LegalizeSchedulingAnnotationsTest,",
                    propagation = "SchedulingAnnotationPropagationTest,";
  const SchedulingAnnotationRules none{}, skip{.skipOptBarriers = true}, propagate{.propagate = true},
      asyncOnly{.keepSync = never};
  const std::string gap = "Support for annotation groups with gaps", taken = "it has an existing annotation";
  return {
      {legalize + "NonIntegerAnnotation", none, "non-integer scheduling annotation group id", {}, {}},
      {legalize + "MultipleAnnotations", none, "non-integer scheduling annotation group id", {}, {}},
      {legalize + "NegativeAnnotation", none, "negative scheduling annotation group id", {}, {}},
      {legalize + "CrossComputationAnnotation", none, "", {}, {}},
      {legalize + "AnnotationWithGaps", none, gap, {}, {}},
      {legalize + "AnnotationWithGaps2", none, gap, {}, {}},
      {legalize + "GapSearchSkipsTuple", skip, "", {}, {}},
      {legalize + "GapSearchSkipsOptBarrier", skip, "", {}, {}},
      {legalize + "MissingAnnotationInStart",
       none,
       "Done instruction's operand is not annotated with the same id",
       {},
       {}},
      {legalize + "MoveFusedOpAnnotationToCaller", none, "", {}, {{"fusion0", "1"}}},
      {legalize + "FusedOpsWithDifferentAnnotationIds",
       none,
       "Found a fusion with multiple annotations",
       {},
       {}},
      {legalize + "DropAnnotationFromBitcast",
       {.keepSync = isNotOp(Opcode::Bitcast)},
       "",
       {},
       {{"bitcast", ""}}},
      {legalize + "DropAnnotationFromTrivialGroups",
       {.keepTrivialSync = isNotOp(Opcode::Bitcast)},
       "",
       {},
       {{"bitcast", ""}, {"bitcast2", ""}, {"bitcast3", ""}}},
      {legalize + "DropRepeatedAnnotationFromDifferentComputations", {.keepTrivialSync = never}, "", {}, {}},
      {legalize + "OpsWithControlDependencies", none, "", {}, {}},
      {propagation + "NoOpSchedulingGroup", none, "", {}, {{"a0", ""}}},
      {legalize + "ProgagateAnnotationToGap", propagate, "", true, {{"slice", "1"}}},
      {propagation + "NothingToPropagate", propagate, "", false, {}},
      {propagation + "NoDataDependentGap", propagate, "", false, {}},
      {propagation + "GapDueToControlDependency",
       propagate,
       "",
       true,
       {{"c0", "1"}, {"slice", ""}, {"c1", ""}}},
      {propagation + "GapDueToControlDependency2",
       propagate,
       "",
       true,
       {{"slice", "1"}, {"c0", "1"}, {"c1", "1"}}},
      {propagation + "TwoGroups", propagate, "", true, {{"slice", "3"}}},
      {propagation + "CrossComputationAnnotation", propagate, "", true, {{"slice", "1"}}},
      {propagation + "ConflictingAnnotationGroups", propagate, taken, {}, {}},
      {propagation + "ConflictingAnnotationGroups2", propagate, taken, {}, {}},
      {"RemoveLoopIterationAnnotationTest,CrossComputationAnnotation",
       {.removeIterationsOnly = true},
       "",
       true,
       {{"all_gather.2", "123"}}},
      {propagation + "VerifyNoCycle", {.keepSync = never, .checkCycles = true}, "", {}, {}},
      {propagation + "VerifyCycle",
       {.checkCycles = true},
       "Detected scheduling group annotation cycle",
       {},
       {}},
      {propagation + "ContainsOnlyFormattingOps",
       asyncOnly,
       "",
       {},
       {{"sparse-core-data-format-call.47.cloned.1.call-start", ""}}},
      {propagation + "ContainsFormattingOpsAndNestedOthers",
       asyncOnly,
       "",
       {},
       {{"sparse-core-data-format-call.47.cloned.1.call-start", "47"}}},
      {propagation + "KeepsAnnotationOnTupleRootedCollectivesGroup",
       asyncOnly,
       "",
       {},
       {{"group-start", "1"}, {"group-done", "1"}}},
      {propagation + "FillSimpleGaps",
       {.keepSync = isOp(Opcode::AllGather)},
       "",
       {},
       {{"b1", "1"}, {"c1", "1"}}},
      {legalize + "DropAnnotationsProperly",
       {.keepSync = isOp(Opcode::CustomCall)},
       "",
       {},
       {{"custom-call.2", ""}, {"custom-call.3", ""}}},
  };
}

class LegalizeConformance : public testing::TestWithParam<LegalizeCase> {};

TEST_P(LegalizeConformance, Holds) {
  const LegalizeCase& c = GetParam();
  const std::string text = textOfXlaTest(kFile, c.test);
  if (text.empty()) GTEST_SKIP() << "no module: set HILO_XLA_SOURCE or HILO_CORPUS";
  const auto module = parseXlaModule(text);
  ASSERT_NE(module, nullptr);
  PassContext context;
  const auto changed = legalizeSchedulingAnnotations(*module, context, c.rules);
  if (!c.refusal.empty()) {
    ASSERT_FALSE(changed);
    EXPECT_NE(changed.error().message.find(c.refusal), std::string::npos) << toString(changed.error());
  } else {
    ASSERT_TRUE(changed) << toString(changed.error());
    if (c.changes) EXPECT_EQ(*changed, *c.changes);
    for (const auto& [name, group] : c.groups) {
      const Instruction* i = module->findInstruction(name);
      ASSERT_NE(i, nullptr) << name;
      EXPECT_EQ(frontendAttribute(*i, kSchedulingGroupAttribute).value_or(""), group) << name;
    }
  }
  if (c.test.ends_with("DropRepeatedAnnotationFromDifferentComputations")) {
    for (const Computation* computation : module->computations()) {
      for (const Instruction* i : computation->instructions()) {
        if (i->opcode() == Opcode::Convolution)
          EXPECT_NE(frontendAttribute(*i, kSchedulingGroupAttribute).value_or(""), "1") << i->name();
      }
    }
  }
  noteConformance(c.test.substr(c.test.find(',') + 1), HasFailure() ? "does not hold" : "holds");
}

INSTANTIATE_TEST_SUITE_P(Xla, LegalizeConformance, testing::ValuesIn(cases()), [](const auto& c) {
  std::string name = c.param.test;
  std::ranges::replace(name, ',', '_');
  return name;
});

}  // namespace
}  // namespace hilo
