// The entry's tuples taken apart: what it takes and gives are the same arrays, in their order.
#include "core/compiler/spmd/shardy/flat_entry.h"

#include <gtest/gtest.h>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "core/hlo/verify/verify.h"

namespace hilo::sdy {
namespace {

// Takes ((a, b), c) and gives ((a + b, c), a * b); the pair is also swapped as a whole.
constexpr const char* kNested = R"(HloModule m, buffer_donor={ (0, {0, 1}) }
swap { p = (f32[3], f32[3]) parameter(0)
  x = f32[3] get-tuple-element(p), index=0
  y = f32[3] get-tuple-element(p), index=1
  ROOT t = (f32[3], f32[3]) tuple(y, x) }
ENTRY e {
  p = ((f32[3], f32[3]), f32[2]) parameter(0)
  pair = (f32[3], f32[3]) get-tuple-element(p), index=0
  swapped = (f32[3], f32[3]) call(pair), to_apply=swap
  a = f32[3] get-tuple-element(swapped), index=1
  b = f32[3] get-tuple-element(pair), index=1
  c = f32[2] get-tuple-element(p), index=1
  sum = f32[3] add(a, b)
  product = f32[3] multiply(a, b)
  first = (f32[3], f32[2]) tuple(sum, c)
  ROOT r = ((f32[3], f32[2]), f32[3]) tuple(first, product)
})";

void addLeaves(const Literal& value, std::vector<Literal>& leaves) {
  if (!value.shape().isTuple()) leaves.push_back(value);
  for (const Literal& element : value.elements()) addLeaves(element, leaves);
}

std::vector<Literal> leaves(std::span<const Literal> values) {
  std::vector<Literal> all;
  for (const Literal& value : values) addLeaves(value, all);
  return all;
}

class FlatEntry : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto parsed = parseModuleStrictly(kNested);
    ASSERT_TRUE(parsed) << toString(parsed.error());
    nested_ = std::move(*parsed);
    flat_ = nested_->clone();
    flattenEntry(*flat_, GetParam());
  }
  std::unique_ptr<Module> nested_;
  std::shared_ptr<Module> flat_;
};

TEST_P(FlatEntry, GivesWhatTheNestedOneDoes) {
  EXPECT_TRUE(verify(*flat_).empty()) << printModule(*flat_);
  const auto made = makeArguments(*nested_, 1);
  ASSERT_TRUE(made);
  std::vector<Literal> arguments = leaves(made->arguments);
  if (GetParam()) arguments = {Literal::tuple(std::move(arguments))};
  const auto expected = evaluate(*nested_, made->arguments), given = evaluate(*flat_, arguments);
  ASSERT_TRUE(expected && given) << printModule(*flat_);
  const auto before = leaves({&*expected, 1}), after = leaves({&*given, 1});
  ASSERT_EQ(before.size(), 3);
  ASSERT_EQ(after.size(), 3);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(before[i], after[i]);
}

TEST_P(FlatEntry, SaysTheSameOfDonors) {
  const auto donors = flat_->get<Attr::BufferDonor>();
  ASSERT_EQ(donors.size(), 1);
  EXPECT_EQ(donors[0].parameter, GetParam() ? 0 : 1);
  EXPECT_EQ(donors[0].parameterIndex.size(), GetParam() ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Entry, FlatEntry, testing::Bool(),
                         [](const auto& one) { return one.param ? "AsOneTuple" : "Separate"; });

}  // namespace
}  // namespace hilo::sdy
