// Modules through the whole cpu engine: what it shares with the evaluator, saved programs,
// the cache, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/runtime/program/program_file.h"
#include "tests/support/module_text.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

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

// Dimension 0 has both an index and a batch: the batch counts, as in XLA's evaluator.
TEST(CpuModules, GathersTakeTheBatchBeforeAnIndex) {
  const std::string text = R"(
ENTRY e { p = s32[3,4] parameter(0)
  i = s32[3,2] constant({{2,0},{2,1},{0,3}})
  ROOT g = s32[3] gather(p, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={0,1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1} })";
  const auto module = moduleOf(text);
  const auto table = parseLiteral("s32[3,4] {{0,1,2,3},{10,11,12,13},{20,21,22,23}}");
  const std::vector<Literal> arguments{*table};
  const auto evaluated = evaluate(*module, arguments);
  const auto compiled = runOnCpu(module, arguments, {.usesCache = false});
  ASSERT_TRUE(evaluated && compiled);
  for (const Literal* value : {&*evaluated, &*compiled})
    EXPECT_THAT(value->data<int32_t>(), testing::ElementsAre(0, 11, 23));
  expectAgrees(text);
}

// As spmd_partitioner and bf16 propagation of XLA are tested with: a body that gives one value gives it alone
// or in a tuple, and so may the scan; a scan without inputs is as long as its outputs.
TEST(CpuModules, ScansOfOneResult) {
  expectAgrees(R"(
body { x = f32[8] parameter(0)
  n = f32[8] negate(x)
  ROOT t = (f32[8]) tuple(n) }
ENTRY e { p = f32[5,8] parameter(0)
  ROOT s = f32[5,8] scan(p), dimensions={0}, num_carries=0, to_apply=body })");
  expectAgrees(R"(
body { x = f32[4] parameter(0)
  c = f32[4] parameter(1)
  ROOT a = f32[4] add(x, c) }
ENTRY e { p = f32[3,4] parameter(0)
  z = f32[4] parameter(1)
  ROOT s = f32[4] scan(p, z), dimensions={0}, num_carries=1, to_apply=body })");
  expectAgrees(R"(
body { c = f32[4] parameter(0)
  d = f32[4] add(c, c)
  ROOT t = (f32[4], f32[4]) tuple(c, d) }
ENTRY e { z = f32[4] parameter(0)
  ROOT s = (f32[3,4], f32[4]) scan(z), dimensions={0}, num_carries=1, to_apply=body })");
}

// The verifier takes any float for another, as XLA's does; nothing rounds what is only moved.
TEST(CpuModules, MovedValuesKeepTheirType) {
  constexpr const char* kCalled = R"(
less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT }
body { x = f32[] parameter(0)
  c = f32[] parameter(1)
  s = f32[] add(x, c)
  ROOT t = (f32[], f32[]) tuple(s, s) }
ENTRY e { p = f32[4] parameter(0)
  z = f32[] constant(0)
  two = (f32[4], f32[4]) tuple(p, p)
  ROOT r = )";
  for (const char* moved : {"(f32[4], bf16[4]) copy(two)", "f16[2,2] reshape(p)",
                            "(f32[4], f64[4]) sort(p, p), dimensions={0}, to_apply=less",
                            "(f32[4], f16[]) scan(p, z), dimensions={0}, num_carries=1, to_apply=body",
                            "(bf16[2], s32[2]) topk(p), k=2, largest=true"}) {
    const Diagnostics why = whyNotCompiled(*moduleOf(std::string(kCalled) + moved + " }"));
    ASSERT_EQ(why.size(), 1u) << moved;
    EXPECT_EQ(why[0].kind, "unsupported-type") << moved;
  }
}

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

// The same number counts other elements in another order.
TEST(CpuModules, AnArrayAndItselfTurned) {
  expectAgrees(R"(
fused { p = f32[3,3]{1,0} parameter(0)
  c = f32[3,3]{0,1} copy(p)
  b = f32[3,3]{1,0} bitcast(c)
  ROOT sum = f32[3,3]{1,0} add(p, b) }
ENTRY e { p = f32[3,3]{1,0} parameter(0)
  ROOT f = f32[3,3]{1,0} fusion(p), kind=kLoop, calls=fused })");
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
  auto compiled = compileProgram(module, {.usesCache = false}, {});
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
    const auto compiled = compileProgram(module, {.runsPasses = false}, {});
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
  n = s32[] parameter(1)
  c = f32[2,2] custom-call(x), custom_call_target="nobody's"
  z = c64[2,2] complex(c, x)
  k = (c64[2,1], s32[2,1]) topk(z), k=1, largest=true
  d = f32[<=2,2] set-dimension-size(c, n), dimensions={0}
  ROOT r = f32[2,2] slice(d), slice={[0:2], [0:2]} })"));
  ASSERT_EQ(refused.size(), 3u);
  EXPECT_EQ(refused[0].kind, "unsupported-opcode");
  EXPECT_EQ(refused[0].place.instruction, "c");
  EXPECT_EQ(refused[1].kind, "unsupported-type");
  EXPECT_EQ(refused[1].place.instruction, "k");
  EXPECT_EQ(refused[2].kind, "unsupported-dynamic-shape");
  EXPECT_EQ(refused[2].place.instruction, "r");
}

TEST(CpuModules, RefusesWhatDoesNotHeedRealSizes) {
  const auto module = moduleOf(R"(ENTRY e { x = f32[2,2] parameter(0)
  n = s32[] parameter(1)
  d = f32[<=2,2] set-dimension-size(x, n), dimensions={0}
  ROOT r = f32[1,2] slice(d), slice={[1:2], [0:2]} })");
  const auto compiled = compileProgram(module, {.usesCache = false}, {});
  ASSERT_FALSE(compiled.has_value());
  EXPECT_EQ(compiled.error().kind, "unsupported-dynamic-shape");
  EXPECT_EQ(compiled.error().place.instruction, "r");
}

