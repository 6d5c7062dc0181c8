// The collectives that the pipeline gpu makes of dumped modules before optimization, held against those of
// XLA's optimized modules of the same dumps: in sum within a tenth of XLA's bytes; which modules differ, and
// why, says collective_differences.tsv.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/hlo/text/parse.h"
#include "core/workspace/partition/collectives_against.h"
#include "tests/conformance/corpus_files.h"
#include "tests/conformance/spmd/xla_cases.h"

namespace hilo {
namespace {

struct DumpedPair {
  std::string name;
  std::shared_ptr<const Module> before, after;
  bool hasOwnPartitioner = false;  // in the program that made it, which a dump does not have
};

// Folders whose program XLA partitioned by shardings.
std::vector<std::filesystem::path> partitionedDumps(const std::filesystem::path& root) {
  std::set<std::filesystem::path> folders;
  for (const auto& file : hloTexts(root)) {
    if (file.filename().string().contains("before_spmd-partitioning")) folders.insert(file.parent_path());
  }
  return {folders.begin(), folders.end()};
}

std::optional<DumpedPair> pairIn(const std::filesystem::path& root, const std::filesystem::path& folder) {
  DumpedPair pair{.name = folder.lexically_relative(root).string()};
  for (const auto& file : hloTexts(folder)) {
    const std::string name = file.filename().string();
    const bool isBefore = name.ends_with("before_optimizations.txt");
    if (!isBefore && !name.ends_with("after_optimizations.txt")) continue;
    const std::string text = readCorpusFile(file);
    auto module = parseModuleStrictly(text);
    EXPECT_TRUE(module) << file;
    if (!module) return std::nullopt;
    if (isBefore) pair.hasOwnPartitioner = text.contains("CustomSPMDPartitioning");
    (isBefore ? pair.before : pair.after) = *std::move(module);
  }
  return pair.before && pair.after ? std::optional(std::move(pair)) : std::nullopt;
}

TEST(CorpusCollectives, AreXlasWithinATenthOfTheirBytes) {
  const auto root = corpusPath("optimized_gpu_dumps");
  if (!root) GTEST_SKIP() << kNoCorpus;
  std::map<std::string, std::string> known;
  for (const auto& row : readTable("collective_differences.tsv")) known[row[0]] = row[1];
  int64_t ours = 0, xlas = 0;
  size_t modules = 0;
  for (const auto& folder : partitionedDumps(*root)) {
    const auto pair = pairIn(*root, folder);
    if (!pair) continue;
    const auto against = partitionAgainst({.module = pair->before}, *pair->after, {});
    if (!against) {
      EXPECT_EQ(against.error().kind, "not-sharded") << pair->name << ": " << toString(against.error());
      continue;
    }
    const bool differs = !against->onlyOurs.empty() || !against->onlyXlas.empty();
    EXPECT_EQ(differs, known.contains(pair->name))
        << pair->name << ": " << against->sum.ourBytes << " bytes, XLA's " << against->sum.xlaBytes;
    if (pair->hasOwnPartitioner) continue;
    ++modules;
    ours += against->sum.ourBytes;
    xlas += against->sum.xlaBytes;
  }
  fmt::print("{} modules, {} bytes, XLA's {}\n", modules, ours, xlas);
  printRows(modules);
  EXPECT_GT(modules, 0u);
  EXPECT_NEAR(static_cast<double>(ours) / static_cast<double>(xlas), 1.0, 0.1);
}

}  // namespace
}  // namespace hilo
