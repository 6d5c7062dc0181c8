#include "core/workspace/compiled/compiled_by_xla.h"

#include <fmt/format.h>

#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/hlo/dump/dump_name.h"
#include "core/hlo/dump/load.h"
#include "core/runtime/ptx/read_ptx.h"
#include "core/workspace/compiled/dumped_program.h"

namespace hilo {
namespace {

std::vector<const DumpFileInfo*> filesOf(const DumpModuleInfo& module, DumpPart part) {
  std::vector<const DumpFileInfo*> files;
  for (const DumpFileInfo& file : module.files) {
    if (file.kind == dumpPartName(part)) files.push_back(&file);
  }
  return files;
}

Result<BufferAssignment> readAssignment(const OpenedDump& dump, const DumpModuleInfo& module) {
  const auto files = filesOf(module, DumpPart::BufferAssignment);
  if (files.empty())
    return fail("no-buffer-assignment", fmt::format("the dump of {} has no buffer assignment", module.name), {},
                {"--xla_dump_hlo_as_text writes it"});
  TRY(std::string bytes, readDumpFile(dump, files[0]->path));
  TRY(LoadedFile loaded, loadBytes(std::move(bytes), files[0]->path));
  if (loaded.bufferAssignment) return *std::move(loaded.bufferAssignment);
  return fail("no-buffer-assignment", "the file holds no buffer assignment", {.file = files[0]->path});
}

Result<std::vector<DumpedPtx>> readPtxFiles(const OpenedDump& dump, const DumpModuleInfo& module,
                                            const CancelToken& cancel) {
  std::vector<DumpedPtx> all;
  for (const DumpFileInfo* file : filesOf(module, DumpPart::Ptx)) {
    TRY(std::string text, readDumpFile(dump, file->path, cancel));
    TRY(PtxModule ptx, readPtx(text, file->name));
    all.push_back({.name = file->name, .text = std::move(text), .module = std::move(ptx)});
  }
  if (!all.empty()) return all;
  return fail("no-ptx", fmt::format("the dump of {} has no PTX", module.name), {},
              {"XLA:GPU writes it with --xla_dump_to, of modules that it compiles itself"});
}

// As it was before LLVM looked at it, where both are there: the functions are the same.
Result<std::string> readLlvmIr(const OpenedDump& dump, const DumpModuleInfo& module, const CancelToken& cancel) {
  std::string all;
  for (const DumpFileInfo* file : filesOf(module, DumpPart::LlvmIr)) {
    if (!file->name.contains("no-opt")) continue;
    TRY(const std::string text, readDumpFile(dump, file->path, cancel));
    all += text;
  }
  return all;
}

}  // namespace

Result<CompiledByXla> compiledByXla(const OpenedDump& dump, size_t moduleIndex, const CancelToken& cancel) {
  const DumpModuleInfo& module = dump.modules[moduleIndex];
  if (module.stages.empty())
    return fail("no-module", fmt::format("the dump of {} has no module in it", module.name));
  CompiledByXla made;
  TRY(made.file, loadStage(dump, moduleIndex, module.stages.size() - 1));
  TRY(BufferAssignment assignment, readAssignment(dump, module));
  TRY(std::vector<DumpedPtx> ptx, readPtxFiles(dump, module, cancel));
  TRY(std::string llvmIr, readLlvmIr(dump, module, cancel));
  TRY(DumpedBuffers buffers, DumpedBuffers::make(*made.file->module, std::move(assignment)));
  TRY(DumpedProgram program, programOfDump(*made.file->module, buffers, std::move(ptx), llvmIr, cancel));
  made.program = std::make_shared<const Program>(std::move(program.program));
  made.notes = std::move(program.notes);
  return made;
}

}  // namespace hilo
