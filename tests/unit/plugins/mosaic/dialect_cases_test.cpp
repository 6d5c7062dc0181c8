// Each operation of the dialect parses, verifies and prints; what is not valid is said. The cases lie in
// tests/conformance/mosaic/dialect_cases.txt.
#include <absl/strings/str_split.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/files.h"
#include "core/workspace/kernels/studied_kernel.h"

namespace hilo {
namespace {

struct Case {
  std::string name, expected, types, operation;
  std::string text() const;
};

// The operation in a function, with its values made before it.
std::string Case::text() const {
  std::string text = "module attributes {mosaic_gpu.arch_major = 9 : i32} {\nfunc.func @test() {\n";
  const std::vector<std::string> each = absl::StrSplit(types, "; ", absl::SkipEmpty());
  for (size_t n = 0; n < each.size(); ++n)
    text += fmt::format("%{} = builtin.unrealized_conversion_cast to {}\n", n, each[n]);
  return text + operation + "return\n}\n}\n";
}

std::vector<Case> readCases() {
  const auto file = readBytes("tests/conformance/mosaic/dialect_cases.txt");
  EXPECT_TRUE(file);
  std::vector<Case> cases;
  const std::vector<std::string> lines = absl::StrSplit(file.value_or(""), '\n');
  for (size_t at = 0; at + 3 < lines.size(); ++at) {
    if (!lines[at].starts_with("== ")) continue;
    Case made{lines[at].substr(3), lines[at + 1], lines[at + 2], ""};
    for (at += 3; at < lines.size() && !lines[at].empty(); ++at) made.operation += lines[at] + "\n";
    cases.push_back(std::move(made));
  }
  return cases;
}

std::string saidOf(const Result<StudiedKernel>& kernel) {
  if (!kernel) return toString(kernel.error());
  std::string all;
  for (const Diagnostic& problem : kernel->problems) all += toString(problem) + "\n";
  return all;
}

TEST(DialectCases, AreAsExpected) {
  const auto cases = readCases();
  EXPECT_GE(cases.size(), 151u);
  for (const Case& each : cases) {
    const std::string said = saidOf(studyKernel(each.text(), "test.mlir"));
    if (each.expected == "ok") {
      EXPECT_EQ(said, "") << each.name;
    } else {
      EXPECT_THAT(said, testing::HasSubstr(each.expected)) << each.name;
    }
  }
}

// What is printed reads as the same.
TEST(DialectCases, ArePrintedAsTheyAreRead) {
  for (const Case& each : readCases()) {
    if (each.expected != "ok") continue;
    const auto first = studyKernel(each.text(), "test.mlir");
    ASSERT_TRUE(first) << each.name;
    const auto second = studyKernel(first->text, "test.mlir");
    ASSERT_TRUE(second) << each.name << ": " << toString(second.error()) << first->text;
    EXPECT_EQ(second->text, first->text) << each.name;
    EXPECT_THAT(first->text, testing::HasSubstr("mosaic_gpu.")) << each.name;
  }
}

}  // namespace
}  // namespace hilo
