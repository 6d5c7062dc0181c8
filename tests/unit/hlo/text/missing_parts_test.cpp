// Text cut out of a larger one: what it names without having it is opaque, with a warning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> kindsOf(const Diagnostics& diagnostics) {
  std::vector<std::string> kinds;
  for (const Diagnostic& diagnostic : diagnostics) kinds.push_back(diagnostic.kind);
  return kinds;
}

Diagnostics errorsIn(const Module& module) {
  Diagnostics found = verify(module);
  std::erase_if(found, [](const Diagnostic& d) { return d.severity != Severity::kError; });
  return found;
}

TEST(MissingParts, ComputationsOfAnEntryAlone) {
  const ParseResult result = parseModule(R"(ENTRY e {
  p = f32[4,5] parameter(0)
  z = f32[] constant(0)
  f = f32[4,5] fusion(p, z), kind=kLoop, calls=inside
  r = f32[4] reduce(f, z), dimensions={1}, to_apply=sum
  s = (f32[4], f32[4]) sort(r, r), dimensions={0}, to_apply=less
  w = (f32[4], f32[4]) while(s), condition=goes_on, body=step
  ROOT g = f32[4] get-tuple-element(w), index=1
})");
  EXPECT_THAT(kindsOf(result.diagnostics), Each("left-out"));
  EXPECT_THAT(result.diagnostics, SizeIs(5));
  EXPECT_THAT(kindsOf(errorsIn(*result.module)), IsEmpty());
  const Instruction* reduce = result.module->findInstruction("r");
  ASSERT_NE(reduce, nullptr);
  EXPECT_EQ(reduce->get<Attr::ToApply>()->root()->opcodeText(), "left-out");
  EXPECT_EQ(toString(reduce->get<Attr::ToApply>()->root()->shape()), "f32[]");
}

TEST(MissingParts, OneComputationForAllThatCallIt) {
  const ParseResult result = parseModule(R"(ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] call(p), to_apply=f
  ROOT b = f32[4] call(a), to_apply=f
})");
  EXPECT_THAT(result.diagnostics, SizeIs(1));
  EXPECT_THAT(result.module->computations(), SizeIs(2));
}

// What such a reducer takes is not known; the verifier says what is wrong with its caller.
TEST(MissingParts, AReducerOfATupleIsLeftToTheVerifier) {
  const ParseResult result = parseModule(R"(ENTRY e {
  p = (f32[4], f32[4]) parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[4] reduce(p, z), dimensions={0}, to_apply=sum
})");
  ASSERT_NE(result.module, nullptr);
  EXPECT_FALSE(errorsIn(*result.module).empty());
}

TEST(MissingParts, LinesLeftOut) {
  const ParseResult result = parseModule(R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  ...
  ROOT b = f32[4] add(f32[4] p, f32[4] a)
})");
  EXPECT_THAT(kindsOf(result.diagnostics), testing::ElementsAre("left-out", "left-out"));
  EXPECT_EQ(result.diagnostics[0].place.line, 4u);
  EXPECT_THAT(kindsOf(errorsIn(*result.module)), IsEmpty());
}

// A whole module has what it names.
TEST(MissingParts, AModuleWithAHeaderIsWhole) {
  const ParseResult result = parseModule(R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  ROOT a = f32[4] call(p), to_apply=f
})");
  EXPECT_THAT(kindsOf(result.diagnostics), testing::ElementsAre("undefined-computation"));
}

}  // namespace
}  // namespace hilo
