#include "core/workspace/compiled/compiled_by_xla.h"

#include <fmt/format.h>

#include "core/hlo/dump/dump_name.h"
#include "core/hlo/dump/load.h"
#include "core/runtime/ptx/read_ptx.h"
#include "core/workspace/compiled/dumped_program.h"
#include "core/workspace/compiled/one_instruction.h"
#include "core/workspace/run/prepared_run.h"

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
    return fail("no-buffer-assignment", fmt::format("the dump of {} has no buffer assignment", module.name),
                {}, {"--xla_dump_hlo_as_text writes it"});
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
Result<std::string> readLlvmIr(const OpenedDump& dump, const DumpModuleInfo& module,
                               const CancelToken& cancel) {
  std::string all;
  for (const DumpFileInfo* file : filesOf(module, DumpPart::LlvmIr)) {
    if (!file->name.contains("no-opt")) continue;
    TRY(const std::string text, readDumpFile(dump, file->path, cancel));
    all += text;
  }
  return all;
}

const Instruction* instructionNamed(const Module& module, const std::string& name) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->name() == name) return instruction;
    }
  }
  return nullptr;
}

// What the dump has no values of is the same on every engine.
Result<std::shared_ptr<const Module>> filled(std::shared_ptr<const Module> module, uint64_t seed,
                                             std::vector<std::string>& notes) {
  TRY(const GeneratedArguments made, fillElidedConstants(*module, seed));
  notes.insert(notes.end(), made.notes.begin(), made.notes.end());
  return withConstants(std::move(module), made);
}

}  // namespace

Result<CompiledByXla> compiledByXla(const OpenedDump& dump, size_t moduleIndex,
                                    const AsCompiledOptions& options) {
  const DumpModuleInfo& module = dump.modules[moduleIndex];
  if (module.stages.empty())
    return fail("no-module", fmt::format("the dump of {} has no module in it", module.name));
  CompiledByXla made;
  TRY(const auto file, loadStage(dump, moduleIndex, module.stages.size() - 1));
  made.source = file->path;
  TRY(made.module, filled(file->module, options.seed, made.notes));
  TRY(BufferAssignment assignment, readAssignment(dump, module));
  TRY(std::vector<DumpedPtx> ptx, readPtxFiles(dump, module, options.cancel));
  TRY(const std::string llvmIr, readLlvmIr(dump, module, options.cancel));
  TRY(DumpedBuffers buffers, DumpedBuffers::make(*made.module, std::move(assignment)));
  const auto whole = made.module;  // what buffers speak of
  if (!options.instruction.empty()) {
    const Instruction* instruction = instructionNamed(*whole, options.instruction);
    if (instruction == nullptr)
      return fail("no-such-instruction",
                  fmt::format("{} has no instruction {}", module.name, options.instruction));
    TRY(made.module, moduleOfOne(*instruction));
    TRY(BufferAssignment own, assignmentOfOne(*instruction, *made.module, buffers));
    TRY(buffers, DumpedBuffers::make(*made.module, std::move(own)));
  }
  TRY(DumpedProgram program, programOfDump(*made.module, buffers, std::move(ptx), llvmIr, options.cancel));
  made.program = std::make_shared<const Program>(std::move(program.program));
  std::ranges::move(program.notes, std::back_inserter(made.notes));
  return made;
}

bool hasPtx(const DumpModuleInfo& module) { return !filesOf(module, DumpPart::Ptx).empty(); }

Result<RunRequest> asCompiledByXla(RunRequest request, const OpenedDump& dump, size_t moduleIndex,
                                   const JobContext& context) {
  TRY(CompiledByXla compiled,
      compiledByXla(dump, moduleIndex, {.seed = request.arguments.seed, .cancel = context.cancel()}));
  TRY(request.arguments, settleArguments(*compiled.module, request.arguments, context));
  request.module = std::move(compiled.module);
  request.source = std::move(compiled.source);
  request.program = std::move(compiled.program);
  request.compileNotes = std::move(compiled.notes);
  return request;
}

}  // namespace hilo
