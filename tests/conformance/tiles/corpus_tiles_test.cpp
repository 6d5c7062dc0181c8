// Fusions of the corpus for which XLA wrote down tiles: as tile programs on cpu and on the simulated
// GPU they give what the reference gives. What no tile program can be is named. HILO_CORPUS_EVERY takes
// some of the files.
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "core/analysis/tile_program/build_tile_program.h"
#include "core/analysis/tiling/fusion_config.h"
#include "core/runtime/program/program.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/run/tiled_module.h"
#include "tests/conformance/corpus_modules.h"

namespace hilo {
namespace {

// Of operands and results, and of dots: the evaluator is slow, and the simulated GPU slower.
constexpr int64_t kMostElements = 1 << 22, kMostProducts = 1 << 27;

int64_t elementsOf(const Instruction& fusion) {
  int64_t count = 0;
  const auto add = [&](Shape shape) {
    for (const Shape leaf : arrayLeaves(shape)) count += leaf.elementCount();
  };
  add(fusion.shape());
  for (const Instruction* operand : fusion.operands()) add(operand->shape());
  return count;
}

int64_t productsOf(const Instruction& fusion) {
  int64_t count = 0;
  for (const Instruction* i : fusion.calledComputations()[0]->instructions()) {
    if (i->opcode() != Opcode::Dot) continue;
    int64_t products = i->shape().elementCount();
    for (const int64_t d : i->get<Attr::LhsContractingDims>())
      products *= i->operand(0)->shape().dimension(static_cast<size_t>(d));
    count += products;
  }
  return count;
}

// "agree", or what came instead; "differ" and "failed" are mistakes.
std::string judged(const Instruction& fusion) {
  const auto config = fusionConfig(fusion);
  if (!config) return "refused: " + config.error().message;
  if (!*config) return "";
  const auto space = tilingSpace(fusion);
  if (!space) return "refused: " + space.error().message;
  const auto sizes = sizesOf(**config, *space);
  if (!sizes) return "refused: " + sizes.error().message;
  if (elementsOf(fusion) > kMostElements || productsOf(fusion) > kMostProducts) return "too large";
  const auto tiled = tiledModule(fusion, *sizes);
  if (!tiled) return "refused: " + tiled.error().message;
  const std::string engines[] = {"cpu", "cuda-sim"};
  const auto runs = runTiled(*tiled, engines, {});
  if (!runs) return "refused: " + toString(runs.error());
  for (const TiledRun& run : *runs) {
    const std::string kind = run.comparison ? "" : run.comparison.error().kind;
    if (kind == "not-runnable" || kind == "too-much-shared-memory")
      return "refused: " + toString(run.comparison.error());
    if (!run.comparison) return fmt::format("failed on {}: {}", run.engine, toString(run.comparison.error()));
    if (!run.comparison->comparable || run.comparison->verdict == Verdict::Differs)
      return fmt::format("differ on {}", run.engine);
  }
  return "agree";
}

// The text as the first of the file's own commands has it: "RUN: sed 's/WORD/OTHER/' ...".
std::string asRun(std::string text) {
  static const std::regex kSed(R"(// RUN: sed 's/(\w+)/(\w+)/')");
  std::smatch found;
  if (!std::regex_search(text, found, kSed)) return text;
  const std::string word = found[1], other = found[2];
  const size_t body = text.rfind("// RUN:");
  return std::regex_replace(text.substr(text.find('\n', body)), std::regex(word), other);
}

TEST(CorpusTiles, ConfiguredFusionsGiveWhatTheReferenceGives) {
  const auto root = corpusPath();
  if (!root) GTEST_SKIP() << kNoCorpus;
  std::map<std::string, int> counts;
  int fusions = 0;
  for (const auto& path : someOf(hloTexts(*root))) {
    const std::string text = asRun(readCorpusFile(path));
    if (!text.contains("triton_gemm_config") && !text.contains("block_level_fusion_config")) continue;
    const auto file = openBytes(text, path.string());
    if (!file || !requireVerified(*(*file)->module)) continue;
    for (const Instruction* fusion : (*file)->module->entry()->instructions()) {
      if (fusion->opcode() != Opcode::Fusion) continue;
      const std::string what = judged(*fusion);
      if (what.empty()) continue;
      ++fusions;
      ++counts[what.substr(0, what.find(' '))];
      if (what != "agree") fmt::print("{} %{}: {}\n", path.filename().string(), fusion->name(), what);
      EXPECT_FALSE(what.starts_with("differ") || what.starts_with("failed")) << path << " " << what;
    }
  }
  for (const auto& [what, count] : counts) fmt::print("{}: {}\n", what, count);
  printRows(static_cast<size_t>(fusions));
}

}  // namespace
}  // namespace hilo