// The array loses an element a turn; the branch chosen gives it whole.
TEST(CpuModules, RealSizesGoThroughLoopsAndBranches) {
  expectAgrees(R"(
sum { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] add(a, b) }
condition { p = (s32[], s32[<=6]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT }
body { p = (s32[], s32[<=6]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = s32[<=6] get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  n = s32[] get-dimension-size(a), dimensions={0}
  fewer = s32[] subtract(n, one)
  b = s32[<=6] set-dimension-size(a, fewer), dimensions={0}
  ROOT t = (s32[], s32[<=6]) tuple(j, b) }
whole { x = s32[<=6] parameter(0)
  six = s32[] constant(6)
  ROOT r = s32[<=6] set-dimension-size(x, six), dimensions={0} }
same { x = s32[<=6] parameter(0)
  ROOT r = s32[<=6] negate(x) }
ENTRY e { x = s32[6] constant({1, 10, 100, 1000, 10000, 100000})
  which = s32[] constant(1)
  z = s32[] constant(0)
  five = s32[] constant(5)
  d = s32[<=6] set-dimension-size(x, five), dimensions={0}
  s = (s32[], s32[<=6]) tuple(z, d)
  w = (s32[], s32[<=6]) while(s), condition=condition, body=body
  a = s32[<=6] get-tuple-element(w), index=1
  c = s32[<=6] conditional(which, a, a), branch_computations={whole, same}
  before = s32[] reduce(a, z), dimensions={0}, to_apply=sum
  after = s32[] reduce(c, z), dimensions={0}, to_apply=sum
  n = s32[] get-dimension-size(c), dimensions={0}
  ROOT t = (s32[], s32[], s32[]) tuple(before, after, n) })");
}

TEST(CpuModules, TilesDoNotMatter) {
  expectAgrees(R"(ENTRY e { x = bf16[3,5]{0,1:T(8,128)(2,1)} parameter(0)
  ROOT c = bf16[3,5]{1,0:T(8,128)} copy(x) })");
}

// What goes through a call, a loop and a branch changes its layout on the way.
TEST(CpuModules, ComputationsWithLayoutsOfTheirOwn) {
  expectAgrees(R"(
callee { x = f32[3,5]{0,1} parameter(0)
  ROOT r = f32[3,5]{1,0} negate(x) }
condition { p = (s32[], f32[3,5]{1,0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT }
body { p = (s32[], f32[3,5]{1,0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = f32[3,5]{1,0} get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  b = f32[3,5]{0,1} add(a, a)
  ROOT t = (s32[], f32[3,5]{0,1}) tuple(j, b) }
ENTRY e { x = f32[3,5]{1,0} parameter(0)
  y = f32[3,5]{0,1} call(x), to_apply=callee
  z = s32[] constant(0)
  s = (s32[], f32[3,5]{0,1}) tuple(z, y)
  w = (s32[], f32[3,5]{0,1}) while(s), condition=condition, body=body
  a = f32[3,5]{0,1} get-tuple-element(w), index=1
  p = pred[] constant(false)
  ROOT r = f32[3,5]{1,0} conditional(p, a, a), true_computation=callee, false_computation=callee })");
}

TEST(CpuModules, AsyncOperationsRunWhereTheyStart) {
  expectAgrees(R"(
wrapped { a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  ROOT r = f32[4] subtract(a, b) }
ENTRY e { x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  s = ((f32[4], f32[4]), f32[4], u32[]) async-start(x, y), calls=wrapped
  u = ((f32[4], f32[4]), f32[4], u32[]) async-update(s)
  d = f32[4] async-done(u)
  cs = (f32[4], f32[4], u32[]) copy-start(d)
  cd = f32[4] copy-done(cs)
  ROOT r = (f32[4]) tuple(cd) })");
}

// A call whose operand comes with the update: its tuple of results has no place before.
TEST(CpuModules, OperandsThatAnUpdateBinds) {
  expectAgrees(R"(
wrapped { a = f32[4] parameter(0)
  b = f32[4] abs(a)
  ROOT r = (f32[4], f32[4]) tuple(b, a) }
ENTRY e { x = f32[4] parameter(0)
  s = ((), (), s32[]) call-start(), to_apply=wrapped
  u = ((f32[4]), (), s32[]) call-update(s, x)
  ROOT d = (f32[4], f32[4]) call-done(u) })");
}

// Both engines draw from one definition of the state.
TEST(CpuModules, RandomNumbersAreTheEvaluators) {
  expectAgrees(R"(ENTRY e { a = f32[] constant(2)
  b = f32[] constant(3)
  u = f32[3,5]{0,1} rng(a, b), distribution=rng_uniform
  n = f32[70] rng(a, b), distribution=rng_normal
  s = u64[2] rng-get-and-update-state(), delta=5
  c = s8[] constant(-2)
  d = s8[] constant(2)
  i = s8[9] rng(c, d), distribution=rng_uniform
  x = f64[] constant(0)
  y = f64[] constant(1)
  w = f64[] rng(x, y), distribution=rng_uniform
  t = u64[2] rng-get-and-update-state(), delta=-1
  ROOT r = (f32[3,5]{0,1}, f32[70], u64[2], s8[9], f64[], u64[2]) tuple(u, n, s, i, w, t) })");
}

}  // namespace
}  // namespace hilo
