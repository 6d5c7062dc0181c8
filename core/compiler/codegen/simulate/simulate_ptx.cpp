#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "core/compiler/codegen/cpu/cpu_target.h"
#include "core/compiler/codegen/emit/codegen_targets.h"
#include "core/compiler/codegen/emit/kernel_builder.h"
#include "core/compiler/codegen/emit/kernel_compiler.h"
#include "core/compiler/codegen/simulate/kernel_translation.h"
#include "core/compiler/codegen/simulate/load_ptx.h"
#include "core/compiler/codegen/simulate/operand_emitter.h"
#include "core/runtime/program/program.h"
#include "core/runtime/ptx/read_ptx.h"

namespace hilo {
namespace {

SimulatedGlobal globalOf(const PtxModule& module, const PtxVariable& variable) {
  SimulatedGlobal global{.name = variable.name,
                         .bytes = variable.bytes(),
                         .alignment = variable.alignedTo(),
                         .initial = variable.initial,
                         .isConst = variable.space == PtxSpace::Const};
  for (const PtxSymbolAt& symbol : variable.symbols) {
    const uint64_t function = functionAddress(module, symbol.name);
    if (function == 0) {
      global.symbols.push_back({symbol.offset, symbol.bytes, symbol.name, symbol.addend});
    } else {
      std::memcpy(global.initial.data() + symbol.offset, &function, symbol.bytes);
    }
  }
  return global;
}

bool isWanted(const PtxFunction& function, const SimulateOptions& options) {
  if (!function.isEntry || !function.hasBody) return false;
  return options.kernels.empty() ||
         std::ranges::find(options.kernels, function.name) != options.kernels.end();
}

struct Translated {
  std::vector<std::string> sources;  // bitcode
  std::vector<SimulatedKernel> kernels;
  Diagnostics problems;  // each once, though functions are in several kernels
};
Translated translateAll(const PtxModule& module, const SimulateOptions& options) {
  Translated all;
  std::set<std::tuple<uint32_t, uint32_t, std::string>> told;
  for (const PtxFunction& function : module.functions) {
    if (!isWanted(function, options)) continue;
    TranslatedKernel kernel = translateKernel(module, function, options);
    all.sources.push_back(std::move(kernel.bitcode));
    all.kernels.push_back(std::move(kernel.kernel));
    for (Diagnostic& problem : kernel.problems) {
      if (!told.emplace(problem.place.line, problem.place.column, problem.message).second) continue;
      problem.place.file = options.file;
      all.problems.push_back(std::move(problem));
    }
  }
  return all;
}

Diagnostic joined(Diagnostics problems) {
  Diagnostic first = std::move(problems.front());
  for (size_t i = 1; i < problems.size(); ++i)
    first.notes.push_back(fmt::format("line {}: {}", problems[i].place.line, problems[i].message));
  return first;
}

}  // namespace

Diagnostics simulationObstacles(const PtxModule& module, const SimulateOptions& options) {
  return translateAll(module, options).problems;
}

Result<SimulatedCode> simulatePtx(const PtxModule& module, const SimulateOptions& options) {
  for (const std::string& wanted : options.kernels) {
    const PtxFunction* found = module.function(wanted);
    if (found == nullptr || !found->isEntry || !found->hasBody)
      return fail("unknown-kernel", fmt::format("no kernel is called {}", wanted), {.file = options.file});
  }
  Translated translated = translateAll(module, options);
  if (!translated.problems.empty()) return std::unexpected(joined(std::move(translated.problems)));
  SimulatedCode code{.file = options.file, .isChecked = options.isChecked, .isCounted = options.isCounted};
  const auto addGlobals = [&](const std::vector<PtxVariable>& variables) {
    for (const PtxVariable& variable : variables) {
      if (variable.space == PtxSpace::Global || variable.space == PtxSpace::Const)
        code.globals.push_back(globalOf(module, variable));
    }
  };
  addGlobals(module.variables);
  for (const PtxFunction& function : module.functions) addGlobals(function.variables);
  code.kernels = std::move(translated.kernels);
  std::vector<Kernel> kernels;
  for (const SimulatedKernel& kernel : code.kernels)
    kernels.push_back({kernel.name, KernelBuilder::kSymbol, 0});
  TRY(const ProgramTarget host, processorTarget());
  const CodegenTarget& kind = *findCodegenTarget(host.triple);
  const KernelCompileOptions compile{.target = host,
                                     .cacheFolder = options.cacheFolder,
                                     .threads = options.threads,
                                     .cancel = options.cancel};
  TRY(const CompiledKernels compiled, compileKernels(translated.sources, kernels, kind, compile));
  for (size_t i = 0; i < code.kernels.size(); ++i)
    code.kernels[i].object = compiled.objects[compiled.objectOf[i]].code;
  return code;
}

Result<SimulatedModule> loadPtx(std::string_view text, const SimulateOptions& options) {
  TRY(const PtxModule module, readPtx(text, options.file));
  TRY(SimulatedCode code, simulatePtx(module, options));
  return SimulatedModule::load(std::move(code));
}

}  // namespace hilo
