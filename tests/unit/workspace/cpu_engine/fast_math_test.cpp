// XLA's fast-math debug options as flags of the engine: what LLVM IR carries, what becomes of NaNs and of the
// order of sums, and that without them nothing of it happens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/compiler/codegen/cpu/cpu_codegen.h"
#include "core/compiler/codegen/cpu/cpu_target.h"
#include "core/hlo/text/parse.h"
#include "core/workspace/run/runs.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

constexpr const char* kMultiplyAdd = R"(HloModule m
ENTRY e {
  a = f32[64] parameter(0)
  b = f32[64] parameter(1)
  q = f32[64] divide(a, b)
  p = f32[64] multiply(a, q)
  ROOT s = f32[64] add(p, b)
}
)";

std::shared_ptr<const Module> parsed(const std::string& text) {
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  return *std::move(module);
}

std::string irOf(const FastMath& fastMath) {
  const auto target = processorTarget("haswell");
  const auto compiled =
      compileModule(*parsed(kMultiplyAdd), cpuCodegen(), {.target = *target, .fastMath = fastMath});
  EXPECT_TRUE(compiled.has_value());
  std::string text;
  for (const std::string& source : compiled->kernelSources)
    text += listKernel(source, cpuCodegen(), *target)->before.text;
  return text;
}

// Of two arrays of four floats.
std::vector<float> resultOf(const char* operation, const std::vector<float>& a, const std::vector<float>& b,
                            const FastMath& fastMath) {
  const auto module = parsed(fmt::format(
      "HloModule m\nENTRY e {{\n  a = f32[4] parameter(0)\n  b = f32[4] parameter(1)\n  ROOT r = {} \n}}\n",
      operation));
  std::vector<Literal> arguments;
  for (const auto* values : {&a, &b}) {
    Literal& literal = arguments.emplace_back(Shape::array(ElementType::F32, {4}));
    std::ranges::copy(*values, literal.mutableData<float>().begin());
  }
  const auto result =
      runOnCpu(module, arguments, {.usesCache = false, .runsPasses = false, .fastMath = fastMath});
  EXPECT_TRUE(result.has_value()) << toString(result.error());
  const auto data = result->data<float>();
  return {data.begin(), data.end()};
}

TEST(FastMathTest, irCarriesEachFlag) {
  const std::string exact = irOf({});
  EXPECT_THAT(exact, HasSubstr("fdiv float"));
  EXPECT_THAT(exact, HasSubstr("fadd float"));
  // As XLA with its other options at their defaults.
  EXPECT_THAT(irOf({.isOn = true}), HasSubstr("fdiv reassoc nsz contract float"));
  EXPECT_THAT(irOf({.isOn = true, .ignoresNans = true}), HasSubstr("fdiv reassoc nnan nsz contract float"));
  EXPECT_THAT(irOf({.isOn = true, .ignoresInfs = true}), HasSubstr("fdiv reassoc ninf nsz contract float"));
  EXPECT_THAT(irOf({.isOn = true, .ignoresDivision = true}),
              HasSubstr("fdiv reassoc nsz arcp contract float"));
  EXPECT_THAT(irOf({.isOn = true, .ignoresFunctions = true}),
              HasSubstr("fdiv reassoc nsz contract afn float"));
  const FastMath all{.isOn = true,
                     .ignoresNans = true,
                     .ignoresInfs = true,
                     .ignoresDivision = true,
                     .ignoresFunctions = true};
  EXPECT_THAT(irOf(all), HasSubstr("fdiv fast float"));
  EXPECT_EQ(irOf({.ignoresNans = true, .ignoresInfs = true}), exact) << "nothing without fast math itself";
}

