#include "core/workspace/kernels/mosaic_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace hilo {
namespace {

namespace fs = std::filesystem;

struct Row {
  std::string_view ending;
  MosaicDumpPart part;
  std::string_view name;
};
// A dump of XLA has files that end in .ll and .ptx too: those alone make no kernel.
constexpr Row kRows[] = {
    {".before_layout_inference.txt", MosaicDumpPart::BeforeInference, "before layout inference"},
    {".after_layout_inference.txt", MosaicDumpPart::AfterInference, "after layout inference"},
    {".mlir-passes.log", MosaicDumpPart::Passes, "passes"},
    {".ll", MosaicDumpPart::Llvm, "LLVM IR"},
    {".ptx", MosaicDumpPart::Ptx, "PTX"},
    {".ptxas", MosaicDumpPart::PtxAssembler, "what ptxas said"},
    {".sass", MosaicDumpPart::Sass, "SASS"},
    {".sass_ctrl", MosaicDumpPart::SassControl, "SASS with control codes"},
};
constexpr size_t kOwn = 3;
constexpr size_t kMostFiles = 100'000;

bool isOwn(MosaicDumpPart part) {
  return static_cast<size_t>(part) < kOwn || part == MosaicDumpPart::SassControl;
}

}  // namespace

std::string_view mosaicDumpPartName(MosaicDumpPart part) { return kRows[static_cast<size_t>(part)].name; }

Result<std::vector<MosaicDumpKernel>> scanMosaicDump(const std::string& folder) {
  std::map<std::string, MosaicDumpKernel> kernels;
  std::error_code error;
  size_t files = 0;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (++files > kMostFiles)
      return fail("dump-truncated", fmt::format("the folder has more than {} files", kMostFiles),
                  {.file = folder});
    const std::string name = at->path().filename().string();
    for (const Row& row : kRows) {
      if (!name.ends_with(row.ending) || name.size() == row.ending.size()) continue;
      MosaicDumpKernel& kernel = kernels[name.substr(0, name.size() - row.ending.size())];
      kernel.files.push_back({at->path().string(), row.part});
    }
  }
  if (error) return fail("not-readable", error.message(), {.file = folder});
  std::vector<MosaicDumpKernel> found;
  for (auto& [name, kernel] : kernels) {
    if (std::ranges::none_of(kernel.files, isOwn, &MosaicDumpFile::part)) continue;
    kernel.name = name;
    std::ranges::sort(kernel.files, {}, &MosaicDumpFile::part);
    found.push_back(std::move(kernel));
  }
  return found;
}

std::vector<MosaicPassDump> splitPassLog(std::string_view log) {
  constexpr std::string_view kMark = "// -----// IR Dump ", kEnd = " //----- //";
  std::vector<MosaicPassDump> dumps;
  for (size_t at = log.find(kMark); at != log.npos;) {
    const size_t line = log.find('\n', at);
    if (line == log.npos) break;
    std::string_view title = log.substr(at + kMark.size(), line - at - kMark.size());
    title = title.substr(0, title.find(kEnd));
    const size_t next = log.find(kMark, line);
    std::string pass(title);
    if (!pass.empty()) pass[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(pass[0])));
    dumps.push_back({std::move(pass), log.substr(line + 1, next == log.npos ? next : next - line - 1)});
    at = next;
  }
  return dumps;
}

}  // namespace hilo
