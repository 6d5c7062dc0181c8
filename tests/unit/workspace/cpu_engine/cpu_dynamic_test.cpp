// Arrays with fewer elements than their bounds, as arguments: what is real in a result is what the same
// module of just the real sizes gives, in both engines. Padding is NaN or far away, so that reading it shows.
#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "core/hlo/verify/infer_shape.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

struct Case {
  const char *name, *entry;
};

// $N is a dimension of up to five, $2N and $3N of two and three times as many, in both of the modules.
constexpr Case kCases[] = {
    {"Elementwise", R"(x = f32[$N,3] parameter(0)
  y = f32[$N,3] parameter(1)
  ROOT r = multiply(x, y))"},
    {"Sizes", R"(x = f32[$N,3] parameter(0)
  n = get-dimension-size(x), dimensions={0}
  t = transpose(x), dimensions={1,0}
  b = f32[2,$N,3] broadcast(x), dimensions={1,2}
  z = f32[] constant(0)
  s = reduce(x, z), dimensions={1}, to_apply=sum
  all = reduce(b, z), dimensions={0,1}, to_apply=sum
  ROOT r = tuple(n, t, b, s, all))"},
    {"Loop", R"(x = s32[$N] parameter(0)
  z = s32[] constant(0)
  s = (s32[], s32[$N]) tuple(z, x)
  w = while(s), condition=below, body=step
  ROOT r = get-tuple-element(w), index=1)"},
    {"DotSummed", R"(x = f32[3,$N] parameter(0)
  y = f32[$N,4] parameter(1)
  ROOT r = dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"DotFreeAndBatch", R"(x = f32[$N,4,2] parameter(0)
  y = f32[$N,2,$N] parameter(1)
  ROOT r = dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1})"},
    {"Convolution", R"(x = f32[2,$N,3] parameter(0)
  k = f32[2,3,4] parameter(1)
  ROOT r = convolution(x, k), window={size=2 stride=2 pad=1_2 lhs_dilate=2}, dim_labels=b0f_0io->b0f)"},
    {"ConvolutionOfFeatures", R"(x = f32[$N,4,$N] parameter(0)
  k = f32[3,$N,2] parameter(1)
  ROOT r = convolution(x, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f)"},
    {"WindowSums", R"(x = f32[$N,3] parameter(0)
  one = f32[] constant(1)
  ROOT r = reduce-window(x, one), window={size=3x1 stride=2x1 pad=2_1x0_0}, to_apply=sum)"},
    {"WindowExtrema", R"(x = s32[3,$N] parameter(0)
  low = s32[] constant(-5)
  ROOT r = reduce-window(x, low), window={size=1x3 rhs_dilate=1x2 pad=0_0x4_0}, to_apply=greatest)"},
    {"Sort", R"(x = f32[2,$N] parameter(0)
  ROOT r = sort(x), dimensions={1}, to_apply=ascending)"},
    {"SortPairs", R"(x = s32[$N,2] parameter(0)
  y = f32[$N,2] parameter(1)
  ROOT r = sort(x, y), dimensions={0}, is_stable=true, to_apply=descending_keys)"},
    {"SortAcross", R"(x = f32[$N,4] parameter(0)
  ROOT r = sort(x), dimensions={1}, to_apply=ascending)"},
    {"Concatenate", R"(x = f32[$N,2] parameter(0)
  y = f32[$N,2] parameter(1)
  z = f32[$N,2] parameter(2)
  ROOT r = concatenate(x, y, z), dimensions={0})"},
    {"ConcatenateAcross", R"(x = f32[$N,2] parameter(0)
  y = f32[$N,3] parameter(1)
  ROOT r = concatenate(x, y), dimensions={1})"},
    {"Slice", R"(x = f32[$N,5] parameter(0)
  ROOT r = slice(x), slice={[0:$N], [1:5:2]})"},
    {"Pad", R"(x = f32[$N,2] parameter(0)
  v = f32[] constant(7)
  ROOT r = pad(x, v), padding=2_3_1x0_1)"},
    {"PadLess", R"(x = s32[$N] parameter(0)
  v = s32[] constant(7)
  ROOT r = pad(x, v), padding=1_-1)"},
    {"Reverse", R"(x = f32[$N,3] parameter(0)
  ROOT r = reverse(x), dimensions={0,1})"},
    {"ReshapeToOne", R"(x = f32[$N,2] parameter(0)
  ROOT r = f32[$2N] reshape(x))"},
    {"ReshapeInner", R"(x = f32[2,$N,6] parameter(0)
  ROOT r = f32[2,$3N,2] reshape(x))"},
    {"ReshapeOthers", R"(x = f32[$N,2,3] parameter(0)
  ROOT r = f32[$N,6] reshape(x))"},
    {"DynamicSlice", R"(x = f32[$N,6] parameter(0)
  i = s32[] constant(3)
  j = s32[] constant(9)
  ROOT r = dynamic-slice(x, i, j), dynamic_slice_sizes={1,4})"},
    {"DynamicUpdateSlice", R"(x = f32[$N,6] parameter(0)
  y = f32[1,4] parameter(1)
  i = s32[] constant(4)
  j = s32[] constant(1)
  ROOT r = dynamic-update-slice(x, y, i, j))"},
    {"GatherRows", R"(x = f32[7,3] parameter(0)
  i = s32[$N,2] parameter(1)
  ROOT r = gather(x, i), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,3})"},
    {"GatherOfWholes", R"(x = f32[7,$N] parameter(0)
  i = s32[4] parameter(1)
  ROOT r = gather(x, i), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,$N})"},
    {"ScatterRows", R"(x = f32[9,3] parameter(0)
  i = s32[$N,1] parameter(1)
  u = f32[$N,3] parameter(2)
  ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum)"},
    {"ScatterIntoFewer", R"(x = f32[$N] parameter(0)
  i = u32[4] parameter(1)
  u = f32[4] parameter(2)
  ROOT r = scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum)"},
    {"Map", R"(x = f32[$N] parameter(0)
  y = f32[$N] parameter(1)
  ROOT r = map(x, y), dimensions={0}, to_apply=sum)"},
    {"Solve", R"(a = f32[$N,2,2] parameter(0)
  b = f32[$N,2,3] parameter(1)
  ROOT r = triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE)"},
    {"Fourier", R"(x = f32[$N,4] parameter(0)
  ROOT r = c64[$N,3] fft(x), fft_type=RFFT, fft_length={4})"},
    {"SelectAndScatter", R"(x = f32[$N,4] parameter(0)
  y = f32[$N,2] parameter(1)
  z = f32[] constant(1)
  ROOT r = f32[$N,4] select-and-scatter(x, y, z), window={size=3x2 stride=1x2 pad=1_1x0_0}, select=at_least, scatter=sum)"},
    {"SelectLeastAndScatter", R"(x = s32[2,$N] parameter(0)
  y = s32[2,$N] parameter(1)
  z = s32[] constant(0)
  ROOT r = s32[2,$N] select-and-scatter(x, y, z), window={size=1x2 pad=0_0x0_1}, select=at_most, scatter=sum_of_integers)"},
    {"TopOfLines", R"(x = f32[$N,6] parameter(0)
  ROOT r = (f32[$N,2], s32[$N,2]) topk(x), k=2, largest=true)"},
    {"NormTraining", R"(x = f32[$N,3,2] parameter(0)
  s = f32[3] parameter(1)
  o = f32[3] parameter(2)
  ROOT r = (f32[$N,3,2], f32[3], f32[3]) batch-norm-training(x, s, o), epsilon=0.25, feature_index=1)"},
    {"NormOfFeatures", R"(x = f32[4,$N] parameter(0)
  s = f32[$N] parameter(1)
  o = f32[$N] parameter(2)
  ROOT r = (f32[4,$N], f32[$N], f32[$N]) batch-norm-training(x, s, o), epsilon=1, feature_index=1)"},
    {"NormInference", R"(x = f32[$N,3] parameter(0)
  s = f32[3] parameter(1)
  o = f32[3] parameter(2)
  m = f32[3] parameter(3)
  v = f32[3] constant({1, 2, 4})
  ROOT r = f32[$N,3] batch-norm-inference(x, s, o, m, v), epsilon=0, feature_index=1)"},
    {"NormGradient", R"(x = f32[$N,2,$N] parameter(0)
  s = f32[2] parameter(1)
  m = f32[2] parameter(2)
  v = f32[2] constant({1, 3})
  g = f32[$N,2,$N] parameter(3)
  ROOT r = (f32[$N,2,$N], f32[2], f32[2]) batch-norm-grad(x, s, m, v, g), epsilon=1, feature_index=1)"},
    {"AllReduce", R"(x = f32[$N] parameter(0)
  y = s32[2,$N] parameter(1)
  a = f32[$N] all-reduce(x), replica_groups={}, to_apply=sum
  b = s32[2,$N] all-reduce(y), replica_groups={}, to_apply=sum_of_integers
  ROOT r = tuple(a, b))"},
    {"OneAfterTheOther", R"(x = f32[$N,3] parameter(0)
  k = f32[3,3] parameter(1)
  y = dot(x, k), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = sort(y), dimensions={0}, to_apply=ascending
  v = reverse(s), dimensions={0}
  c = concatenate(x, v), dimensions={0}
  m = multiply(c, c)
  ROOT r = dot(m, c), lhs_contracting_dims={0}, rhs_contracting_dims={0})"},
};

