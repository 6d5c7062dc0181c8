#include "core/workspace/kernels/found_kernels.h"

#include <algorithm>
#include <filesystem>

#include "core/base/files.h"
#include "core/workspace/kernels/studied_kernel.h"
#include "core/workspace/path/open_path.h"

namespace hilo {
namespace {

// Of the parts that hold MLIR, the first module of the first.
Result<std::string> earliestModule(const MosaicDumpKernel& kernel) {
  for (const MosaicDumpFile& file : kernel.files) {
    if (file.part > MosaicDumpPart::Passes) break;
    TRY(std::string text, readBytes(file.path));
    if (file.part != MosaicDumpPart::Passes) return text;
    const auto dumps = splitPassLog(text);
    if (!dumps.empty()) return std::string(dumps[0].text);
  }
  return fail("no-kernel", "its files hold no MLIR", {.file = kernel.files[0].path});
}

FoundKernel dumpedKernel(const MosaicDumpKernel& kernel) {
  FoundKernel found{.name = kernel.name, .files = kernel.files};
  auto bytes = earliestModule(kernel);
  if (bytes) {
    found.bytes = *std::move(bytes);
  } else {
    found.unreadable = std::move(bytes).error();
  }
  return found;
}

void addFile(const OpenedFile& file, std::vector<FoundKernel>& found) {
  for (FoundKernel& kernel : kernelsOf(*file.module)) found.push_back(std::move(kernel));
  for (const auto& other : file.others) addFile(*other, found);
}

Result<std::vector<FoundKernel>> kernelsOfDump(const OpenedDump& dump, const CancelToken& cancel) {
  std::vector<FoundKernel> found;
  for (size_t module = 0; module < dump.modules.size(); ++module) {
    if (cancel.cancelled()) return fail("cancelled", "cancelled", {.file = dump.path});
    if (dump.modules[module].stages.empty()) continue;
    TRY(const auto last, loadStage(dump, module, dump.modules[module].stages.size() - 1));
    addFile(*last, found);
  }
  return found;
}

}  // namespace

std::vector<FoundKernel> kernelsOf(const Module& module) {
  std::vector<FoundKernel> found;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (!carriesKernel(*instruction)) continue;
      FoundKernel kernel{.name = std::string(instruction->name()), .module = std::string(module.name())};
      auto payload = kernelPayload(*instruction);
      if (payload) {
        kernel.bytes = std::move(payload->module);
        kernel.payload = *std::move(payload);
      } else {
        kernel.unreadable = std::move(payload).error();
      }
      found.push_back(std::move(kernel));
    }
  }
  return found;
}

Result<std::string> kernelTextOf(const Instruction& instruction, const CancelToken& cancel) {
  TRY(const KernelPayload payload, kernelPayload(instruction));
  TRY(const StudiedKernel kernel, studyKernel(payload.module, std::string(instruction.name()), cancel));
  return annotatedText(kernel);
}

Result<std::vector<FoundKernel>> findKernels(const std::string& path, const CancelToken& cancel) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    TRY(const auto dumped, scanMosaicDump(path));
    std::vector<FoundKernel> found;
    for (const MosaicDumpKernel& kernel : dumped) found.push_back(dumpedKernel(kernel));
    if (!found.empty()) return found;
  } else if (std::filesystem::is_regular_file(path, error)) {
    TRY(std::string bytes, readBytes(path, cancel));
    if (isKernel(bytes))
      return std::vector<FoundKernel>{
          {.name = std::filesystem::path(path).filename().string(), .bytes = std::move(bytes)}};
  }
  TRY(const OpenedItem item, openItem(path, cancel));
  if (const auto* dump = std::get_if<std::shared_ptr<const OpenedDump>>(&item))
    return kernelsOfDump(**dump, cancel);
  std::vector<FoundKernel> found;
  addFile(*std::get<std::shared_ptr<const OpenedFile>>(item), found);
  return found;
}

}  // namespace hilo
