// Modules through the whole cpu engine: what it shares with the evaluator, saved programs, the cache,
// refusals.
#include <gtest/gtest.h>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "core/runtime/program/program_file.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

std::shared_ptr<const Module> moduleOf(const std::string& text) {
  auto module = parseModuleStrictly("HloModule m\n" + text);
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  return *std::move(module);
}

void expectAgrees(const std::string& text) {
  SCOPED_TRACE(text);
  const auto module = moduleOf(text);
  const auto arguments = makeArguments(*module, 3);
  ASSERT_TRUE(arguments.has_value());
  const auto expected = evaluate(*module, arguments->arguments);
  for (const bool passes : {false, true}) {
    const auto got = runOnCpu(module, arguments->arguments, {.usesCache = false, .runsPasses = passes});
    ASSERT_TRUE(got.has_value()) << toString(got.error());
    const auto differences = compareLiterals(*got, *expected);
    ASSERT_TRUE(differences.has_value());
    EXPECT_TRUE(agrees(*differences));
  }
}

// The state's parts change places, which no order of copies alone can do.
constexpr char kSwap[] = R"(
condition { p = (s32[], f32[4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT }
body { p = (s32[], f32[4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = f32[4] get-tuple-element(p), index=1
  b = f32[4] get-tuple-element(p), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[4], f32[4]) tuple(j, b, a) }
ENTRY e { a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  z = s32[] constant(0)
  t = (s32[], f32[4], f32[4]) tuple(z, a, b)
  ROOT w = (s32[], f32[4], f32[4]) while(t), condition=condition, body=body })";

TEST(CpuModules, LoopsWhoseStateChangesPlaces) { expectAgrees(kSwap); }

TEST(CpuModules, BranchesByNameInAnyOrder) {
  expectAgrees(R"(
f { x = f32[4] parameter(0)
  ROOT r = f32[4] negate(x) }
t { x = f32[4] parameter(0)
  ROOT r = f32[4] add(x, x) }
ENTRY e { p = pred[] constant(true)
  x = f32[4] parameter(0)
  ROOT r = f32[4] conditional(p, x, x), false_computation=f, true_computation=t })");
}

TEST(CpuModules, ProductsOfOneRowAndOneColumn) {
  for (const char* shape : {"1,300", "300,1", "200,300"}) {
    const bool isColumn = std::string_view(shape) == "300,1";
    const std::string m = isColumn ? "300" : std::string_view(shape) == "1,300" ? "1" : "200";
    const std::string k = isColumn ? "1" : "300";
    expectAgrees(fmt::format(R"(ENTRY e {{ a = f32[{0}] parameter(0)
  b = f32[{1},200] parameter(1)
  c = f32[200,1] parameter(2)
  d = f32[{2},200] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  s = f32[{2},1] dot(d, c), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  ROOT t = (f32[{2},1]) tuple(s) }})",
                             shape, k, m));
  }
}

TEST(CpuModules, TuplesCopiedWholeAndLayoutsKept) {
  expectAgrees(R"(ENTRY e { x = f32[3,5]{0,1} parameter(0)
  t = (f32[3,5]{0,1}, f32[3,5]{0,1}) tuple(x, x)
  c = (f32[3,5]{0,1}, f32[3,5]{0,1}) copy(t)
  a = f32[3,5]{0,1} get-tuple-element(c), index=1
  ROOT r = f32[3,5]{1,0} copy(a) })");
}

TEST(CpuModules, ASavedProgramGivesTheSameBits) {
  const auto module = moduleOf(kSwap);
  const auto arguments = makeArguments(*module, 5)->arguments;
  auto compiled = compileForCpu(module, {.usesCache = false}, {});
  ASSERT_TRUE(compiled.has_value()) << toString(compiled.error());
  auto loaded = deserialize(serialize(compiled->program));
  ASSERT_TRUE(loaded.has_value()) << toString(loaded.error());
  auto first = Executor::make(std::make_shared<const Program>(compiled->program));
  auto second = Executor::make(std::make_shared<const Program>(*std::move(loaded)));
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_TRUE(*(*first)->run(arguments) == *(*second)->run(arguments));
}

TEST(CpuModules, EqualKernelsAreCompiledOnceAndFoundAgain) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("hilo_kernels_{}", getpid());
  setenv("HILO_KERNEL_CACHE", folder.c_str(), 1);
  const auto module = moduleOf(R"(ENTRY e { x = f32[64] parameter(0)
  a = f32[64] negate(x)
  b = f32[64] exponential(a)
  c = f32[64] negate(b)
  ROOT d = f32[64] exponential(c) })");
  for (const size_t cached : {size_t{0}, size_t{2}}) {
    const auto compiled = compileForCpu(module, {.runsPasses = false}, {});
    ASSERT_TRUE(compiled.has_value()) << toString(compiled.error());
    EXPECT_EQ(compiled->counts.kernels, 4u);
    EXPECT_EQ(compiled->counts.distinct, 2u);
    EXPECT_EQ(compiled->counts.fromCache, cached);
  }
  unsetenv("HILO_KERNEL_CACHE");
  std::filesystem::remove_all(folder);
}

TEST(CpuModules, RefusesByName) {
  const auto refused = whyNotCompiled(*moduleOf(R"(ENTRY e { x = f32[2,2] parameter(0)
  c = f32[2,2] cholesky(x), lower=true
  ROOT r = f32[2,2]{1,0:T(8,128)} copy(c) })"));
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].kind, "unsupported-opcode");
  EXPECT_EQ(refused[0].place.instruction, "c");
  EXPECT_EQ(refused[1].kind, "unsupported-layout");
}

}  // namespace
}  // namespace hilo
