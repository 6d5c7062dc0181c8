// Programs that ask libraries: which calls there are, and the evaluator's answers by the engine cpu in the
// libraries' place, and by libraries on the host's memory behind a driver there.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/runtime/device/cuda/cuda_device.h"
#include "core/runtime/executor/device_executor.h"
#include "core/workspace/run/device_engines.h"
#include "core/workspace/run/gpu_compile.h"
#include "tests/support/module_text.h"
#include "tests/unit/runtime/device/cuda/fake_driver.h"

namespace hilo {
namespace {

struct LibraryCase {
  const char *name, *library, *text;
  bool hasKernels = false;  // which the driver of the tests cannot run
};
constexpr LibraryCase kLibraryCases[] = {
    {"dot", "cuBLASLt",
     R"(ENTRY e { a = f32[48,32] parameter(0)
  b = f32[32,64] parameter(1)
  ROOT d = f32[48,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} })"},
    {"batches_and_orders", "cuBLASLt",
     R"(ENTRY e { a = f32[3,32,48] parameter(0)
  b = f32[3,64,32]{1,2,0} parameter(1)
  ROOT d = f32[3,48,64]{1,2,0} dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1},
    rhs_contracting_dims={2} })"},
    {"with_itself", "cuBLASLt",
     R"(ENTRY e { a = f32[48,32] parameter(0)
  ROOT d = f32[48,48] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1} })"},
    {"bias_and_relu", "cuBLASLt",
     R"(ENTRY e { bias = f32[64] parameter(0)
  a = f32[48,32] parameter(1)
  b = f32[32,64] parameter(2)
  d = f32[48,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  spread = f32[48,64] broadcast(bias), dimensions={1}
  sum = f32[48,64] add(d, spread)
  zero = f32[] constant(0)
  zeros = f32[48,64] broadcast(zero), dimensions={}
  ROOT r = f32[48,64] maximum(sum, zeros) })"},
    {"convolution", "cuDNN",
     R"(ENTRY e { x = f32[2,4,12,10] parameter(0)
  w = f32[6,2,3,3] parameter(1)
  ROOT c = f32[2,6,6,10] convolution(x, w), window={size=3x3 stride=2x1 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01,
    feature_group_count=2 })"},
    {"convolution_features_last", "cuDNN",
     R"(ENTRY e { x = f32[2,12,10,4] parameter(0)
  w = f32[3,3,4,6] parameter(1)
  ROOT c = f32[2,8,6,6] convolution(x, w), window={size=3x3 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f })",
     true},
    {"inverse_real_transform", "cuFFT",
     R"(ENTRY e { x = c64[3,9] parameter(0)
  ROOT f = f32[3,16] fft(x), fft_type=IRFFT, fft_length={16} })"},
    {"transform", "cuFFT",
     R"(ENTRY e { x = c64[2,12] parameter(0)
  ROOT f = c64[2,12] fft(x), fft_type=FFT, fft_length={12} })"},
    {"triangular_solve", "cuBLAS",
     R"(ENTRY e { a = f32[2,4,4] parameter(0)
  b = f32[2,4,3] parameter(1)
  i = f32[4,4] constant({{9,0,0,0},{0,9,0,0},{0,0,9,0},{0,0,0,9}})
  s = f32[2,4,4] broadcast(i), dimensions={1,2}
  n = f32[2,4,4] add(a, s)
  ROOT x = f32[2,4,3] triangular-solve(n, b), left_side=true, lower=false, unit_diagonal=false,
    transpose_a=TRANSPOSE })",
     true},
    {"cholesky", "cuSOLVER",
     R"(ENTRY e { a = f32[5,4] parameter(0)
  s = f32[5,5] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  i = f32[5,5] constant({{9,0,0,0,0},{0,9,0,0,0},{0,0,9,0,0},{0,0,0,9,0},{0,0,0,0,9}})
  p = f32[5,5] add(s, i)
  ROOT c = f32[5,5] cholesky(p), lower=true })",
     true},
};

class LibraryCalls : public testing::TestWithParam<LibraryCase> {
 protected:
  void SetUp() override {
    module = moduleOf(GetParam().text);
    ASSERT_NE(module, nullptr);
    auto made = makeArguments(*module, 5);
    ASSERT_TRUE(made) << toString(made.error());
    arguments = std::move(made->arguments);
    auto answer = evaluate(*module, arguments);
    ASSERT_TRUE(answer) << toString(answer.error());
    expected = *std::move(answer);
  }
  Program compiled() {
    auto made = compileForGpu(module, *gpuTarget("sm_90"), {}, {.libraries = LibraryChoice::All});
    EXPECT_TRUE(made) << toString(made.error());
    return made ? std::move(made->program) : Program();
  }
  void expectSame(const Result<Literal>& got) {
    ASSERT_TRUE(got) << toString(got.error());
    const auto differences = compareLiterals(*got, expected, {.absolute = 2e-5, .relative = 2e-5});
    ASSERT_TRUE(differences) << toString(differences.error());
    EXPECT_TRUE(agrees(*differences));
  }

