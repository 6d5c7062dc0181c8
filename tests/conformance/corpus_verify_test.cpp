// Every HLO text of the corpus is verified. What XLA printed must have no errors; of what was written by
// hand, the modules with errors are listed one by one.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/hlo/text/parse.h"
#include "core/hlo/verify/infer_shape.h"
#include "core/hlo/verify/verify.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

struct Tally {
  size_t modules = 0;
  size_t unread = 0;  // not parsed without errors, so not verified
  size_t valid = 0;
  size_t warnings = 0;
  std::map<std::string, size_t> kinds;
  std::set<std::string> invalidFiles;
  std::vector<std::string> exceptions;
};

// File (below its corpus folder): what is wrong with it.
const std::map<std::string, std::string> kInvalidByHand = {
    {"xla/hlo/tools/tests/generate_hlo_test_checks_test_output.hlo",
     "a call hands a scalar to a vector parameter"},
    {"xla/hlo/transforms/tests/rewrite_bf16_conv_to_onednn.hlo",
     "the result of a convolution has another batch size"},
    {"xla/hlo/translate/hlo_to_mhlo/tests/custom_call.hlo", "unbounded shapes"},
    {"xla/hlo/translate/hlo_to_mhlo/tests/import.hlo",
     "unbounded shapes, reductions of vectors, a comparison that gives a tuple, a window that is not its "
     "kernel"},
    {"xla/tools/tests/data/invalid_concat.hlo", "made invalid on purpose"},
    {"valid/xla__hlo__ir__hlo_instruction_utils_test.cc.004.hlo", "an async chain without end"},
    {"valid/xla__hlo__parser__hlo_parser_test.cc.361.hlo", "a sparsity that is not 1 of N"},
    {"valid/xla__hlo__parser__hlo_parser_test.cc.362.hlo", "a sparsity that is not 1 of N"},
    {"valid/xla__hlo__parser__hlo_parser_test.cc.364.hlo", "an async chain that changes its result"},
    {"valid/xla__hlo__parser__hlo_parser_test.cc.365.hlo", "a dot that contracts nothing gives a matrix"},
    {"valid/xla__hlo__parser__hlo_parser_test.cc.381.hlo", "an async chain without end"},
    {"valid/xla__hlo__parser__hlo_parser_test.cc.382.hlo", "a fusion with fewer operands than parameters"},
    {"valid/xla__service__buffer_assignment_test.cc.018.hlo", "a float vector as a slice's start"},
    {"valid/xla__service__collective_pipeliner_test.cc.075.hlo", "groups of 4 scatter to 8"},
    {"valid/xla__service__hlo_verifier_test.cc.067.hlo", "made invalid on purpose"},
    {"valid/xla__service__instruction_fusion_test.cc.009.hlo", "a send that gives an array"},
};

void checkModule(const std::string& name, const ModuleText& piece, Tally& tally) {
  ++tally.modules;
  const ParseResult parsed = parseModule(
      std::string(piece.text), {.fileName = name, .firstLine = piece.firstLine, .inferShape = inferShape});
  const auto unreadable = std::ranges::find(parsed.diagnostics, Severity::kError, &Diagnostic::severity);
  if (parsed.module == nullptr || unreadable != parsed.diagnostics.end()) {
    ++tally.unread;
    if (unreadable != parsed.diagnostics.end())
      tally.exceptions.push_back("not read: " + toString(*unreadable));
    return;
  }
  const Diagnostics found = verify(*parsed.module, {.fileName = name, .firstLine = piece.firstLine});
  if (hasErrors(found)) {
    tally.invalidFiles.insert(name);
  } else {
    ++tally.valid;
  }
  for (const Diagnostic& diagnostic : found) {
    if (diagnostic.severity == Severity::kError) {
      ++tally.kinds[diagnostic.kind];
      tally.exceptions.push_back(toString(diagnostic));
    } else {
      ++tally.warnings;
    }
  }
}

class CorpusVerify : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto corpus = corpusPath(GetParam());
    if (!corpus) GTEST_SKIP() << kNoCorpus;
    root_ = *corpus;
  }

  Tally run() {
    Tally tally;
    for (const fs::path& file : hloTexts(root_)) {
      const std::string text = readCorpusFile(file);
      for (const ModuleText& piece : splitModules(text))
        checkModule(fs::relative(file, root_).string(), piece, tally);
    }
    fmt::print("{}: {} modules, {} valid, {} not read, {} warnings\n", GetParam(), tally.modules, tally.valid,
               tally.unread, tally.warnings);
    printRows(tally.modules);
    for (const auto& [kind, count] : tally.kinds) fmt::print("  {} x {}\n", count, kind);
    for (const std::string& exception : tally.exceptions) fmt::print("  {}\n", exception);
    return tally;
  }

  fs::path root_;
};

class VerifyPrintedByXla : public CorpusVerify {};
TEST_P(VerifyPrintedByXla, HasNoErrors) {
  const Tally tally = run();
  EXPECT_EQ(tally.valid, tally.modules - tally.unread);
}
INSTANTIATE_TEST_SUITE_P(Corpus, VerifyPrintedByXla,
                         ::testing::Values("models_before_opt", "optimized_gpu_dumps", "optimized_tpu_text",
                                           "torch_xla_neuron"));

class VerifyHandWritten : public CorpusVerify {};
TEST_P(VerifyHandWritten, OnlyTheListedAreInvalid) {
  const Tally tally = run();
  std::set<std::string> expected;
  for (const auto& [file, reason] : kInvalidByHand) {
    if (fs::exists(root_ / file)) expected.insert(file);
  }
  EXPECT_EQ(tally.invalidFiles, expected);
}
INSTANTIATE_TEST_SUITE_P(Corpus, VerifyHandWritten,
                         ::testing::Values("xla_hlo_files", "xla_cpp_tests_sample", "small_protos"));

}  // namespace
}  // namespace hilo
