// What a query that matches nothing is told.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/query/query.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kModule = R"(HloModule m
step { p = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(p), index=0
  v = f32[8] get-tuple-element(p), index=1 w = f32[8] negate(v) ROOT r = (s32[], f32[8]) tuple(i, w) }
test { q = (s32[], f32[8]) parameter(0) j = s32[] get-tuple-element(q), index=0
  n = s32[] constant(4) ROOT l = pred[] compare(j, n), direction=LT }
ENTRY e { a = f32[8] parameter(0) z = s32[] constant(0) t = (s32[], f32[8]) tuple(z, a)
  ROOT loop = (s32[], f32[8]) while(t), condition=test, body=step })";

std::vector<std::string> why(const char* text) {
  const auto module = parseModuleStrictly(kModule);
  const auto query = parseQuery(text);
  EXPECT_TRUE(QueryMatcher(*query, **module).all().empty()) << text;
  return whyNothingMatches(*query, **module);
}

TEST(QueryHints, ATermThatMatchesNothingIsNamedWithWhatMayHaveBeenMeant) {
  EXPECT_THAT(why("opcode:negat"),
              ElementsAre("nothing in this module matches opcode:negat: did you mean 'negate'?"));
  EXPECT_THAT(why("in:stepp bytes>1"),
              ElementsAre("nothing in this module matches in:stepp: did you mean 'step'?"));
  EXPECT_THAT(why("bytes>1GB"), ElementsAre("nothing in this module matches bytes>1GB"));
}

TEST(QueryHints, WithNoNameNearTheOnesThereAreAreListedLoopsFirst) {
  EXPECT_THAT(
      why("in:while_body"),
      ElementsAre("nothing in this module matches in:while_body: computations here are step, test, e"));
}

TEST(QueryHints, WhereEachTermMatchesTheirNumbersAreSaid) {
  EXPECT_THAT(why("opcode:negate type:s32"),
              ElementsAre("no instruction matches all of these: opcode:negate: 1, type:s32: 9"));
}

TEST(QueryHints, AlternativesAndNegationsAreNotBlamed) {
  EXPECT_THAT(why("(opcode:dot or opcode:add)"), IsEmpty());
  EXPECT_THAT(why("not opcode:* opcode:negate"), IsEmpty());
}

}  // namespace
}  // namespace hilo
