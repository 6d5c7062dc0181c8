#include "core/hlo/ir/result_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using testing::ElementsAre;

std::vector<std::string> namesOf(const char* text) { return resultNames(*parseModule(text).module); }

TEST(ResultNames, OfATupleTheOperands) {
  EXPECT_THAT(namesOf("HloModule m\nENTRY e {\n  a = f32[] parameter(0)\n  b = f32[] negate(a)\n"
                      "  ROOT r = (f32[], f32[], f32[]) tuple(b, a, b)\n}\n"),
              ElementsAre("b", "a", "b"));
}

TEST(ResultNames, OfOneValueTheRoot) {
  EXPECT_THAT(namesOf("HloModule m\nENTRY e {\n  a = f32[] parameter(0)\n  ROOT loss = f32[] negate(a)\n}\n"),
              ElementsAre("loss"));
}

TEST(ResultNames, OfATupleThatComesOutOfSomethingTheRootAndTheElement) {
  EXPECT_THAT(namesOf("HloModule m\nENTRY e {\n  ROOT state = (f32[], s32[2]) parameter(0)\n}\n"),
              ElementsAre("state{0}", "state{1}"));
}

}  // namespace
}  // namespace hilo
