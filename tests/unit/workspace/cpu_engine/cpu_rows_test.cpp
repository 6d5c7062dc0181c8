// Modules of several reductions of the same rows against the evaluator, through the passes that make one
// kernel of them and without: what a row keeps from stage to stage, rows of every length, layouts, one
// result a row.
#include "tests/unit/workspace/cpu_engine/expect_evaluated.h"

namespace hilo {
namespace {

// TYPE is an element type, ROWS what stands before the last dimension, N its length; the reduction
// is over it.
struct Rows {
  std::string type, rows, last, dimension, n;
};

// Rows `x`, the greatest of each row taken off, to the power of e, and the sums of those.
constexpr std::string_view kPowers = R"(x = FULL parameter(0)
  low = TYPE[] constant(-inf)
  zero = TYPE[] constant(0)
  top = ROW reduce(x, low), dimensions={LAST}, to_apply=max
  tops = FULL broadcast(top), dimensions={KEPT}
  below = FULL subtract(x, tops)
  power = FULL exponential(below)
  sum = ROW reduce(power, zero), dimensions={LAST}, to_apply=add)";

std::string filledIn(std::string text, const Rows& rows) {
  const auto replace = [&](std::string_view from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace("POWERS", std::string(kPowers));
  replace("FULL", fmt::format("{}[{},{}]", rows.type, rows.rows, rows.n));
  replace("ROW", fmt::format("{}[{}]", rows.type, rows.rows));
  replace("LAST", rows.last);
  replace("KEPT", rows.dimension);
  replace("TYPE", rows.type);
  replace("[N]", fmt::format("[{}]", rows.n));
  return text;
}

constexpr std::string_view kComputations = R"(
add { a = TYPE[] parameter(0)
  b = TYPE[] parameter(1)
  ROOT s = TYPE[] add(a, b) }
max { a = TYPE[] parameter(0)
  b = TYPE[] parameter(1)
  ROOT s = TYPE[] maximum(a, b) }
)";

constexpr std::string_view kBodies[] = {
    // softmax
    R"(ENTRY e { POWERS
  sums = FULL broadcast(sum), dimensions={KEPT}
  ROOT y = FULL divide(power, sums) })",
    // log of the sum of powers: one number a row
    R"(ENTRY e { POWERS
  log = ROW log(sum)
  ROOT y = ROW add(log, top) })",
    // cross entropy against weights of every class
    R"(ENTRY e { labels = FULL parameter(1)
  POWERS
  log = ROW log(sum)
  logs = FULL broadcast(log), dimensions={KEPT}
  likely = FULL subtract(below, logs)
  weighted = FULL multiply(labels, likely)
  loss = ROW reduce(weighted, zero), dimensions={LAST}, to_apply=add
  ROOT y = ROW negate(loss) })",
    // a normalisation by mean and mean of squares of something costly, with a scale
    R"(ENTRY e { x = FULL parameter(0)
  t = FULL tanh(x)
  zero = TYPE[] constant(0)
  part = TYPE[] constant(0.01)
  parts = ROW broadcast(part), dimensions={}
  sum = ROW reduce(t, zero), dimensions={LAST}, to_apply=add
  mean = ROW multiply(sum, parts)
  squares = FULL multiply(t, t)
  square = ROW reduce(squares, zero), dimensions={LAST}, to_apply=add
  of = ROW multiply(square, parts)
  meanSquare = ROW multiply(mean, mean)
  variance = ROW subtract(of, meanSquare)
  one = TYPE[] constant(1)
  ones = ROW broadcast(one), dimensions={}
  safe = ROW add(variance, ones)
  inverse = ROW rsqrt(safe)
  means = FULL broadcast(mean), dimensions={KEPT}
  inverses = FULL broadcast(inverse), dimensions={KEPT}
  centred = FULL subtract(t, means)
  ROOT y = FULL multiply(centred, inverses) })",
    // a normalisation with a scale; two rows at once where their number is even
    R"(ENTRY e { x = FULL parameter(0)
  scale = TYPE[N] parameter(1)
  zero = TYPE[] constant(0)
  part = TYPE[] constant(0.01)
  parts = ROW broadcast(part), dimensions={}
  sum = ROW reduce(x, zero), dimensions={LAST}, to_apply=add
  mean = ROW multiply(sum, parts)
  means = FULL broadcast(mean), dimensions={KEPT}
  centred = FULL subtract(x, means)
  squares = FULL multiply(centred, centred)
  square = ROW reduce(squares, zero), dimensions={LAST}, to_apply=add
  variance = ROW multiply(square, parts)
  one = TYPE[] constant(1)
  ones = ROW broadcast(one), dimensions={}
  safe = ROW add(variance, ones)
  inverse = ROW rsqrt(safe)
  inverses = FULL broadcast(inverse), dimensions={KEPT}
  normal = FULL multiply(centred, inverses)
  scales = FULL broadcast(scale), dimensions={LAST}
  ROOT y = FULL multiply(normal, scales) })",
};

