// Products of every form, by the evaluator and by the cpu engine with its passes: batches, sums and rows in
// any order of dimensions and any order in memory. Elements are small integers, so that every sum is exact.
#include <gtest/gtest.h>

#include <random>

#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

using Sizes = std::vector<int64_t>;

// Three kinds of dimensions, each of up to two.
std::string randomProduct(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  };
  const auto sizes = [&](int64_t most, int64_t largest) {
    Sizes list;
    for (int64_t i = pick(most + 1); i > 0; --i) list.push_back(1 + pick(largest));
    return list;
  };
  const Sizes batch = sizes(2, 4), rows = sizes(2, 24), columns = sizes(2, 24), sum = sizes(2, 24);
  struct Side {
    Sizes shape, batch, sum;
  };
  const auto arrange = [&](const Sizes& free) {
    // (kind, number): the order of the free dimensions among themselves is what the result has.
    std::vector<std::pair<int, size_t>> dims;
    for (size_t i = 0; i < batch.size(); ++i) dims.emplace_back(0, i);
    for (size_t i = 0; i < sum.size(); ++i) dims.emplace_back(1, i);
    for (size_t i = 0; i < free.size(); ++i) dims.emplace_back(2, i);
    if (pick(2) == 0) std::ranges::shuffle(dims, random);
    Side side{{}, Sizes(batch.size()), Sizes(sum.size())};
    size_t next = 0;
    for (const auto& [kind, number] : dims) {
      const auto place = static_cast<int64_t>(side.shape.size());
      if (kind == 0) side.batch[number] = place;
      if (kind == 1) side.sum[number] = place;
      side.shape.push_back(kind == 0 ? batch[number] : kind == 1 ? sum[number] : free[next++]);
    }
    return side;
  };
  const Side lhs = arrange(rows), rhs = arrange(columns);
  Sizes result = batch;
  result.insert(result.end(), rows.begin(), rows.end());
  result.insert(result.end(), columns.begin(), columns.end());
  const auto shape = [&](const Sizes& dims) {
    std::vector<size_t> layout;
    for (size_t i = dims.size(); i-- > 0;) layout.push_back(i);
    if (pick(3) == 0) std::ranges::shuffle(layout, random);
    return fmt::format("[{}]{{{}}}", fmt::join(dims, ","), fmt::join(layout, ","));
  };
  const char* types[] = {"f32", "bf16", "f16", "f64", "s32"};
  const std::string type = types[pick(5)], made = type == "bf16" && pick(2) == 0 ? "f32" : type;
  return fmt::format(
      "HloModule m\nENTRY e {{\n a = f32{0} parameter(0)\n b = f32{1} parameter(1)\n ta = {3}{0} convert(a)\n"
      " tb = {3}{1} convert(b)\n y = {4}{2} dot(ta, tb), lhs_batch_dims={{{5}}}, rhs_batch_dims={{{6}}}, "
      "lhs_contracting_dims={{{7}}}, rhs_contracting_dims={{{8}}}\n ROOT r = f32{2} convert(y)\n}}\n",
      shape(lhs.shape), shape(rhs.shape), shape(result), type, made, fmt::join(lhs.batch, ","),
      fmt::join(rhs.batch, ","), fmt::join(lhs.sum, ","), fmt::join(rhs.sum, ","));
}

