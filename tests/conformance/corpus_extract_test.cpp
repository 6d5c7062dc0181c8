// Parts of real modules, cut out as the graph's "Copy as an HLO module" does: what comes out is read again,
// has no errors, and runs.
#include <gtest/gtest.h>

#include <map>

#include "core/analysis/cost_facts.h"
#include "core/analysis/grouping/grouping.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/text/extract.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

constexpr size_t kParts = 24;  // of each module
constexpr int64_t kMostFlops = 20'000'000;
constexpr int64_t kMostBytes = 64 << 20;
constexpr size_t kMostInstructions = 400;

// What one device can run by itself.
bool runsAlone(const Instruction& instruction) {
  switch (opcodeClass(instruction.opcode())) {
    case OpcodeClass::Collective:
    case OpcodeClass::Communication:
    case OpcodeClass::CustomCall:
      return false;
    default:
      break;
  }
  for (const Computation* called : instruction.calledComputations()) {
    if (!std::ranges::all_of(called->instructions(), [](const auto* i) { return runsAlone(*i); }))
      return false;
  }
  return true;
}

struct Part {
  std::string name;
  std::vector<InstructionId> instructions;
  int64_t cost = 0;
};

// The scopes of each computation, and what calls another computation, as far as they can be run here.
std::vector<Part> partsOf(const Module& module) {
  const ModuleCost cost(module);
  std::vector<Part> parts;
  for (const Computation* computation : module.computations()) {
    std::map<std::string, std::vector<const Instruction*>> scopes;
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::Parameter) continue;
      const auto names = opNameParts(i->opName());
      if (names.size() > 1) scopes[std::string(i->opName().substr(0, i->opName().rfind('/')))].push_back(i);
      if (Grouping::isCaller(*i)) scopes["%" + std::string(i->name())].push_back(i);
    }
    for (const auto& [name, members] : scopes) {
      Part part{name, {}, 0};
      int64_t bytes = 0;
      bool runs = members.size() <= kMostInstructions;
      for (const Instruction* i : members) {
        part.instructions.push_back(i->id());
        part.cost += cost.of(*i).flops;
        bytes += cost.of(*i).bytesAccessed;
        runs = runs && runsAlone(*i);
      }
      if (runs && part.cost <= kMostFlops && bytes <= kMostBytes) parts.push_back(std::move(part));
    }
  }
  // Spread over the module.
  std::vector<Part> some;
  const size_t step = std::max<size_t>(1, parts.size() / kParts);
  for (size_t n = 0; n < parts.size() && some.size() < kParts; n += step) some.push_back(std::move(parts[n]));
  return some;
}

class CorpusExtract : public ::testing::TestWithParam<const char*> {};

TEST_P(CorpusExtract, PartsAreModulesThatRun) {
  const auto path = corpusPath(GetParam());
  if (!path) GTEST_SKIP() << kNoCorpus;
  const auto file = openFile(path->string());
  ASSERT_TRUE(file) << toString(file.error());
  const std::vector<Part> parts = partsOf(*(*file)->module);
  EXPECT_GE(parts.size(), 5u);
  for (const Part& part : parts) {
    SCOPED_TRACE(part.name);
    const auto text = extractAsText(*(*file)->module, part.instructions);
    ASSERT_TRUE(text) << toString(text.error());
    const auto again = openBytes(*text, "part.hlo");
    ASSERT_TRUE(again) << toString(again.error());
    EXPECT_FALSE(hasErrors((*again)->diagnostics)) << toString((*again)->diagnostics.front()) << *text;
    const Diagnostics found = verifyFile(**again);
    EXPECT_FALSE(hasErrors(found)) << toString(found.front()) << *text;
    const auto run = execute({.module = (*again)->module, .devices = 1}, JobContext());
    EXPECT_TRUE(run) << toString(run.error()) << *text;
  }
  fmt::print("{}: {} parts\n", GetParam(), parts.size());
  printRows(parts.size());
}

INSTANTIATE_TEST_SUITE_P(
    Models, CorpusExtract,
    ::testing::Values(
        "models_before_opt/large_language_models/gemma3_4b/training/"
        "module_0096.jit_train_step.before_optimizations.txt",
        "models_before_opt/vision_diffusion/resnet50/training/"
        "module_1654.jit_train_step.before_optimizations.txt",
        "models_before_opt/vision_diffusion/stable_diffusion_1_5/inference/1gpu/"
        "module_0047.jit__fun.before_optimizations.txt",
        "optimized_gpu_dumps/gpu/jit__full_run.0/jit__full_run.sm_8.0_gpu_after_optimizations.txt",
        "torch_xla_neuron/kahfizulkifli/llama2/llama2_dp=1_tp=8_pp=4.hlo.txt"));

}  // namespace
}  // namespace hilo
