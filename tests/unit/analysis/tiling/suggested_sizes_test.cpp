// Sizes to start from, and legal ones near to refused ones.
#include "core/analysis/tiling/suggested_sizes.h"

#include <gtest/gtest.h>

#include "core/hlo/ir/module.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

using Sizes = std::vector<int64_t>;

std::optional<Sizes> suggested(const std::string& body, const Sizes& refused = {}) {
  const auto module = moduleWithReducers(body);
  const auto space = tilingSpace(*module->entry()->root());
  if (!space) return std::nullopt;
  return refused.empty() ? usualSizes(*space) : nearestLegal(*space, refused);
}

TEST(SuggestedSizes, OfTheUsualKinds) {
  EXPECT_EQ(sizeChoices(6), (Sizes{1, 2, 4, 6}));
  EXPECT_EQ(sizeChoices(1), (Sizes{1}));
  EXPECT_EQ(suggested("p = f32[3,100,200] parameter(0)\nROOT n = f32[3,100,200] negate(p)"),
            (Sizes{1, 16, 64}));
  EXPECT_EQ(suggested("a = f32[64,40] parameter(0)\nb = f32[40,8] parameter(1)\n"
                      "ROOT r = f32[64,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
            (Sizes{16, 8, 32}));
  EXPECT_EQ(suggested("p = f32[10,24] parameter(0)\nROOT r = f32[240] reshape(p)"), (Sizes{240}));
}

TEST(SuggestedSizes, ChangeAsLittleAsTheyCan) {
  const std::string reshape = "p = f32[10,24] parameter(0)\nROOT r = f32[240] reshape(p)";
  EXPECT_EQ(suggested(reshape, {24}), (Sizes{24}));
  EXPECT_EQ(suggested(reshape, {10}), (Sizes{8}));
  const std::string two = "p = f32[10,24,6] parameter(0)\nROOT r = f32[240,6] reshape(p)";
  EXPECT_EQ(suggested(two, {5, 3}), (Sizes{4, 3}));
}

}  // namespace
}  // namespace hilo
