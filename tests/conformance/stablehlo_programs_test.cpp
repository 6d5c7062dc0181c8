// Below the folder that HILO_CORPUS names, every .mlir file of stablehlo_mlir/ opens or is refused with a
// reason, and of the public test programs that are neither dynamic nor quantized at least 98% pass on the
// reference engine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "core/workspace/check_programs.h"

namespace hilo {
namespace {

std::string kindOf(const std::string& file) {
  const bool program =
      file.find("/testdata/") != std::string::npos || file.find("/interpret/") != std::string::npos;
  if (!program) return "other files";
  if (file.find("quantized") != std::string::npos) return "quantized programs";
  return file.find("dynamic") != std::string::npos ? "dynamic programs" : "programs";
}

TEST(StablehloPrograms, OpenAndPass) {
  const char* corpus = std::getenv("HILO_CORPUS");
  if (corpus == nullptr) GTEST_SKIP() << "HILO_CORPUS names no folder";
  std::map<std::string, std::map<CheckOutcome, int>> table;
  for (const std::string& file : checkFiles({std::string(corpus) + "/stablehlo_mlir"})) {
    for (const ProgramResult& result : checkFile(file, "reference")) {
      ++table[kindOf(file)][result.outcome];
      const bool hasReason = result.outcome == CheckOutcome::Pass || !result.reason.empty();
      EXPECT_TRUE(hasReason) << file << " " << result.program;
      if (kindOf(file) == "programs" && result.outcome != CheckOutcome::Pass)
        fmt::print("{} {}:{} {}: {}\n", checkOutcomeName(result.outcome), file, result.line, result.program,
                   result.reason);
    }
  }
  for (const auto& [kind, counts] : table) {
    std::string line;
    for (const auto& [outcome, count] : counts)
      line += fmt::format(" {} {}", count, checkOutcomeName(outcome));
    fmt::print("{:<20}{}\n", kind, line);
  }
  int all = 0;
  for (const auto& [outcome, count] : table["programs"]) all += count;
  ASSERT_GT(all, 0);
  EXPECT_GE(100.0 * table["programs"][CheckOutcome::Pass] / all, 98.0);
}

}  // namespace
}  // namespace hilo