  std::shared_ptr<const Module> module;
  std::vector<Literal> arguments;
  Literal expected;
};

TEST_P(LibraryCalls, AreOneThunkOfItsLibrary) {
  const Program program = compiled();
  int calls = 0;
  for (const Thunk& thunk : program.sequences[0]) {
    const auto* asked = std::get_if<LibraryThunk>(&thunk.body);
    if (asked != nullptr && libraryOf(asked->call.index()) == std::string_view(GetParam().library)) ++calls;
  }
  EXPECT_EQ(calls, 1) << toText(program);
}

TEST_P(LibraryCalls, AreDoneByTheEngineCpuOnTheSimulatedGpu) {
  auto made = deviceExecutable(compiled(), {.kind = "cuda-sim"}, std::nullopt, {});
  ASSERT_TRUE(made) << toString(made.error());
  expectSame((*made)->run(arguments, {}));
  ASSERT_FALSE((*made)->notes.empty());
  EXPECT_NE((*made)->notes[0].find(std::string("in place of ") + GetParam().library), std::string::npos);
}

TEST_P(LibraryCalls, AreDoneByTheLibrariesThatAreThere) {
  if (GetParam().hasKernels) GTEST_SKIP() << "the driver of the tests runs no kernels";
  setenv("CUDA_HOME", HILO_FAKE_CUDA, 1);
  newFakeDriver();
  const auto executor = DeviceExecutor::make(std::make_shared<const Program>(compiled()),
                                             openCudaDevice(loadFakeDriver(), 0).value(), {});
  unsetenv("CUDA_HOME");
  ASSERT_TRUE(executor) << toString(executor.error());
  expectSame((*executor)->run(arguments));
}

INSTANTIATE_TEST_SUITE_P(Cases, LibraryCalls, testing::ValuesIn(kLibraryCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(HostWork, IsAProgramOfItsOwnBesideTheKernels) {
  const auto module = moduleOf(R"(
host_work { x = f32[64] parameter(0)
  y = f32[64] parameter(1)
  s = f32[64] add(x, y)
  ROOT t = (f32[64], f32[64]) tuple(s, x) }, execution_thread="host"
ENTRY e { p = f32[64] parameter(0)
  q = f32[64] parameter(1)
  start = ((f32[64], f32[64]), (f32[64], f32[64]), s32[]) async-start(p, q), async_execution_thread="host",
    calls=host_work
  beside = f32[64] multiply(p, q)
  done = (f32[64], f32[64]) async-done(start)
  s = f32[64] get-tuple-element(done), index=0
  ROOT r = f32[64] subtract(s, beside) })");
  ASSERT_NE(module, nullptr);
  const auto made = compileForGpu(module, *gpuTarget("sm_90"), {});
  ASSERT_TRUE(made) << toString(made.error());
  const auto isHostWork = [](const Thunk& thunk) {
    const auto* hosted = std::get_if<HostedThunk>(&thunk.body);
    return hosted != nullptr && hosted->isHostWork;
  };
  EXPECT_EQ(std::ranges::count_if(made->program.sequences[0], isHostWork), 1);
  const auto arguments = makeArguments(*module, 3);
  ASSERT_TRUE(arguments);
  const auto expected = evaluate(*module, arguments->arguments);
  auto simulated = deviceExecutable(made->program, {.kind = "cuda-sim"}, std::nullopt, {});
  ASSERT_TRUE(expected && simulated);
  const auto got = (*simulated)->run(arguments->arguments, {});
  ASSERT_TRUE(got) << toString(got.error());
  EXPECT_TRUE(agrees(*compareLiterals(*got, *expected)));
}

TEST(MissingLibraries, AreSaidWithTheInstructionBeforeAnythingRuns) {
  const auto made = compileForGpu(moduleOf(kLibraryCases[0].text), *gpuTarget("sm_90"), {},
                                  {.libraries = LibraryChoice::All});
  ASSERT_TRUE(made);
  newFakeDriver();
  setenv("CUDA_HOME", HILO_FAKE_CUDA "_old", 1);
  const auto executor = DeviceExecutor::make(std::make_shared<const Program>(made->program),
                                             openCudaDevice(loadFakeDriver(), 0).value(), {});
  unsetenv("CUDA_HOME");
  ASSERT_FALSE(executor);
  EXPECT_EQ(executor.error().kind, "old-library");
  EXPECT_NE(executor.error().place.instruction, "");
}

}  // namespace
}  // namespace hilo
