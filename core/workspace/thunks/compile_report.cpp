#include "core/workspace/thunks/compile_report.h"

#include <fmt/format.h>

#include <chrono>

#include "core/base/files.h"
#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "core/hlo/proto/message_io.h"
#include "core/runtime/program/program_file.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/run/gpu_assembly.h"
#include "core/workspace/run/gpu_compile.h"
#include "core/workspace/run/target_options.h"
#include "core/workspace/thunks/thunk_text.h"

namespace hilo {

namespace {

struct Compiled {
  CompiledModule module;
  const CodegenEngine* codegen = nullptr;
};

Result<Compiled> compiledFor(const CompileRequest& request, const CancelToken& cancel) {
  if (isGpuTargetName(request.targetPath)) {
    TRY(const ProgramTarget target, gpuTarget(request.targetPath));
    TRY(CompiledModule compiled, compileForGpu(request.module, target, cancel));
    return Compiled{std::move(compiled), &gpuCodegen()};
  }
  TRY(const Engine* engine, compilingEngine(request.engine));
  CompileOptions options{.processor = request.processor};
  if (!request.targetPath.empty()) {
    TRY(options.target, readTarget(request.targetPath));
  }
  TRY(CompiledModule compiled, engine->compiler->compile(request.module, options, cancel));
  return Compiled{std::move(compiled), &codegenOf(*engine)};
}

}  // namespace

Result<CompileReport> compileAndReport(const CompileRequest& request, const CancelToken& cancel) {
  const auto start = std::chrono::steady_clock::now();
  TRY(const Compiled made, compiledFor(request, cancel));
  const CompiledModule& compiled = made.module;
  const auto took = std::chrono::steady_clock::now() - start;
  if (!request.savePath.empty()) TRY_STATUS(saveProgram(compiled.program, request.savePath));
  if (!request.targetOut.empty()) {
    TRY(const std::string target, writtenTarget(compiled.program.target, isTextProtoName(request.targetOut)));
    TRY_STATUS(writeBytes(request.targetOut, target));
  }
  const bool isPtx = made.codegen == &gpuCodegen();
  CompileReport report{.text = isPtx ? ptxText(compiled.program) : toText(compiled.program),
                       .json = toJson(compiled.program),
                       .dot = {},
                       .compileNs = std::chrono::duration_cast<std::chrono::nanoseconds>(took).count(),
                       .kernelCount = compiled.counts.kernels,
                       .distinctKernels = compiled.counts.distinct,
                       .kernelsFromCache = compiled.counts.fromCache,
                       .notes = compiled.notes};
  if (request.assembles) {
    TRY(const auto kernels, assembleKernels(compiled.program, kernelCacheFolder()));
    report.assembled = toText(kernels);
  }
  if (request.makesDot) {
    TRY(const ThunkStudy study, studyProgram(std::make_shared<const Program>(compiled.program)));
    report.dot = toDot(study);
  }
  std::vector<bool> listed(compiled.program.objects.size());
  for (size_t i = 0; request.listsKernels && i < compiled.kernelSources.size(); ++i) {
    const Kernel& kernel = compiled.program.kernels[i];
    if (listed[kernel.object]) continue;
    listed[kernel.object] = true;
    TRY(const KernelListing listing,
        listKernel(compiled.kernelSources[i], *made.codegen, compiled.program.target));
    report.kernels +=
        fmt::format("==== kernel {}: {}\n---- as emitted\n{}---- optimised\n{}---- assembly\n{}", i,
                    kernel.name, listing.before.text, listing.after.text, listing.assembly.text);
  }
  return report;
}

}  // namespace hilo
