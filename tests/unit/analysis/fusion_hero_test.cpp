#include "core/analysis/fusion_hero.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::string heroOf(const std::string& body) {
  const auto module =
      std::move(parseModule("HloModule m\n%sum (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
                            "  %b = f32[] parameter(1)\n  ROOT %s = f32[] add(%a, %b)\n}\n"
                            "ENTRY %main (p: f32[4,8]) -> f32[8] {\n  %p = f32[4,8] parameter(0)\n" +
                            body + "}\n")
                    .module);
  return std::string(fusionHero(*module->entry())->name());
}

TEST(FusionHero, theHeavyOneNearestToTheRoot) {
  EXPECT_EQ(heroOf("  %t = f32[8,4] transpose(%p), dimensions={1,0}\n  %z = f32[] constant(0)\n"
                   "  %red = f32[8] reduce(%t, %z), dimensions={1}, to_apply=%sum\n"
                   "  ROOT %n = f32[8] negate(%red)\n"),
            "red");
}

TEST(FusionHero, withoutAHeavyOneTheRoot) {
  EXPECT_EQ(heroOf("  %n = f32[4,8] negate(%p)\n  ROOT %m = f32[4,8] abs(%n)\n"), "m");
  EXPECT_EQ(heroOf("  %n = f32[4,8] negate(%p)\n  ROOT %t = (f32[4,8], f32[4,8]) tuple(%n, %p)\n"), "n");
}

}  // namespace
}  // namespace hilo
