// Windows of all elements up to a place, or from it on, against the evaluator: every dimension and side, rows
// of columns that end anywhere, several results, other windows beside them.
#include "tests/unit/workspace/cpu_engine/expect_evaluated.h"

namespace hilo {
namespace {

void expectWindow(std::string_view type, std::string_view operation, std::string_view sizes,
                  std::string_view window) {
  expectEvaluated(fmt::format(R"(fold {{ a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT s = {0}[] {1}(a, b) }}
ENTRY e {{ x = {0}{2} parameter(0)
  start = {0}[] parameter(1)
  n = {0}{2} negate(x)
  r = {0}{2} reduce-window(n, start), window={{{3}}}, to_apply=fold
  ROOT y = {0}{2} negate(r) }})",
                              type, operation, sizes, window));
}

TEST(CpuCumulative, EveryDimensionAndSide) {
  for (const char* type : {"f32", "f64", "bf16", "s32"}) {
    for (const char* operation : {"add", "maximum", "multiply"}) {
      expectWindow(type, operation, "[4,9]", "size=1x9 pad=0_0x8_0");
      expectWindow(type, operation, "[4,9]", "size=1x9 pad=0_0x0_8");
      expectWindow(type, operation, "[9,3]", "size=9x1 pad=8_0x0_0");
      expectWindow(type, operation, "[9,3]", "size=9x1 pad=0_8x0_0");
    }
  }
  expectWindow("f32", "add", "[5,7,130]{2,0,1}", "size=1x7x1 pad=0_0x6_0x0_0");
  expectWindow("f32", "subtract", "[5,70]{0,1}", "size=1x70 pad=0_0x69_0");
  expectWindow("f32", "subtract", "[5,7]", "size=1x7 pad=0_0x0_6");
  expectWindow("c64", "add", "[6,5]", "size=6x1 pad=5_0x0_0");
  expectWindow("f32", "add", "[6]", "size=6 pad=5_0");
  expectWindow("f32", "add", "[6]", "size=8 pad=7_0");
  // No window of all elements up to a place.
  expectWindow("f32", "add", "[6]", "size=5 pad=4_0");
  expectWindow("f32", "add", "[6,4]", "size=6x2 pad=5_0x1_0");
}

TEST(CpuCumulative, SeveralResults) {
  expectEvaluated(R"(best { a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  first = pred[] compare(a, b), direction=GE
  v = f32[] select(first, a, b)
  k = s32[] select(first, i, j)
  ROOT t = (f32[], s32[]) tuple(v, k) }
ENTRY e { x = f32[5,40] parameter(0)
  places = s32[5,40] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT r = (f32[5,40], s32[5,40]) reduce-window(x, places, low, zero), window={size=1x40 pad=0_0x39_0}, to_apply=best })");
}

}  // namespace
}  // namespace hilo
