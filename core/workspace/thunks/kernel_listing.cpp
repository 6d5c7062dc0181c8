// The forms of a thunk's kernel, from HLO to machine code.
#include <fmt/format.h>

#include "core/compiler/codegen/cpu/disassembly.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "core/workspace/thunks/gpu_forms.h"
#include "core/workspace/thunks/studied_program.h"

namespace hilo {
namespace {

// Of a thunk without a kernel.
std::string_view workOf(std::string_view kind) {
  if (kind == "dot" || kind == "convolution" || kind == "row-blocks" || kind == "library")
    return "a library does the work, on the bytes it reads and writes";
  if (kind == "while" || kind == "conditional") return "it runs the thunks that stand inside it";
  if (kind == "copy") return "it copies bytes";
  return "the runtime does the work";
}

KernelForm joined(std::string title, ListedCode code, const StudiedProgram& program) {
  KernelForm form{.title = std::move(title), .text = std::move(code.text), .instructions = {}};
  for (const uint32_t of : code.instructions)
    form.instructions.push_back(of == ListedCode::kNone ? InstructionId() : joinedTo(program, of));
  return form;
}

// A thunk that is a launch of the kernel; null where it is called by others alone.
const KernelThunk* launchOf(const Program& program, uint32_t kernel) {
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      const auto* launch = std::get_if<KernelThunk>(&thunk.body);
      if (launch != nullptr && launch->kernel == kernel) return launch;
    }
  }
  return nullptr;
}

}  // namespace

Result<KernelForms> kernelForms(const ThunkStudy& study, uint32_t thunk,
                                const std::optional<LlvmKernelOptions>& options) {
  const StudiedThunk& of = study.thunks[thunk];
  if (study.program == nullptr || of.kernel == StudiedThunk::kNone)
    return fail("no-kernel", fmt::format("{} runs no kernel of Hilo's own: {}", of.name, workOf(of.kind)));
  const StudiedProgram& sources = *study.program;
  KernelForms forms;
  if (sources.module == nullptr) {
    const Program& program = *sources.program;
    TRY(std::string code,
        disassemble(program.objects[program.kernels[of.kernel].object].code, program.target));
    forms.forms.push_back({.title = "machine code", .text = std::move(code), .instructions = {}});
    return forms;
  }
  if (!of.instructions.empty())
    forms.forms.push_back(hloForm(*sources.module->instruction(of.instructions[0])));
  const CodegenEngine& codegen = *sources.codegen;
  const std::lock_guard lock(sources.mutex);
  if (sources.bitcode.empty()) {
    TRY(sources.bitcode, emitKernels(*sources.compiled, codegen, sources.program->target));
  }
  if (of.kernel >= sources.bitcode.size())
    return fail("no-kernel", fmt::format("{} runs a kernel that is not there", of.name));
  TRY(KernelListing listing,
      listKernel(sources.bitcode[of.kernel], codegen, sources.program->target, options));
  forms.options = listing.options;
  forms.forms.push_back(joined("LLVM IR as emitted", std::move(listing.before), sources));
  forms.forms.push_back(joined("LLVM IR, optimised", std::move(listing.after), sources));
  const bool isGpu = isForGrids(*sources.program);
  KernelForm assembly = joined(isGpu ? "PTX" : "assembly", std::move(listing.assembly), sources);
  if (options) {
    TRY(KernelListing said, listKernel(sources.bitcode[of.kernel], codegen, sources.program->target));
    const KernelForm before = joined("", std::move(said.assembly), sources);
    assembly = differenceOf(before, assembly, "assembly: - as compiled, + as chosen");
  }
  forms.forms.push_back(std::move(assembly));
  if (!isGpu) return forms;
  if (const KernelThunk* launch = launchOf(*sources.program, of.kernel))
    TRY_STATUS(addGpuForms(*sources.program, *launch, forms));
  return forms;
}

}  // namespace hilo