constexpr const char* kComputations = R"(HloModule m
sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = add(a, b) }
sum_of_integers { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = add(a, b) }
at_least { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = compare(a, b), direction=GE }
at_most { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = compare(a, b), direction=LE }
greatest { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = maximum(a, b) }
ascending { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = compare(a, b), direction=LT }
descending_keys { a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ROOT r = compare(a, b), direction=GT }
below { p = (s32[], s32[$N]) parameter(0)
  i = get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT r = compare(i, n), direction=LT }
step { p = (s32[], s32[$N]) parameter(0)
  i = get-tuple-element(p), index=0
  x = get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = add(i, one)
  y = add(x, x)
  ROOT r = tuple(j, y) }
)";

constexpr int64_t kBound = 5;

std::shared_ptr<const Module> moduleOf(const Case& tested, std::optional<int64_t> size) {
  std::string text = std::string(kComputations) + "ENTRY e { " + tested.entry + " }";
  // In a list of ranges a dimension is a number.
  text = absl::StrReplaceAll(text, {{"[0:$N]", fmt::format("[0:{}]", size.value_or(kBound))},
                                    {"{1,$N}", fmt::format("{{1,{}}}", size.value_or(kBound))}});
  const auto dimension = [&](int64_t times) {
    return size ? fmt::format("{}", times * *size) : fmt::format("<={}", times * kBound);
  };
  text = absl::StrReplaceAll(text, {{"$N", dimension(1)}, {"$2N", dimension(2)}, {"$3N", dimension(3)}});
  auto parsed = parseModuleStrictly(text, {.inferShape = inferShape});
  EXPECT_TRUE(parsed.has_value()) << toString(parsed.error()) << text;
  return parsed ? std::shared_ptr<const Module>(*std::move(parsed)) : nullptr;
}

