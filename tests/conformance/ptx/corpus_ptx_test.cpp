// Every PTX file of the corpus is read, printed as it reads, and can be simulated; and a kernel that XLA
// compiled gives what its HLO says.
#include <gtest/gtest.h>

#include "core/compiler/codegen/simulate/load_ptx.h"
#include "core/runtime/ptx/read_ptx.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

std::vector<std::filesystem::path> ptxFiles() {
  std::vector<std::filesystem::path> files;
  const char* corpus = std::getenv("HILO_CORPUS");
  if (corpus == nullptr) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class CorpusPtx : public testing::Test {
 protected:
  void SetUp() override {
    if (ptxFiles().empty()) GTEST_SKIP() << "HILO_CORPUS is not set, or has no PTX: nothing to read";
  }
};

TEST_F(CorpusPtx, ReadsPrintsAndCanBeSimulated) {
  size_t kernels = 0;
  for (const auto& path : ptxFiles()) {
    SCOPED_TRACE(path.filename().string());
    const auto module = readPtx(readCorpusFile(path), path.filename().string());
    ASSERT_TRUE(module) << toString(module.error());
    const std::string printed = printPtx(*module);
    const auto again = readPtx(printed);
    ASSERT_TRUE(again) << toString(again.error());
    EXPECT_EQ(printPtx(*again), printed);
    const auto code = simulatePtx(*module, {});
    ASSERT_TRUE(code) << toString(code.error())
                      << (code.error().notes.empty() ? "" : code.error().notes.front());
    kernels += code->kernels.size();
  }
  printRows(kernels);
}

// An embedding's rows by indices: bf16[151936,1024] gathered by 5 of them, blocks of 128 elements.
TEST_F(CorpusPtx, AGatherOfXlaGivesTheRowsOfItsIndices) {
  for (const auto& path : ptxFiles()) {
    const std::string text = readCorpusFile(path);
    if (text.find(".entry loop_gather_fusion(") == std::string::npos) continue;
    const auto module = loadPtx(text, {.isChecked = true, .kernels = {"loop_gather_fusion"}});
    ASSERT_TRUE(module) << toString(module.error());
    std::vector<uint16_t> table(20 * 1024), out(5 * 1024);
    for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<uint16_t>(i * 31);
    std::vector<uint32_t> indices = {3, 0, 19, 7, 7};
    const void* params[] = {table.data(), indices.data(), out.data()};
    SimulatedMemory memory;
    memory.add("table", std::as_writable_bytes(std::span(table)), true);
    memory.add("indices", std::as_writable_bytes(std::span(indices)), true);
    memory.add("out", std::as_writable_bytes(std::span(out)), false);
    const auto report = module->launch({.kernel = "loop_gather_fusion",
                                        .grid = {40},
                                        .block = {128},
                                        .params = std::as_bytes(std::span(params))},
                                       &memory);
    ASSERT_TRUE(report) << toString(report.error());
    EXPECT_TRUE(report->findings.empty());
    for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], table[indices[i / 1024] * 1024 + i % 1024]);
    return;
  }
  GTEST_SKIP() << "no module of the corpus has this kernel";
}

}  // namespace
}  // namespace hilo
