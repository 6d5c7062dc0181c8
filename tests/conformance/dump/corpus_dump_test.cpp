// Scans the folder that the environment variable HILO_CORPUS names as a dump and reads every report in it.
#include <gtest/gtest.h>

#include "core/hlo/dump/dump_directory.h"
#include "core/hlo/dump/file_bytes.h"
#include "core/hlo/dump/load.h"
#include "core/hlo/dump/memory_report.h"
#include "core/hlo/dump/thunk_sequence.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

struct Counts {
  int assignments = 0;
  int thunkSequences = 0;
  int memoryReports = 0;
  int textTrees = 0;
};

template <typename T>
void expectRead(const Result<T>& read, int& count) {
  if (read) {
    ++count;
  } else {
    ADD_FAILURE() << toString(read.error());
  }
}

void checkReport(const DumpFile& file, Counts& counts) {
  SCOPED_TRACE(file.path);
  const auto bytes = readFileBytes(file.path);
  ASSERT_TRUE(bytes) << toString(bytes.error());
  switch (file.meaning.part) {
    case DumpPart::BufferAssignment:
      return expectRead(parseBufferAssignment(bytes->bytes, file.path), counts.assignments);
    case DumpPart::ThunkSequence:
      return expectRead(parseThunkSequence(bytes->bytes, file.path), counts.thunkSequences);
    case DumpPart::MemoryReport:
      return expectRead(parseMemoryReport(bytes->bytes, file.path), counts.memoryReports);
    case DumpPart::TargetConfig:
    case DumpPart::AutotuneResults:
      return expectRead(loadTextTree(file.path), counts.textTrees);
    default:
      return;
  }
}

TEST(CorpusDump, EveryReportReads) {
  const auto corpus = corpusPath();
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  const auto dump = scanDumpDirectory(*corpus);
  ASSERT_TRUE(dump) << toString(dump.error());
  Counts counts;
  size_t stages = 0;
  size_t others = 0;
  for (const DumpModule& module : dump->modules) {
    stages += module.stages().size();
    others += module.parts(DumpPart::Other).size();
    for (const DumpFile& file : module.files) checkReport(file, counts);
  }
  fmt::print(
      "modules {}, stages {}, buffer assignments {}, thunk sequences {}, memory reports {}, text protos {}, "
      "unknown files of modules {}, other files {}\n",
      dump->modules.size(), stages, counts.assignments, counts.thunkSequences, counts.memoryReports,
      counts.textTrees, others, dump->others.size());
  printRows(dump->modules.size());
}

}  // namespace
}  // namespace hilo