// Calls body(row-major place in `shape`, row-major place among `sizes`) for each of those.
template <typename F>
void forEachReal(Shape shape, std::span<const int64_t> sizes, F&& body) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, place = 0, stride = 1;
    for (size_t d = shape.rank(); d-- > 0;) {
      place += rest % sizes[d] * stride;
      rest /= sizes[d];
      stride *= shape.dimension(d);
    }
    body(place, i);
  }
}

void setElement(Literal& literal, int64_t at, double value) {
  switch (literal.shape().elementType()) {
    case ElementType::F32:
      literal.mutableData<float>()[static_cast<size_t>(at)] = static_cast<float>(value);
      return;
    case ElementType::U32:
      literal.mutableData<uint32_t>()[static_cast<size_t>(at)] =
          std::isnan(value) ? 77 : static_cast<uint32_t>(std::abs(value));
      return;
    default:
      literal.mutableData<int32_t>()[static_cast<size_t>(at)] =
          std::isnan(value) ? 1 << 20 : static_cast<int32_t>(value);
  }
}

// Numbers from -4 to 4, the same in both forms of an argument.
Literal argumentOf(Shape shape, int64_t size, int64_t seed) {
  Literal literal(shape.withoutLayout());
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (shape.isDynamicDimension(d)) sizes[d] = size;
  }
  for (int64_t i = 0; i < shape.elementCount(); ++i) setElement(literal, i, std::nan(""));
  forEachReal(shape, sizes, [&](int64_t place, int64_t i) {
    setElement(literal, place, static_cast<double>((i * 7 + seed * 5 + 3) % 9 - 4));
  });
  if (shape.isDynamic()) literal.setDynamicSizes(sizes);
  return literal;
}

