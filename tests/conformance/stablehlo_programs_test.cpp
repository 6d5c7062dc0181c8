// Below the folder that HILO_CORPUS names, every .mlir file of stablehlo_mlir/ opens or is refused
// with a reason, and the public test programs among them do what is told here, program by program: the
// table of docs/stablehlo.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "core/compiler/passes/canonicalize/refine_shapes.h"
#include "core/workspace/check/check_programs.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/path/open_path.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

using Counts = std::map<CheckOutcome, int>;

std::string kindOf(const std::string& file) {
  const bool program =
      file.find("/testdata/") != std::string::npos || file.find("/interpret/") != std::string::npos;
  if (!program) return "other files";
  if (file.find("quantized") != std::string::npos) return "quantized programs";
  return file.find("dynamic") != std::string::npos ? "dynamic programs" : "programs";
}

const char* corpus() { return std::getenv("HILO_CORPUS"); }
std::vector<std::string> files(const std::string& below) {
  return checkFiles({std::string(corpus()) + "/stablehlo_mlir" + below});
}

std::map<std::string, Counts> tableOf(const std::string& engine, std::set<std::string>& notPassing) {
  std::map<std::string, Counts> table;
  for (const std::string& file : files("")) {
    for (const ProgramResult& result : checkFile(file, engine)) {
      ++table[kindOf(file)][result.outcome];
      const bool hasReason = result.outcome == CheckOutcome::Pass || !result.reason.empty();
      EXPECT_TRUE(hasReason) << file << " " << result.program;
      if (kindOf(file) != "programs" || result.outcome == CheckOutcome::Pass) continue;
      notPassing.insert(file.substr(file.rfind('/') + 1) + " " + result.program);
      fmt::print("{} {}:{} {}: {}\n", checkOutcomeName(result.outcome), file, result.line, result.program,
                 result.reason);
    }
  }
  for (const auto& [kind, counts] : table) {
    std::string line;
    for (const auto& [outcome, count] : counts) printRows(static_cast<size_t>(count));
    for (const auto& [outcome, count] : counts)
      line += fmt::format(" {} {}", count, checkOutcomeName(outcome));
    fmt::print("{:<20}{}\n", kind, line);
  }
  return table;
}

TEST(StablehloPrograms, OpenAndPass) {
  if (corpus() == nullptr) GTEST_SKIP() << "HILO_CORPUS names no folder";
  std::set<std::string> notPassing;
  auto table = tableOf("reference", notPassing);
  // One takes its input from the command line, one looks at what a loop's iterations leave behind.
  EXPECT_EQ(notPassing,
            (std::set<std::string>{"api_input_arguments.mlir main", "probe.mlir probe_iterations"}));
  EXPECT_GE(table["programs"][CheckOutcome::Pass], 600);
  EXPECT_EQ(table["quantized programs"].size(), 1u);
  EXPECT_GE(table["quantized programs"][CheckOutcome::Pass], 29);
  // Dynamic programs that take arguments hold no answers; see below.
  EXPECT_EQ(table["dynamic programs"][CheckOutcome::Fail], 0);
  EXPECT_GE(table["dynamic programs"][CheckOutcome::Pass], 11);
}

// All but these: the cpu engine adds products up in f64, and runs one program on all devices.
TEST(StablehloPrograms, PassOnCpuToo) {
  if (corpus() == nullptr) GTEST_SKIP() << "HILO_CORPUS names no folder";
  std::set<std::string> notPassing;
  auto table = tableOf("cpu", notPassing);
  EXPECT_EQ(notPassing, (std::set<std::string>{"api_input_arguments.mlir main",
                                               "dot_general_uint8_4_3_complex64_3_6.mlir main",
                                               "probe.mlir probe_iterations", "send_recv.mlir main"}));
  EXPECT_GE(table["programs"][CheckOutcome::Pass], 600);
}

// Every size argument and every open dimension is 3.
std::vector<ArgumentSpec> threes(const Module& module) {
  std::vector<ArgumentSpec> specs;
  for (const Instruction* parameter : module.entry()->parameters()) {
    const Shape shape = parameter->shape();
    std::vector<int64_t> sizes;
    for (const int64_t size : shape.dimensions()) sizes.push_back(size == kUnboundedSize ? 3 : size);
    ArgumentSpec& spec = specs.emplace_back(
        ArgumentSpec{.shape = Shape::array(shape.elementType(), sizes).withDefaultLayout(), .value = {}});
    if (shape.isScalar() && shape.elementType() == ElementType::S64)
      spec.value = Literal::scalar<int64_t>(ElementType::S64, 3);
  }
  return specs;
}

TEST(StablehloPrograms, OpenShapesAreRefined) {
  if (corpus() == nullptr) GTEST_SKIP() << "HILO_CORPUS names no folder";
  int refined = 0;
  for (const std::string& file : files("/testdata")) {
    const auto opened = openFile(file);
    if (!opened || hasErrors((*opened)->diagnostics) || !hasOpenShapes(*(*opened)->module)) continue;
    const Module& module = *(*opened)->module;
    const auto made = refineShapes(module, threes(module));
    EXPECT_TRUE(made.has_value()) << file << "\n" << toString(made.error());
    refined += made.has_value() ? 1 : 0;
  }
  fmt::print("{} programs with open shapes\n", refined);
  printRows(static_cast<size_t>(refined));
  EXPECT_GT(refined, 40);
}

}  // namespace
}  // namespace hilo