TEST(CpuRows, StagesOfARowGiveWhatTheEvaluatorGives) {
  for (const std::string_view body : kBodies) {
    for (const Rows& rows : {Rows{"f32", "5", "1", "0", "100"}, Rows{"f32", "3", "1", "0", "7"},
                             Rows{"f32", "2,3", "2", "0,1", "1025"}, Rows{"f32", "12", "1", "0", "1030"},
                             Rows{"f64", "4", "1", "0", "65"}, Rows{"bf16", "4", "1", "0", "130"},
                             Rows{"f16", "3", "1", "0", "40"}, Rows{"bf16", "40", "1", "0", "200"}}) {
      expectEvaluated(filledIn(std::string(kComputations) + std::string(body), rows));
    }
  }
}

// A NaN at each place of a line, and a last row without one; what is folded is kept for the rows' result too.
TEST(CpuRows, TheGreatestOfARowWithANan) {
  for (const char* type : {"f32", "f64", "bf16"}) {
    for (const char* opcode : {"maximum", "minimum"}) {
      const std::string extreme = fmt::format(
          "fold {{ a = {0}[] parameter(0)\n b = {0}[] parameter(1)\n ROOT s = {0}[] {1}(a, b) }}\n", type,
          opcode);
      expectEvaluated(extreme + fmt::format(R"(ENTRY e {{
  given = {0}[151,150] parameter(0)
  row = s32[151,150] iota(), iota_dimension=0
  column = s32[151,150] iota(), iota_dimension=1
  isThere = pred[151,150] compare(row, column), direction=EQ
  nan = {0}[] constant(nan)
  nans = {0}[151,150] broadcast(nan), dimensions={{}}
  some = {0}[151,150] select(isThere, nans, given)
  x = {0}[151,150] exponential(some)
  start = {0}[] constant(1)
  top = {0}[151] reduce(x, start), dimensions={{1}}, to_apply=fold
  tops = {0}[151,150] broadcast(top), dimensions={{0}}
  ROOT y = {0}[151,150] subtract(x, tops) }})",
                                            type));
    }
  }
}

// Lines that lie one after the other are folded side by side; those that are left over, one by one.
TEST(CpuRows, TheGreatestOfManyLinesWithANan) {
  for (const char* type : {"f32", "f64"}) {
    for (const int length : {150, 1030}) {
      expectEvaluated(fmt::format(R"(fold {{ a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT s = {0}[] maximum(a, b) }}
ENTRY e {{
  given = {0}[301,{1}] parameter(0)
  line = s32[301,{1}] iota(), iota_dimension=0
  column = s32[301,{1}] iota(), iota_dimension=1
  isThere = pred[301,{1}] compare(line, column), direction=EQ
  nan = {0}[] constant(nan)
  nans = {0}[301,{1}] broadcast(nan), dimensions={{}}
  x = {0}[301,{1}] select(isThere, nans, given)
  start = {0}[] constant(-inf)
  ROOT y = {0}[301] reduce(x, start), dimensions={{1}}, to_apply=fold }})",
                                  type, length));
    }
  }
}

}  // namespace
}  // namespace hilo