std::vector<Literal> argumentsOf(const Module& module, int64_t size) {
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module.entry()->parameters())
    arguments.push_back(argumentOf(parameter->shape(), size, std::ssize(arguments)));
  return arguments;
}

void expectRealPart(const Literal& got, const Literal& expected) {
  if (expected.isTuple()) {
    ASSERT_EQ(got.elements().size(), expected.elements().size());
    for (size_t i = 0; i < expected.elements().size(); ++i)
      expectRealPart(got.elements()[i], expected.elements()[i]);
    return;
  }
  const auto sizes = expected.shape().dimensions();
  EXPECT_TRUE(
      std::ranges::equal(got.dynamicSizes().empty() ? got.shape().dimensions() : got.dynamicSizes(), sizes))
      << toString(got.shape()) << " of sizes " << fmt::format("{}", fmt::join(got.dynamicSizes(), ","))
      << " for " << toString(expected.shape());
  const auto width = static_cast<size_t>(elementStorageBytes(expected.shape().elementType()));
  forEachReal(got.shape(), sizes, [&](int64_t place, int64_t i) {
    EXPECT_EQ(std::memcmp(got.bytes().data() + static_cast<size_t>(place) * width,
                          expected.bytes().data() + static_cast<size_t>(i) * width, width),
              0)
        << "element " << i;
  });
}

class CpuDynamic : public testing::TestWithParam<Case> {};

