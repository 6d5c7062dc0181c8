// Every HLO text of the corpus is parsed and printed as read. Dumps that XLA printed must come back byte
// for byte; hand-written files must reach a fixed point: printing what was parsed from a print gives
// that print again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "core/hlo/verify/infer_shape.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

struct Tally {
  size_t modules = 0;
  size_t clean = 0;          // no errors
  size_t withoutModule = 0;  // nothing in the text is HLO
  size_t identical = 0;      // byte for byte
  size_t fixedPoint = 0;     // print o parse o print = print
  std::vector<std::string> exceptions;
  std::vector<std::string> altered;  // read without errors, but not printed as read
};

std::string lineAt(std::string_view text, size_t at) {
  if (at >= text.size()) return "(end)";
  const size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  std::string line(text.substr(start, text.find('\n', at) - start));
  const size_t column = at - start;
  return column > 60 ? "..." + line.substr(column - 60, 120) : line.substr(0, 120);
}

std::string firstDifference(std::string_view expected, std::string_view actual) {
  const auto [a, b] = std::ranges::mismatch(expected, actual);
  const size_t at = static_cast<size_t>(a - expected.begin());
  return fmt::format("byte {}: read '{}', printed '{}'", at, lineAt(expected, at), lineAt(actual, at));
}

void checkModule(const std::string& name, std::string text, Tally& tally) {
  ++tally.modules;
  const std::string original = text;
  const ParseOptions options{.fileName = name, .inferShape = inferShape};
  const ParseResult parsed = parseModule(std::move(text), options);
  const auto error = std::ranges::find(parsed.diagnostics, Severity::kError, &Diagnostic::severity);
  const bool clean = error == parsed.diagnostics.end();
  if (clean) {
    ++tally.clean;
  } else {
    tally.exceptions.push_back(toString(*error));
  }
  if (parsed.module == nullptr) {
    ++tally.withoutModule;
    return;
  }
  const std::string printed = printModule(*parsed.module, PrintOptions::asRead(*parsed.module));
  if (printed == original) {
    ++tally.identical;
    ++tally.fixedPoint;
    return;
  }
  // What a tool cut up or put out of order has names without a definition: XLA's parser refuses it too.
  if (clean || error->kind == "unexpected-end") {
    tally.altered.push_back(fmt::format("{}: {}", name, firstDifference(original, printed)));
  }
  const ParseResult again = parseModule(printed, options);
  const std::string reprinted =
      again.module == nullptr ? "" : printModule(*again.module, PrintOptions::asRead(*again.module));
  if (reprinted == printed) {
    ++tally.fixedPoint;
  } else {
    tally.exceptions.push_back(
        fmt::format("{}: no fixed point: {}", name, firstDifference(printed, reprinted)));
  }
}

void checkFile(const fs::path& path, const std::string& name, Tally& tally) {
  const std::string text = readCorpusFile(path);
  const auto pieces = splitModules(text);
  for (size_t i = 0; i < pieces.size(); ++i) {
    checkModule(pieces.size() == 1 ? name : fmt::format("{}#{}", name, i), std::string(pieces[i].text),
                tally);
  }
}

class CorpusText : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto corpus = corpusPath(GetParam());
    if (!corpus) GTEST_SKIP() << kNoCorpus;
    root_ = *corpus;
  }

  Tally run() {
    Tally tally;
    for (const fs::path& file : hloTexts(root_)) checkFile(file, fs::relative(file, root_).string(), tally);
    fmt::print("{}: {} modules, {} without errors, {} byte for byte, {} at a fixed point\n", GetParam(),
               tally.modules, tally.clean, tally.identical, tally.fixedPoint);
    printRows(tally.modules);
    for (const std::string& exception : tally.exceptions) fmt::print("  {}\n", exception);
    if (std::getenv("HILO_CORPUS_VERBOSE") != nullptr) {
      for (const std::string& altered : tally.altered) fmt::print("  altered: {}\n", altered);
    }
    return tally;
  }

  fs::path root_;
};

class PrintedByXla : public CorpusText {};
TEST_P(PrintedByXla, ComesBackByteForByte) {
  const Tally tally = run();
  EXPECT_THAT(tally.altered, ::testing::IsEmpty());
  EXPECT_GT(tally.identical, 0u);
}
INSTANTIATE_TEST_SUITE_P(Corpus, PrintedByXla,
                         ::testing::Values("models_before_opt", "optimized_gpu_dumps", "optimized_tpu_text",
                                           "torch_xla_neuron"));

class HandWritten : public CorpusText {};
TEST_P(HandWritten, ReachesAFixedPoint) {
  const Tally tally = run();
  EXPECT_EQ(tally.fixedPoint, tally.modules - tally.withoutModule);
}
INSTANTIATE_TEST_SUITE_P(Corpus, HandWritten,
                         ::testing::Values("xla_hlo_files", "xla_cpp_tests_sample", "small_protos"));

}  // namespace
}  // namespace hilo
