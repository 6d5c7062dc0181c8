#include "core/compiler/pipelines/xla_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace hilo {
namespace {

TEST(XlaFlags, TheTableIsSortedAndItsDefaultsFitTheirTypes) {
  EXPECT_TRUE(std::ranges::is_sorted(xlaFlags(), {}, &XlaFlag::name));
  const XlaFlags flags;
  for (const XlaFlag& flag : xlaFlags()) {
    if (flag.type == FlagType::Bool) flags.on(flag.name);
    if (flag.type == FlagType::Number) flags.number(flag.name);
  }
}

TEST(XlaFlags, AsTheVariableWritesThem) {
  const auto flags = XlaFlags::parse(
      "--xla_gpu_enable_triton_gemm=false --xla_gpu_dot_merger_threshold_mb=32\n"
      "'--xla_disable_hlo_passes=cse,dce' --xla_gpu_async_dot");
  ASSERT_TRUE(flags.has_value()) << toString(flags.error());
  EXPECT_FALSE(flags->on("xla_gpu_enable_triton_gemm"));
  EXPECT_EQ(flags->number("xla_gpu_dot_merger_threshold_mb"), 32);
  EXPECT_THAT(flags->list("xla_disable_hlo_passes"), testing::ElementsAre("cse", "dce"));
  EXPECT_TRUE(flags->on("xla_gpu_async_dot"));
  EXPECT_TRUE(flags->on("xla_allow_excess_precision"));  // the default
  EXPECT_THAT(flags->notes(), testing::IsEmpty());
}

TEST(XlaFlags, AsADumpsDebugOptionsFileWritesThem) {
  const auto flags = XlaFlags::parse(
      "xla_gpu_enable_triton_gemm: false\nxla_disable_hlo_passes: \"cse\"\nxla_disable_hlo_passes: "
      "\"dce\"\n");
  ASSERT_TRUE(flags.has_value()) << toString(flags.error());
  EXPECT_FALSE(flags->on("xla_gpu_enable_triton_gemm"));
  EXPECT_THAT(flags->list("xla_disable_hlo_passes"), testing::ElementsAre("cse", "dce"));
}

TEST(XlaFlags, WhatChoosesNothingIsSaid) {
  const auto flags = XlaFlags::parse("--xla_gpu_enable_triton_gem=true --xla_dump_to=/tmp/x");
  ASSERT_TRUE(flags.has_value());
  EXPECT_THAT(flags->notes(),
              testing::ElementsAre(
                  "unknown flag xla_gpu_enable_triton_gem; did you mean 'xla_gpu_enable_triton_gemm'?",
                  "xla_dump_to has no effect here"));
}

TEST(XlaFlags, WhatIsNoFlagIsRefused) {
  const auto refusal = [](std::string_view text) {
    const auto flags = XlaFlags::parse(text);
    return flags ? std::string() : flags.error().kind + ": " + flags.error().message;
  };
  EXPECT_EQ(refusal("xla_gpu_async_dot=true"), "bad-flag: 'xla_gpu_async_dot=true' is no flag");
  EXPECT_EQ(refusal("--xla_gpu_async_dot=maybe"),
            "bad-flag: xla_gpu_async_dot takes true or false, not 'maybe'");
  EXPECT_EQ(refusal("--xla_gpu_autotune_level=many"),
            "bad-flag: xla_gpu_autotune_level takes a whole number, not 'many'");
}

}  // namespace
}  // namespace hilo
