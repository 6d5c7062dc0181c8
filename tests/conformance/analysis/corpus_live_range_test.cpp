// Compares the live ranges Hilo finds in the optimised modules of the dumps below HILO_CORPUS with those XLA
// wrote into "-buffer-assignment.txt", step by step.
#include <gtest/gtest.h>

#include <map>

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/value_live_ranges.h"
#include "core/hlo/dump/buffer_assignment.h"
#include "core/hlo/dump/load.h"
#include "core/hlo/verify/infer_shape.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

struct Comparison {
  int modules = 0, sequences = 0, ranges = 0, equal = 0;
  std::vector<std::string> differences;
};

void compare(const std::filesystem::path& path, Comparison& total) {
  std::string modulePath = path.string();
  modulePath.replace(modulePath.find("-buffer-assignment.txt"), std::string::npos, ".txt");
  const auto xla = parseBufferAssignment(readCorpusFile(path), path.string());
  const auto loaded = loadModule(modulePath, {.inferShape = inferShape});
  if (!xla || !loaded || xla->sequence.empty()) return;
  const auto aliases = AliasAnalysis::run(*loaded->module, backendOf(*loaded->module));
  ASSERT_TRUE(aliases) << modulePath << ": " << toString(aliases.error());
  const ValueLiveRanges ranges(*aliases);
  ++total.modules;
  std::vector<std::string> sequence;
  for (const Instruction* instruction : ranges.sequence()) sequence.emplace_back(instruction->name());
  total.sequences += sequence == xla->sequence;
  std::map<std::string, LiveRange> found;
  for (const HloValue& value : aliases->dataflow().values()) {
    if (const auto& range = ranges.of(value.id))
      found[fmt::format("{}{}", value.instruction().name(), toString(value.index()))] = *range;
  }
  for (const BufferLiveRange& listed : xla->liveRanges) {
    ++total.ranges;
    const std::string name = fmt::format("{}{{{}}}", listed.instruction, fmt::join(listed.shapeIndex, ","));
    const auto own = found.find(name);
    if (own != found.end() && own->second == LiveRange{listed.start, listed.end}) {
      ++total.equal;
      continue;
    }
    const std::string ours =
        own == found.end() ? "none" : fmt::format("{}-{}", own->second.start, own->second.end);
    total.differences.push_back(fmt::format("{}: {}: XLA {}-{}, Hilo {}", path.filename().string(), name,
                                            listed.start, listed.end, ours));
  }
}

TEST(CorpusLiveRanges, AreThoseXlaLists) {
  const auto corpus = corpusPath();
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  Comparison total;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*corpus)) {
    if (entry.path().filename().string().ends_with("-buffer-assignment.txt")) compare(entry.path(), total);
  }
  fmt::print("{} modules, {} with the same sequence; {} live ranges, {} equal\n", total.modules,
             total.sequences, total.ranges, total.equal);
  printRows(static_cast<size_t>(total.modules));
  for (size_t i = 0; i < std::min<size_t>(total.differences.size(), 20); ++i)
    fmt::print("  {}\n", total.differences[i]);
  EXPECT_EQ(total.sequences, total.modules);
  EXPECT_GE(total.equal, total.ranges * 99 / 100);
}

}  // namespace
}  // namespace hilo
