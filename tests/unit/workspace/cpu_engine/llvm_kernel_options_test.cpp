// XLA's LlvmKernelOptions in a backend_config: what they change in the code, and that nothing else changes.
#include <gtest/gtest.h>

#include "core/analysis/llvm_kernel_options.h"
#include "core/compiler/codegen/cpu/cpu_codegen.h"
#include "core/compiler/codegen/cpu/cpu_target.h"
#include "tests/unit/workspace/cpu_engine/expect_evaluated.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

constexpr const char* kAdd = R"(ENTRY e {
  a = f32[4096] parameter(0)
  b = f32[4096] parameter(1)
  ROOT sum = f32[4096] add(a, b)CONFIG
}
)";

// Four updates side by side, which straight code does one after the other.
constexpr const char* kScatter = R"(last { x = f32[] parameter(0) ROOT y = f32[] parameter(1) }
ENTRY e {
  into = f32[64,4] parameter(0)
  rows = s32[8,1] parameter(1)
  updates = f32[8,4] parameter(2)
  ROOT s = f32[64,4] scatter(into, rows, updates), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=lastCONFIG
}
)";

std::string withOptions(std::string text, std::string_view options) {
  const std::string config =
      options.empty() ? "" : fmt::format(R"(, backend_config={{"llvm_kernel_options":{}}})", options);
  const size_t place = text.find("CONFIG");
  return place == std::string::npos ? text : text.replace(place, 6, config);
}

std::shared_ptr<const Module> moduleOf(const std::string& text, std::string_view options) {
  auto parsed = parseModuleStrictly("HloModule m\n" + withOptions(text, options));
  EXPECT_TRUE(parsed.has_value()) << toString(parsed.error());
  return *std::move(parsed);
}

// Of the module's only kernel, for a processor with registers of 32 bytes.
KernelListing listingOf(const std::string& text, std::string_view options) {
  const auto target = processorTarget("haswell");
  const auto sources = emitKernels(*moduleOf(text, options), cpuCodegen(), *target);
  EXPECT_EQ(sources->size(), 1u);
  return *listKernel(sources->back(), cpuCodegen(), *target);
}

size_t timesIn(const KernelListing& listing, std::string_view word) {
  size_t times = 0;
  for (size_t at = 0; (at = listing.after.text.find(word, at)) != std::string::npos; ++at) ++times;
  return times;
}

TEST(LlvmKernelOptionsTest, loopsAreNotUnrolled) {
  const KernelListing rolled = listingOf(kAdd, R"({"disable_loop_unrolling":true})");
  EXPECT_GT(timesIn(listingOf(kScatter, "{}"), "store"), 1u);
  EXPECT_EQ(timesIn(listingOf(kScatter, R"({"disable_loop_unrolling":true})"), "store"), 1u);
  EXPECT_NE(rolled.before.text.find("!\"disable_loop_unrolling\""), std::string::npos) << rolled.before.text;
}

TEST(LlvmKernelOptionsTest, sizeMeansNoVectors) {
  EXPECT_GT(timesIn(listingOf(kAdd, ""), "fadd <8 x float>"), 0u);
  const KernelListing small = listingOf(kAdd, R"({"optimize_for_size":true})");
  EXPECT_EQ(timesIn(small, "x float>"), 0u);
  EXPECT_NE(small.before.text.find("optsize"), std::string::npos);
  EXPECT_LT(small.assembly.text.size(), listingOf(kAdd, "").assembly.text.size());
}

TEST(LlvmKernelOptionsTest, straightCodeBecomesVectors) {
  EXPECT_EQ(timesIn(listingOf(kScatter, ""), "<4 x float>"), 0u);
  EXPECT_GT(timesIn(listingOf(kScatter, "{}"), "<4 x float>"), 0u) << listingOf(kScatter, "{}").after.text;
  EXPECT_EQ(timesIn(listingOf(kScatter, R"({"slpVectorizerDisabled":true})"), "<4 x float>"), 0u);
}

