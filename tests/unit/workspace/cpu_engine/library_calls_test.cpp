// Calls to libraries through the cpu engine, with its passes and without: the evaluator's answers, and thunks
// that belong to the call.
#include <gtest/gtest.h>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/workspace/thunks/thunk_study.h"
#include "tests/support/module_text.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

const std::string kGemm =
    "custom_call_target=\"__cublas$gemm\", "
    "backend_config={\"gemm_backend_config\":{\"alpha_real\":2,\"beta\":1,"
    "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"0\"]"
    "},"
    "\"epilogue\":\"DEFAULT\"}}";

// A product in a loop, a sort of its rows, and a workspace somebody reads.
std::shared_ptr<Module> module() {
  const std::string product = "g = (f32[4,4]{1,0}, s8[64]{0}) custom-call(v, v, v), " + kGemm +
                              "\n  w = f32[4,4]{1,0} get-tuple-element(g), index=0";
  return moduleOf(countingLoop("f32[4,4]{1,0}", 3, product) + R"(
ENTRY e { a = f32[4,4]{1,0} parameter(0)
  z = s32[] constant(0)
  t = (s32[], f32[4,4]{1,0}) tuple(z, a)
  w = (s32[], f32[4,4]{1,0}) while(t), condition=condition, body=body
  x = f32[4,4]{1,0} get-tuple-element(w), index=1
  s = (f32[4,4]{1,0}, u8[8]{0}) custom-call(x), custom_call_target="__cub$DeviceRadixSort",
    backend_config={"descending":true}
  m = f32[4,4]{1,0} custom-call(x), custom_call_target="MoveToHost"
  ROOT r = ((f32[4,4]{1,0}, u8[8]{0}), f32[4,4]{1,0}) tuple(s, m) })");
}

TEST(CpuLibraryCalls, AgreesWithTheEvaluator) {
  const auto tried = module();
  const auto arguments = makeArguments(*tried, 3);
  ASSERT_TRUE(arguments.has_value());
  const auto expected = evaluate(*tried, arguments->arguments);
  ASSERT_TRUE(expected.has_value()) << toString(expected.error());
  for (const bool passes : {false, true}) {
    const auto got = runOnCpu(tried, arguments->arguments, {.usesCache = false, .runsPasses = passes});
    ASSERT_TRUE(got.has_value()) << toString(got.error());
    const auto differences = compareLiterals(*got, *expected);
    ASSERT_TRUE(differences.has_value());
    EXPECT_TRUE(agrees(*differences));
  }
}

TEST(CpuLibraryCalls, SingularValuesOfABatch) {
  const auto tried = moduleOf(R"(ENTRY e { a = f32[6,7,4] parameter(0)
  c = (f32[6,7,4], f32[6,4], f32[6,7,7], f32[6,4,4], s32[6]) custom-call(a), custom_call_target="lapack_sgesdd_ffi",
    api_version=API_VERSION_TYPED_FFI, backend_config={mode = 65 : ui8}
  ROOT s = f32[6,4] get-tuple-element(c), index=1 })");
  const auto arguments = makeArguments(*tried, 3);
  ASSERT_TRUE(arguments.has_value());
  const auto expected = evaluate(*tried, arguments->arguments);
  const auto got = runOnCpu(tried, arguments->arguments, {.usesCache = false});
  ASSERT_TRUE(expected.has_value() && got.has_value());
  const auto differences = compareLiterals(*got, *expected, {.absolute = 1e-5, .relative = 1e-5});
  ASSERT_TRUE(differences.has_value());
  EXPECT_TRUE(agrees(*differences));
}

TEST(CpuLibraryCalls, ThunksBelongToTheCall) {
  const auto tried = module();
  const auto study = studyThunks(tried, {}, {});
  ASSERT_TRUE(study.has_value()) << toString(study.error());
  std::vector<std::string> targets;
  for (size_t i = 0; i < study->thunks.size(); ++i) {
    for (const InstructionId id : study->thunks[i].instructions) {
      const Instruction* of = tried->instruction(id);
      ASSERT_NE(of, nullptr);
      if (of->opcode() == Opcode::CustomCall) targets.emplace_back(of->get<Attr::CustomCallTarget>());
    }
    if (study->thunks[i].kernel != StudiedThunk::kNone) {
      EXPECT_TRUE(kernelForms(*study, static_cast<uint32_t>(i)).has_value());
    }
  }
  EXPECT_TRUE(std::ranges::count(targets, "__cublas$gemm") > 0);
  EXPECT_TRUE(std::ranges::count(targets, "__cub$DeviceRadixSort") > 0);
}

TEST(CpuLibraryCalls, AFormThatIsNotKnownIsAnObstacle) {
  const auto refused = moduleOf(R"(ENTRY e { a = f32[4,4]{1,0} parameter(0)
  ROOT g = f32[4,4]{1,0} custom-call(a, a), custom_call_target="__cublas$lt$matmul",
    backend_config={"gemm_backend_config":{"alpha_real":1,"epilogue":"DGELU"}} })");
  const Diagnostics obstacles = whyNotCompiled(*refused);
  ASSERT_EQ(obstacles.size(), 1U);
  EXPECT_EQ(obstacles[0].kind, "unsupported-opcode");
  EXPECT_EQ(obstacles[0].message, "custom-call __cublas$lt$matmul has epilogue DGELU");
  EXPECT_EQ(obstacles[0].place.instruction, "g");
}

}  // namespace
}  // namespace hilo