// A product and a sum are rounded once: of (1 + 2^-12)^2 - (1 + 2^-11) the exact 2^-24 is left, which
// rounding the product first takes away.
TEST(FastMathTest, productsFuseWithSums) {
  const float x = 1 + std::ldexp(1.0f, -12), y = -(1 + std::ldexp(1.0f, -11));
  const auto result = [&](const FastMath& fastMath) {
    const auto made = parsed(R"(HloModule m
f { x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  p = f32[4] multiply(x, x)
  ROOT s = f32[4] add(p, y) }
ENTRY e { a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  ROOT r = f32[4] fusion(a, b), kind=kLoop, calls=f }
)");
    std::vector<Literal> arguments;
    for (int i = 0; i < 2; ++i) arguments.emplace_back(Shape::array(ElementType::F32, {4}));
    std::ranges::fill(arguments[0].mutableData<float>(), x);
    std::ranges::fill(arguments[1].mutableData<float>(), y);
    const auto run =
        runOnCpu(made, arguments, {.usesCache = false, .runsPasses = false, .fastMath = fastMath});
    EXPECT_TRUE(run.has_value()) << toString(run.error());
    return run->data<float>()[0];
  };
  EXPECT_EQ(result({}), 0.0f);
  const auto target = processorTarget();
  if (std::ranges::find(target->features, "fma") != target->features.end())
    EXPECT_EQ(result({.isOn = true}), std::ldexp(1.0f, -24));
}

TEST(FastMathTest, minimumAndMaximumOfNans) {
  const std::vector<float> a = {1, kNan, kNan, 3}, b = {kNan, 1, kNan, 2};
  for (const char* operation : {"f32[4] maximum(a, b)", "f32[4] minimum(a, b)"}) {
    SCOPED_TRACE(operation);
    for (const FastMath& fastMath : {FastMath{}, FastMath{.isOn = true}}) {
      const auto exact = resultOf(operation, a, b, fastMath);
      EXPECT_TRUE(std::isnan(exact[0]) && std::isnan(exact[1]) && std::isnan(exact[2]));
    }
    // A NaN on the left stays, one on the right is passed over.
    const auto fast = resultOf(operation, a, b, {.fastMinMax = true});
    EXPECT_EQ(fast[0], 1);
    EXPECT_TRUE(std::isnan(fast[1]) && std::isnan(fast[2]));
    EXPECT_EQ(fast[3], std::string_view(operation).contains("maximum") ? 3 : 2);
  }
}

// With NaNs honoured they compare as ever; without, the test for one is gone.
TEST(FastMathTest, aValueIsItself) {
  const std::vector<float> a = {1, kNan, 0, kNan};
  const auto isNan = [&](const FastMath& fastMath) {
    const auto module = parsed(
        "HloModule m\nENTRY e {\n  a = f32[4] parameter(0)\n  ROOT r = pred[4] compare(a, a), "
        "direction=NE\n}\n");
    Literal argument(Shape::array(ElementType::F32, {4}));
    std::ranges::copy(a, argument.mutableData<float>().begin());
    const auto result =
        runOnCpu(module, {&argument, 1}, {.usesCache = false, .runsPasses = false, .fastMath = fastMath});
    const auto data = result->data<bool>();
    return std::vector<bool>(data.begin(), data.end());
  };
  EXPECT_EQ(isNan({}), std::vector<bool>({false, true, false, true}));
  EXPECT_EQ(isNan({.isOn = true}), std::vector<bool>({false, true, false, true}));
  EXPECT_EQ(isNan({.isOn = true, .ignoresNans = true}), std::vector<bool>(4, false));
}

TEST(FastMathTest, flagsOfTheEngineAreKeptWithTheRun) {
  const auto run =
      execute({.module = parsed(kMultiplyAdd), .engine = "cpu:no-cache+fast-math-no-nans+fast-min-max"}, {});
  ASSERT_TRUE(run.has_value()) << toString(run.error());
  EXPECT_THAT(run->flags, HasSubstr("fast-math-no-nans"));
  EXPECT_THAT(run->flags, HasSubstr("fast-min-max"));
  for (const FastMathFlag& flag : kFastMathFlags) {
    const auto each =
        execute({.module = parsed(kMultiplyAdd), .engine = fmt::format("cpu:no-cache+{}", flag.name)}, {});
    EXPECT_TRUE(each.has_value()) << flag.name;
  }
}

}  // namespace
}  // namespace hilo
