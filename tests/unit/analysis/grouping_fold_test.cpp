#include "core/analysis/grouping/grouping_fold.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

TEST(GroupingFold, whatOnlyFeedsItsUsersIsFolded) {
  const auto module = std::move(parseModule(R"(HloModule m
ENTRY %main (t: (f32[4], f32[4])) -> (f32[4], f32[4]) {
  %t = (f32[4], f32[4]) parameter(0)
  %element = f32[4] get-tuple-element(%t), index=1
  %dead = f32[4] get-tuple-element(%t), index=0
  %half = f32[] constant(0.5)
  %spread = f32[4] broadcast(%half), dimensions={}
  %whole = s32[] convert(%half)
  %many = s32[4] broadcast(%whole), dimensions={}
  %list = f32[4] constant({1, 2, 3, 4})
  %large = f32[64,64] constant({...})
  %row = f32[4] slice(%large), slice={[0:1], [0:4]}
  %copied = f32[4] copy(%list)
  %after = f32[4] get-tuple-element(%t), index=0, control-predecessors={%row}
  %sum = f32[4] add(%element, %spread)
  %back = f32[4] convert(%many)
  %product = f32[4] multiply(%list, %back)
  %last = f32[4] maximum(%copied, %after)
  ROOT %r = (f32[4], f32[4], f32[4]) tuple(%sum, %product, %last)
})")
                                    .module);
  auto kind = [&](const char* name) { return foldKind(*module->findInstruction(name)); };
  auto text = [&](const char* name) { return foldedText(*module->findInstruction(name)); };
  EXPECT_EQ(kind("t"), FoldKind::None);
  EXPECT_EQ(kind("element"), FoldKind::TupleElement);
  EXPECT_EQ(kind("dead"), FoldKind::None);
  EXPECT_EQ(kind("after"), FoldKind::None);
  for (const char* value : {"half", "spread", "whole", "many", "list"})
    EXPECT_EQ(kind(value), FoldKind::Value);
  for (const char* box : {"large", "row", "copied", "sum", "product", "r"})
    EXPECT_EQ(kind(box), FoldKind::None) << box;
  EXPECT_EQ(text("element"), "#1");
  EXPECT_EQ(text("half"), "0.5");
  EXPECT_EQ(text("spread"), "0.5");
  EXPECT_EQ(text("many"), "s32(0.5)");
  EXPECT_EQ(text("list"), "f32[4]");
}

}  // namespace
}  // namespace hilo