struct Outcome {
  Literal expected, got;
  std::vector<ThunkKind> kinds;
};
Outcome runBoth(const std::string& text, float scale) {
  auto parsed = parseModuleStrictly(text);
  EXPECT_TRUE(parsed.has_value()) << text << toString(parsed.error());
  const std::shared_ptr<const Module> module = *std::move(parsed);
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module->entry()->parameters()) {
    Literal& argument = arguments.emplace_back(parameter->shape());
    int64_t next = static_cast<int64_t>(arguments.size());
    for (float& x : argument.mutableData<float>()) x = scale * static_cast<float>((next += 5) % 7 - 3);
  }
  const auto expected = evaluate(*module, arguments);
  EXPECT_TRUE(expected.has_value()) << text;
  auto compiled = compileProgram(module, {.usesCache = false, .quick = true}, {});
  EXPECT_TRUE(compiled.has_value()) << text << toString(compiled.error());
  std::vector<ThunkKind> kinds;
  for (const Thunk& thunk : compiled->program.sequences[0]) kinds.push_back(thunk.kind());
  const auto executor = Executor::make(std::make_shared<const Program>(std::move(compiled->program)));
  const auto got = (*executor)->run(arguments);
  EXPECT_TRUE(got.has_value()) << text << toString(got.error());
  return {*expected, *got, kinds};
}

TEST(LibraryDotForms, OfEveryFormGiveTheEvaluatorsBits) {
  int byLibrary = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::string text = randomProduct(seed);
    const Outcome outcome = runBoth(text, 1);
    ASSERT_TRUE(outcome.got == outcome.expected) << text;
    byLibrary += std::ranges::count(outcome.kinds, ThunkKind::Dot) > 0;
  }
  EXPECT_GT(byLibrary, 2) << byLibrary;
}

std::string withRows(std::string text, const std::string& rows) {
  for (size_t at = text.find("ROWS"); at != std::string::npos; at = text.find("ROWS"))
    text.replace(at, 4, rows);
  return text;
}

constexpr std::string_view kSoftmax = R"(
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  top = f32[2,ROWS] reduce(x, low), dimensions={2}, to_apply=max
  tops = f32[2,ROWS,250] broadcast(top), dimensions={0,1}
  below = f32[2,ROWS,250] subtract(x, tops)
  power = f32[2,ROWS,250] exponential(below)
  sum = f32[2,ROWS] reduce(power, zero), dimensions={2}, to_apply=add
  sums = f32[2,ROWS,250] broadcast(sum), dimensions={0,1}
  w = f32[2,ROWS,250] divide(power, sums))";
// Its kernel takes two rows at once.
constexpr std::string_view kNormalised = R"(
  zero = f32[] constant(0)
  square = f32[2,ROWS,250] multiply(x, x)
  sum = f32[2,ROWS] reduce(square, zero), dimensions={2}, to_apply=add
  part = f32[2,ROWS] rsqrt(sum)
  parts = f32[2,ROWS,250] broadcast(part), dimensions={0,1}
  w = f32[2,ROWS,250] multiply(x, parts))";

// An attention's scores, a normalisation and something elementwise between two products. Of many rows the
// right sides are brought into the library's order.
TEST(LibraryDotForms, WithRowsBetweenGoAFewRowsAtATime) {
  for (const std::string_view between :
       {kSoftmax, kNormalised, std::string_view("\n  w = f32[2,ROWS,250] tanh(x)")}) {
    const std::string text = R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  q = f32[ROWS,2,40] parameter(0)
  k = f32[2,250,40] parameter(1)
  v = f32[2,250,36] parameter(2)
  mask = f32[ROWS,250] parameter(3)
  raw = f32[2,ROWS,250] dot(q, k), lhs_batch_dims={1}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  masks = f32[2,ROWS,250] broadcast(mask), dimensions={1,2}
  x = f32[2,ROWS,250] add(raw, masks))" +
                             std::string(between) + R"(
  ROOT y = f32[2,ROWS,36] dot(w, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
})";
    for (const char* rows : {"270", "271", "3210"}) {
      const Outcome outcome = runBoth(withRows(text, rows), 0.125F);
      EXPECT_EQ(outcome.kinds, std::vector{ThunkKind::RowBlocks}) << between;
      const auto differences = compareLiterals(outcome.got, outcome.expected, {1e-5, 1e-5});
      ASSERT_TRUE(differences.has_value());
      EXPECT_TRUE(agrees(*differences)) << differences->front().firstMismatchText;
    }
  }
}

}  // namespace
}  // namespace hilo
