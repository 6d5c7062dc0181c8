// Text to proto and back: what a module prints as must not change when it went through a protobuf. Runs over
// every HLO text below the folder that the environment variable HILO_CORPUS names.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/hlo/proto/proto_file.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "tests/conformance/corpus_files.h"
#include "tests/support/test_files.h"

namespace hilo {
namespace {

// One canonical print, so that the layout of the source text plays no part.
std::string print(const Module& module) {
  PrintOptions options;
  options.largeConstants = true;
  return printModule(module, options);
}

std::string firstDifference(std::string_view before, std::string_view after) {
  size_t at = 0;
  while (at < before.size() && at < after.size() && before[at] == after[at]) ++at;
  const size_t start = at < 100 ? 0 : at - 100;
  return fmt::format("\n  {}\n  {}", before.substr(start, 200), after.substr(start, 200));
}

struct Tally {
  int modules = 0;
  int same = 0;        // the first text
  int fixedPoint = 0;  // the second text
  int skipped = 0;     // did not parse as text
};

// The module as it comes back from a protobuf; null (and a failure) when it does not.
std::unique_ptr<Module> throughProto(const Module& module, Encoding encoding) {
  const auto bytes = writeProtoFile(module, {.kind = FileKind::HloModule, .encoding = encoding});
  if (!bytes) {
    ADD_FAILURE() << toString(bytes.error());
    return nullptr;
  }
  const FileFormat format = detectKind(*bytes);
  EXPECT_EQ(format.kind, FileKind::HloModule);
  auto file = readProtoFile(*bytes, format);
  if (!file) {
    ADD_FAILURE() << toString(file.error());
    return nullptr;
  }
  for (const Diagnostic& diagnostic : file->diagnostics) {
    // Parser tests of XLA leave operands out; their text is accepted, a message like that is not.
    if (diagnostic.kind != "operand-count")
      EXPECT_NE(diagnostic.severity, Severity::kError) << toString(diagnostic);
  }
  return std::move(file->module);
}

// What is not in a text because its writer was older than the field (topk's is_stable) is there after a
// protobuf: the first text may differ in that, the second may not.
void checkModule(const std::string& name, std::string text, Encoding encoding, Tally& tally) {
  SCOPED_TRACE(name);
  const ParseResult parsed = parseModule(std::move(text));
  if (parsed.module == nullptr || hasErrors(parsed.diagnostics)) {
    ++tally.skipped;
    return;
  }
  ++tally.modules;
  const auto once = throughProto(*parsed.module, encoding);
  if (once == nullptr) return;
  const auto twice = throughProto(*once, encoding);
  if (twice == nullptr) return;
  const std::string before = print(*parsed.module);
  const std::string after = print(*once);
  tally.same += before == after;
  if (before != after) fmt::print("{}{}\n", name, firstDifference(before, after));
  const std::string again = print(*twice);
  tally.fixedPoint += after == again;
  EXPECT_EQ(after, again) << firstDifference(after, again);
}

void checkFolder(Encoding encoding, size_t largestBytes) {
  const auto corpus = corpusPath();
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  Tally tally;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*corpus)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || (!path.ends_with(".txt") && !path.ends_with(".hlo"))) continue;
    if (entry.file_size() > largestBytes) continue;
    const std::string text = readTestFile(path);
    if (detectKind(text).kind != FileKind::HloText) continue;
    for (const ModuleText& piece : splitModules(text))
      checkModule(path, std::string(piece.text), encoding, tally);
  }
  printRows(static_cast<size_t>(tally.modules));
  fmt::print("modules: {}, the same text after a protobuf: {}, at a fixed point: {}, not read as text: {}\n",
             tally.modules, tally.same, tally.fixedPoint, tally.skipped);
}

TEST(CorpusTextProto, BinaryGivesTheSameText) { checkFolder(Encoding::Binary, size_t{1} << 30); }
TEST(CorpusTextProto, TextProtoGivesTheSameText) { checkFolder(Encoding::Text, 40'000); }

}  // namespace
}  // namespace hilo
