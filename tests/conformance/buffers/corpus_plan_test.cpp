// Hilo's buffer plans of the compiled modules below HILO_CORPUS, against XLA's own where there is one and
// against the most that is ever live.
#include <gtest/gtest.h>

#include <chrono>

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/value_live_ranges.h"
#include "core/compiler/buffers/buffer_assigner.h"
#include "core/compiler/buffers/plan_check.h"
#include "core/hlo/dump/file_bytes.h"
#include "core/hlo/dump/load.h"
#include "core/hlo/verify/infer_shape.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

struct Sizes {
  int64_t total = 0;  // all allocations but those of applied computations
  int64_t heap = 0;   // what the plan decides: temporaries and what lives out
};

Sizes sizesOf(const BufferAssignment& assignment) {
  Sizes sizes;
  for (const BufferAllocation& allocation : assignment.allocations) {
    if (allocation.isThreadLocal) continue;
    sizes.total += allocation.sizeBytes;
    if (!allocation.isEntryParameter && !allocation.isConstant) sizes.heap += allocation.sizeBytes;
  }
  return sizes;
}

struct Row {
  std::string name;
  size_t instructions = 0;
  Sizes hilo;
  std::optional<Sizes> xla;
  int64_t lowerBound = 0;  // of the temporary heaps
  int64_t tempBytes = 0;
  double seconds = 0;
  Diagnostics problems;
  size_t problemsOfXla = 0;
};

// Bytes of the heap that an optimal packing could not do without: the peak of its own trace.
void measureHeap(const BufferAssignment& assignment, Row& row) {
  for (size_t i = 0; i < assignment.allocations.size(); ++i) {
    const BufferAllocation& allocation = assignment.allocations[i];
    if (!allocation.isPreallocatedTemp) continue;
    row.tempBytes += allocation.sizeBytes;
    for (const int64_t id : assignment.peakBuffers[i]) {
      const auto assigned = std::ranges::find(allocation.assigned, id, &AssignedBuffer::bufferId);
      row.lowerBound += assigned->sizeBytes;
    }
    // Tables of tuples lie behind each other, never shared.
    for (const AssignedBuffer& assigned : allocation.assigned) {
      const LogicalBuffer* buffer = assignment.buffer(assigned.bufferId);
      if (buffer->shape.starts_with("(")) row.lowerBound += assigned.sizeBytes;
    }
  }
}

std::optional<Row> measure(const std::filesystem::path& path, const Module& module) {
  const auto start = std::chrono::steady_clock::now();
  const auto plan = assignBuffers(module);
  Row row{.name = path.filename().string(), .instructions = module.instructionCount()};
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!plan) {
    ADD_FAILURE() << path << ": " << toString(plan.error());
    return std::nullopt;
  }
  row.hilo = sizesOf(*plan);
  measureHeap(*plan, row);
  const auto aliases = AliasAnalysis::run(module, backendOf(module));
  row.problems = checkBufferPlan(ValueLiveRanges(*aliases), *plan);
  for (const Diagnostic& problem : row.problems) ADD_FAILURE() << path << ": " << toString(problem);
  return row;
}

// The modules XLA compiled: texts beside a buffer assignment, and protobufs that hold one.
std::vector<Row> measureAll(const std::filesystem::path& corpus) {
  std::vector<Row> rows;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    const std::string name = entry.path().filename().string();
    const bool text = name.ends_with("after_optimizations.txt");
    const bool proto = name.ends_with("after_optimizations.hlo.pb");
    const bool tpu =
        entry.path().string().find("optimized_tpu_text") != std::string::npos && isHloText(entry.path());
    if (!entry.is_regular_file() || !(text || proto || tpu)) continue;
    const auto loaded = loadModule(entry.path().string(), {.inferShape = inferShape});
    if (!loaded || hasErrors(loaded->diagnostics) || !loaded->module->isScheduled()) continue;
    auto row = measure(entry.path(), *loaded->module);
    if (!row) continue;
    std::optional<BufferAssignment> xla = loaded->bufferAssignment;
    const std::string report =
        entry.path().string().substr(0, entry.path().string().size() - 4) + "-buffer-assignment.txt";
    if (text && std::filesystem::exists(report)) {
      auto read = parseBufferAssignment(readCorpusFile(report), report);
      if (read) xla = std::move(*read);
    }
    if (xla) {
      row->xla = sizesOf(*xla);
      const auto aliases = AliasAnalysis::run(*loaded->module, backendOf(*loaded->module));
      const Diagnostics problems = checkBufferPlan(ValueLiveRanges(*aliases), *xla, 3);
      row->problemsOfXla = problems.size();
      for (const Diagnostic& problem : problems)
        fmt::print("  XLA's plan of {}: {}\n", name, toString(problem));
    }
    rows.push_back(std::move(*row));
  }
  return rows;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

TEST(CorpusPlans, AreAsSmallAsXlas) {
  const auto corpus = corpusPath();
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  const std::vector<Row> rows = measureAll(*corpus);
  std::vector<double> overBound, heapAgainstXla;
  size_t doubted = 0;
  int compared = 0, within = 0, smaller = 0, equal = 0;
  double slowest = 0;
  for (const Row& row : rows) {
    slowest = std::max(slowest, row.seconds);
    if (row.lowerBound > 0) overBound.push_back(double(row.tempBytes) / double(row.lowerBound) - 1);
    if (!row.xla) continue;
    ++compared;
    doubted += row.problemsOfXla > 0;
    const double heap =
        row.xla->heap == 0 ? (row.hilo.heap == 0 ? 0 : 1) : double(row.hilo.heap) / double(row.xla->heap) - 1;
    heapAgainstXla.push_back(heap);
    within += heap <= 0.02;
    smaller += row.hilo.heap < row.xla->heap;
    equal += row.hilo.heap == row.xla->heap;
    if (heap > 0.02 || row.instructions > 5000) {
      fmt::print(
          "  {}: {} instructions, {} bytes against XLA's {} ({:+.2f}%), temp {} against bound {}, {:.2f} s\n",
          row.name, row.instructions, row.hilo.heap, row.xla->heap, 100 * heap, row.tempBytes, row.lowerBound,
          row.seconds);
    }
  }
  printRows(rows.size());
  fmt::print("{} modules planned, slowest {:.2f} s; heap over its lower bound: median {:.3f}%\n", rows.size(),
             slowest, 100 * median(overBound));
  fmt::print("{} compared with XLA's plan: {} within 2%, {} equal, {} smaller; median {:+.3f}%\n", compared,
             within, equal, smaller, 100 * median(heapAgainstXla));
  fmt::print("plans in which the checker finds an overlap: none of Hilo's, {} of XLA's\n", doubted);
  EXPECT_LE(median(overBound), 0.03);
  EXPECT_LE(median(heapAgainstXla), 0.02);
}

}  // namespace
}  // namespace hilo
