// What XLA's tests of its scheduling annotation legaliser assert, on modules of our own.
#include "core/analysis/async_op.h"
#include "core/compiler/passes/schedule/legalize_scheduling_annotations.h"
#include "core/compiler/schedule/scheduling_annotation.h"
#include "tests/conformance/schedules/match.h"
#include "tests/conformance/schedules/schedule_modules.h"

namespace hilo {
namespace {

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
  const SchedulingAnnotationRules none{}, skip{.skipOptBarriers = true}, propagate{.propagate = true},
      asyncOnly{.keepSync = never};
  const std::string gap = "Support for annotation groups with gaps", taken = "it has an existing annotation";
  return {
      {"NonIntegerAnnotation", none, "non-integer scheduling annotation group id", {}, {}},
      {"MultipleAnnotations", none, "non-integer scheduling annotation group id", {}, {}},
      {"NegativeAnnotation", none, "negative scheduling annotation group id", {}, {}},
      {"CrossComputationAnnotation", none, "", {}, {}},
      {"AnnotationWithGaps", none, gap, {}, {}},
      {"AnnotationWithGaps2", none, gap, {}, {}},
      {"GapSearchSkipsTuple", skip, "", {}, {}},
      {"GapSearchSkipsOptBarrier", skip, "", {}, {}},
      {"MissingAnnotationInStart",
       none,
       "Done instruction's operand is not annotated with the same id",
       {},
       {}},
      {"MoveFusedOpAnnotationToCaller", none, "", {}, {{"fusion0", "1"}}},
      {"FusedOpsWithDifferentAnnotationIds", none, "Found a fusion with multiple annotations", {}, {}},
      {"DropAnnotationFromBitcast", {.keepSync = isNotOp(Opcode::Bitcast)}, "", {}, {{"bitcast", ""}}},
      {"DropAnnotationFromTrivialGroups",
       {.keepTrivialSync = isNotOp(Opcode::Bitcast)},
       "",
       {},
       {{"bitcast", ""}, {"bitcast2", ""}, {"bitcast3", ""}}},
      {"DropRepeatedAnnotationFromDifferentComputations", {.keepTrivialSync = never}, "", {}, {}},
      {"OpsWithControlDependencies", none, "", {}, {}},
      {"NoOpSchedulingGroup", none, "", {}, {{"a0", ""}}},
      {"ProgagateAnnotationToGap", propagate, "", true, {{"n", "1"}}},
      {"NothingToPropagate", propagate, "", false, {}},
      {"NoDataDependentGap", propagate, "", false, {}},
      {"GapDueToControlDependency", propagate, "", true, {{"c0", "1"}, {"n", ""}, {"c1", ""}}},
      {"GapDueToControlDependency2", propagate, "", true, {{"n", "1"}, {"c0", "1"}, {"c1", "1"}}},
      {"TwoGroups", propagate, "", true, {{"n", "3"}}},
      {"PropagatedInBody", propagate, "", true, {{"n", "1"}}},
      {"ConflictingAnnotationGroups", propagate, taken, {}, {}},
      {"ConflictingAnnotationGroups2", propagate, taken, {}, {}},
      {"IterationsAreDropped", {.removeIterationsOnly = true}, "", true, {{"all_gather.2", "123"}}},
      {"VerifyNoCycle", {.keepSync = never, .checkCycles = true}, "", {}, {}},
      {"VerifyCycle", {.checkCycles = true}, "Detected scheduling group annotation cycle", {}, {}},
      {"ContainsOnlyFormattingOps", asyncOnly, "", {}, {{"call-start", ""}}},
      {"ContainsFormattingOpsAndNestedOthers", asyncOnly, "", {}, {{"call-start", "47"}}},
      {"KeepsAnnotationOnTupleRootedCollectivesGroup",
       asyncOnly,
       "",
       {},
       {{"group-start", "1"}, {"group-done", "1"}}},
      {"FillSimpleGaps", {.keepSync = isOp(Opcode::AllGather)}, "", {}, {{"b1", "1"}, {"c1", "1"}}},
      {"DropAnnotationsProperly",
       {.keepSync = isOp(Opcode::CustomCall)},
       "",
       {},
       {{"custom-call.2", ""}, {"custom-call.3", ""}}},
  };
}

class LegalizeConformance : public testing::TestWithParam<LegalizeCase> {};

TEST_P(LegalizeConformance, Holds) {
  const LegalizeCase& c = GetParam();
  const auto module = moduleNamed(c.test);
  ASSERT_NE(module, nullptr);
  PassContext context;
  if (c.rules.skipOptBarriers) {  // Without it the module is one with a gap.
    SchedulingAnnotationRules without = c.rules;
    without.skipOptBarriers = false;
    EXPECT_FALSE(legalizeSchedulingAnnotations(*module->clone(), context, without));
  }
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
  noteConformance(c.test, HasFailure() ? "does not hold" : "holds");
}

INSTANTIATE_TEST_SUITE_P(Xla, LegalizeConformance, testing::ValuesIn(cases()),
                         [](const auto& c) { return c.param.test; });

}  // namespace
}  // namespace hilo