TEST(LlvmKernelOptionsTest, answersStay) {
  for (const char* text : {kAdd, kScatter}) {
    for (int bits = 0; bits < 16; ++bits) {
      std::string options = "{";
      for (size_t i = 0; i < kLlvmKernelOptions.size(); ++i)
        options +=
            fmt::format(R"({}"{}":{})", i == 0 ? "" : ",", kLlvmKernelOptions[i].name, (bits >> i & 1) != 0);
      expectEvaluated(withOptions(text, options + "}"));
    }
  }
}

TEST(LlvmKernelOptionsTest, eachKernelHasItsOwn) {
  // Equal but for how they are compiled: two kernels, and what a call says is said for all it calls.
  const auto module = moduleOf(R"(inner { x = f32[64] parameter(0) ROOT y = f32[64] sqrt(x) }
ENTRY e {
  a = f32[64] parameter(0)
  b = f32[64] sqrt(a)
  c = f32[64] call(b), to_apply=inner, backend_config={"llvm_kernel_options":{"optimize_for_size":true}}
  d = f32[64] sqrt(c), backend_config={"llvm_kernel_options":{"optimize_for_size":true,"slp_vectorizer_disabled":true}}
  ROOT e = f32[64] sqrt(d), backend_config={"outer_dimension_partitions":["2"]}
}
)",
                               "");
  const auto compiled = compileProgram(module, {.usesCache = false, .runsPasses = false}, {});
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_EQ(compiled->counts.kernels, 4u);
  EXPECT_EQ(compiled->counts.distinct, 3u);
  const auto& kernels = compiled->program.kernels;
  EXPECT_EQ(kernels[0].object, kernels[3].object);
}

TEST(LlvmKernelOptionsTest, mistakesAreNamed) {
  const Diagnostics unknown = whyNotCompiled(*moduleOf(kAdd, R"({"unroll":true})"));
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown[0].kind, "malformed-kernel-options");
  EXPECT_EQ(unknown[0].place.instruction, "sum");
  EXPECT_EQ(whyNotCompiled(*moduleOf(kAdd, R"({"optimize_for_size":1})")).size(), 1u);
  EXPECT_EQ(whyNotCompiled(*moduleOf(kAdd, "[]")).size(), 1u);
}

TEST(LlvmKernelOptionsTest, writtenAndReadAgain) {
  const auto before = moduleOf(kAdd, "");
  const LlvmKernelOptions options{.slpVectorizerDisabled = false, .optimizeForSize = true};
  const auto config = withLlvmKernelOptions(R"({"outer_dimension_partitions":["2"]})", options);
  EXPECT_EQ(*config,
            R"({"outer_dimension_partitions":["2"],"llvm_kernel_options":{"optimize_for_size":true}})");
  const auto changed = before->clone();
  changed->findInstruction("sum")->set<Attr::BackendConfig>(*config);
  EXPECT_EQ(**llvmKernelOptions(*changed->findInstruction("sum")), options);
  EXPECT_EQ(*withLlvmKernelOptions(*config, std::nullopt), R"({"outer_dimension_partitions":["2"]})");
  EXPECT_EQ(withLlvmKernelOptions("opaque", options).error().kind, "malformed-backend-config");
}

// What is said of an instruction is not lost by making it part of another kernel.
TEST(LlvmKernelOptionsTest, fusionLeavesThemBe) {
  const auto module = moduleOf(R"(ENTRY e {
  a = f32[64] parameter(0)
  b = f32[64] sqrt(a)
  c = f32[64] negate(b), backend_config={"llvm_kernel_options":{"optimize_for_size":true}}
  ROOT d = f32[64] exponential(c)
}
)",
                               "");
  const auto compiled = compileProgram(module, {.usesCache = false}, {});
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_EQ(compiled->counts.kernels, 3u);
}

}  // namespace
}  // namespace hilo
