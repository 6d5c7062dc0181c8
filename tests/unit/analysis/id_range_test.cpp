#include "core/analysis/id_range.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// Arrays over the ids of all computations are together as long as the module, however many there are.
TEST(IdRange, OfAllComputationsIsTheModule) {
  std::string text = "HloModule m\n", entry;
  for (int i = 0; i < 50; ++i) {
    text += fmt::format("c{0} {{\n  p{0} = f32[] parameter(0)\n  ROOT n{0} = f32[] negate(p{0})\n}}\n", i);
    entry += fmt::format("  {1}v{2} = f32[] call(v{0}), to_apply=c{0}\n", i, i == 49 ? "ROOT " : "", i + 1);
  }
  const auto module = parseModuleStrictly(text + "ENTRY e {\n  v0 = f32[] parameter(0)\n" + entry + "}\n");
  ASSERT_TRUE(module) << toString(module.error());
  size_t all = 0;
  for (const Computation* computation : (*module)->computations()) {
    const IdRange ids = idsOf(*computation);
    all += ids.size();
    for (const Instruction* each : computation->instructions()) EXPECT_TRUE(ids.contains(each->id().value));
    EXPECT_FALSE(ids.contains(ids.limit));
  }
  EXPECT_EQ(all, (*module)->idLimit());
}

TEST(IdRange, OfNothingIsEmpty) {
  IdRange ids;
  EXPECT_EQ(ids.size(), 0u);
  EXPECT_FALSE(ids.contains(0));
  ids.include(7);
  ids.include(5);
  EXPECT_EQ(ids.first, 5u);
  EXPECT_EQ(ids.limit, 8u);
}

}  // namespace
}  // namespace hilo
