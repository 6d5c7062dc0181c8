// Products by an algorithm through the cpu engine, in tiles and by the library: the evaluator's answers, and
// not those of a plain product.
#include "core/hlo/ir/enums.h"
#include "tests/unit/workspace/cpu_engine/expect_evaluated.h"

namespace hilo {
namespace {

constexpr std::string_view kAlgorithms[] = {
    "dot_f16_f16_f16",      "dot_f16_f16_f32",      "dot_bf16_bf16_bf16",   "dot_bf16_bf16_f32",
    "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6", "dot_bf16_bf16_f32_x9", "dot_tf32_tf32_f32",
    "dot_tf32_tf32_f32_x3", "dot_f32_f32_f32",      "dot_f64_f64_f64",
};

// Squares, so that nothing cancels and errors are told by the result alone.
std::string product(int size, std::string_view algorithm) {
  return fmt::format(R"(
ENTRY e {{ a = f32[{0},{0}] parameter(0)
  b = f32[{0},{0}] parameter(1)
  aa = f32[{0},{0}] multiply(a, a)
  bb = f32[{0},{0}] multiply(b, b)
  ROOT d = f32[{0},{0}] dot(aa, bb), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}{1} }})",
                     size, algorithm.empty() ? "" : fmt::format(", algorithm={}", algorithm));
}

TEST(CpuDotAlgorithms, AgreeWithTheEvaluator) {
  for (const std::string_view algorithm : kAlgorithms) {
    for (const int size : {5, 48}) expectEvaluated(product(size, algorithm));
  }
}

TEST(CpuDotAlgorithms, InFusionsAndConvolutions) {
  expectEvaluated(R"(
f { a = f32[6,7] parameter(0)
  b = f32[7,5] parameter(1)
  d = f32[6,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32_x6
  ROOT e = f32[6,5] exponential(d) }
ENTRY e { a = f32[6,7] parameter(0)
  b = f32[7,5] parameter(1)
  ROOT r = f32[6,5] fusion(a, b), kind=kOutput, calls=f })");
  expectEvaluated(R"(
ENTRY e { a = f32[2,9,4] parameter(0)
  b = f32[3,4,5] parameter(1)
  aa = f32[2,9,4] abs(a)
  bb = f32[3,4,5] abs(b)
  ROOT c = f32[2,7,5] convolution(aa, bb), window={size=3}, dim_labels=b0f_0io->b0f, algorithm=dot_tf32_tf32_f32 })");
}

TEST(CpuDotAlgorithms, AreNotThePlainProduct) {
  const auto run = [](std::string_view algorithm) {
    auto module = parseModuleStrictly("HloModule m\n" + product(48, algorithm));
    EXPECT_TRUE(module.has_value());
    const std::shared_ptr<const Module> shared = *std::move(module);
    const auto arguments = makeArguments(*shared, 5);
    auto got = runOnCpu(shared, arguments->arguments, {.usesCache = false});
    EXPECT_TRUE(got.has_value());
    return *std::move(got);
  };
  const Literal plain = run("");
  for (const std::string_view algorithm : {"dot_bf16_bf16_f32", "dot_tf32_tf32_f32", "dot_f16_f16_f32"}) {
    const auto differences = compareLiterals(run(algorithm), plain);
    ASSERT_TRUE(differences.has_value());
    EXPECT_FALSE(agrees(*differences)) << algorithm;
  }
}

}  // namespace
}  // namespace hilo