TEST_P(CpuDynamic, IsAsOfArraysOfTheRealSizes) {
  const auto dynamic = moduleOf(GetParam(), std::nullopt);
  for (const int64_t size : {1, 3, 5}) {
    SCOPED_TRACE(size);
    const auto plain = moduleOf(GetParam(), size);
    ASSERT_TRUE(plain != nullptr && dynamic != nullptr);
    const auto expected = evaluate(*plain, argumentsOf(*plain, size));
    ASSERT_TRUE(expected.has_value()) << toString(expected.error());
    const auto arguments = argumentsOf(*dynamic, size);
    const auto evaluated = evaluate(*dynamic, arguments);
    ASSERT_TRUE(evaluated.has_value()) << toString(evaluated.error());
    expectRealPart(*evaluated, *expected);
    for (const bool passes : {false, true}) {
      SCOPED_TRACE(passes ? "with passes" : "without");
      const auto got = runOnCpu(dynamic, arguments, {.usesCache = false, .runsPasses = passes});
      ASSERT_TRUE(got.has_value()) << toString(got.error());
      expectRealPart(*got, *expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, CpuDynamic, testing::ValuesIn(kCases),
                         [](const auto& tested) { return tested.param.name; });

// A constant that comes with sizes of its own, and arguments that do not fit.
TEST(CpuDynamicArguments, SizesMustFit) {
  auto parsed = parseModuleStrictly(
      "HloModule m\nENTRY e { x = f32[<=4,2] parameter(0)\n  ROOT r = f32[<=4,2] negate(x) }");
  ASSERT_TRUE(parsed.has_value());
  const std::shared_ptr<const Module> module = *std::move(parsed);
  const Shape shape = module->entry()->parameters()[0]->shape();
  const auto refused = [&](std::vector<int64_t> sizes) {
    Literal argument(shape.withoutLayout());
    argument.setDynamicSizes(std::move(sizes));
    const auto got = runOnCpu(module, std::array{argument});
    return got ? "" : got.error().kind + ": " + got.error().message;
  };
  EXPECT_EQ(refused({3, 2}), "");
  EXPECT_EQ(refused({5, 2}),
            "wrong-argument: dimension 0 of array 0 of the arguments has 5 elements, and its bound is 4");
  EXPECT_EQ(refused({-1, 2}),
            "wrong-argument: dimension 0 of array 0 of the arguments has -1 elements, and its bound is 4");
  EXPECT_EQ(refused({4, 1}),
            "wrong-argument: dimension 1 of array 0 of the arguments has 1 elements, and always has 2");
}

// As many as the fewest; one stands for all.
TEST(CpuDynamicArguments, OperandsOfDifferentSizes) {
  auto parsed = parseModuleStrictly(R"(HloModule m
ENTRY e { p = pred[<=4,<=3] parameter(0)
  x = s32[<=4,<=3] parameter(1)
  y = s32[<=4,3] parameter(2)
  d = s32[<=4,<=3] subtract(x, y)
  ROOT r = s32[<=4,<=3] select(p, d, x) })");
  ASSERT_TRUE(parsed.has_value()) << toString(parsed.error());
  const std::shared_ptr<const Module> module = *std::move(parsed);
  const auto sized = [](std::string_view text, std::vector<int64_t> sizes) {
    Literal literal = *parseLiteral(text);
    literal.setDynamicSizes(std::move(sizes));
    return literal;
  };
  const Literal chooser = sized("pred[4,3] {{1,1,1},{1,1,0},{1,0,1},{1,1,1}}", {4, 2});
  const std::string ten = "s32[4,3] {{10,20,30},{40,50,60},{70,80,90},{1,2,3}}",
                    one = "s32[4,3] {{1,2,3},{4,5,6},{7,8,9},{9,9,9}}";
  const auto expectGiven = [&](const Literal& x, const Literal& y, const Literal& expected) {
    const std::array arguments = {chooser, x, y};
    const auto evaluated = evaluate(*module, arguments);
    ASSERT_TRUE(evaluated.has_value()) << toString(evaluated.error());
    EXPECT_TRUE(agrees(*compareLiterals(*evaluated, expected)));
    for (const bool passes : {false, true}) {
      const auto got = runOnCpu(module, arguments, {.usesCache = false, .runsPasses = passes});
      ASSERT_TRUE(got.has_value()) << toString(got.error());
      EXPECT_TRUE(agrees(*compareLiterals(*got, expected))) << (passes ? "with passes" : "without");
    }
  };
  expectGiven(sized(ten, {3, 3}), sized(one, {2, 3}),
              sized("s32[4,3] {{9,18,0},{36,45,0},{0,0,0},{0,0,0}}", {2, 2}));
  // The row of y is taken from each of x's, of which the chooser has all.
  expectGiven(sized(ten, {3, 2}), sized(one, {1, 3}),
              sized("s32[4,3] {{9,18,0},{39,48,0},{69,80,0},{0,0,0}}", {3, 2}));
}

}  // namespace
}  // namespace hilo
