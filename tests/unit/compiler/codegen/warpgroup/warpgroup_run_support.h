// A kernel as text on the simulated GPU in check mode, on arrays of the test.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/analysis/kernel_layouts/inference/kernel_text.h"
#include "core/base/float_formats.h"
#include "core/compiler/toolchain/assemble_ptx.h"
#include "core/workspace/kernels/warpgroup_run.h"

namespace hilo::warpgroup {

inline Result<WarpgroupKernel> loweredText(std::string_view text) {
  TRY(const auto kernel, inference::parseKernel(text));
  TRY(const auto layouts, inference::inferLayouts(kernel));
  if (!layouts.isFound()) return std::unexpected(inference::whyNoLayouts(kernel, layouts));
  return lowerKernel(kernel, layouts);
}

// "LINE: MESSAGE" of why it is not lowered; "" where it is.
inline std::string refusalOf(std::string_view text) {
  const auto lowered = loweredText(text);
  if (lowered) return "";
  return std::to_string(lowered.error().place.line) + ": " + lowered.error().message;
}

template <typename T>
Literal literalOf(ElementType type, std::vector<int64_t> dims, const std::vector<T>& values) {
  Literal literal(Shape::array(type, dims));
  EXPECT_EQ(literal.bytes().size(), values.size() * sizeof(T));
  std::memcpy(literal.mutableBytes().data(), values.data(), literal.bytes().size());
  return literal;
}

template <typename T>
std::vector<T> valuesOf(const Literal& literal) {
  const auto values = literal.data<T>();
  return {values.begin(), values.end()};
}

// Nothing where ptxas is not on this machine.
inline void expectAssembled(const WarpgroupKernel& kernel) {
  const Tool ptxas = findTool(ToolId::Ptxas, toolSearchHere());
  if (!ptxas.isUsable()) return;
  const auto ptx = ptxOf(kernel);
  ASSERT_TRUE(ptx) << toString(ptx.error());
  const auto made = assemblePtx(ptxas, *ptx, kernel.gpu);
  EXPECT_TRUE(made) << toString(made.error());
}

// The arrays afterwards; none where it cannot run. That check mode finds nothing, and that ptxas takes the
// kernel's PTX, is expected.
inline std::vector<Literal> runText(std::string_view text, std::vector<Literal> arrays) {
  const auto lowered = loweredText(text);
  EXPECT_TRUE(lowered) << (lowered ? "" : toString(lowered.error()));
  if (!lowered) return {};
  expectAssembled(*lowered);
  auto run = runOnSimulatedGpu(*lowered, std::move(arrays), true);
  EXPECT_TRUE(run) << (run ? "" : toString(run.error()));
  if (!run) return {};
  for (const Diagnostic& finding : run->findings)
    EXPECT_EQ(finding.severity, Severity::kNote) << toString(finding);
  return std::move(run->arrays);
}

// Small whole numbers, exact in every type.
template <typename T>
std::vector<T> smallNumbers(size_t count, int modulus = 7, int least = -3) {
  std::vector<T> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(
        T(static_cast<float>(static_cast<int>((i * 5 + i / 11) % static_cast<size_t>(modulus)) + least)));
  return values;
}

}  // namespace hilo::warpgroup
