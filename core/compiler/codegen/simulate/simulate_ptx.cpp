#include <fmt/format.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <set>

#include "core/compiler/codegen/cpu/cpu_target.h"
#include "core/compiler/codegen/emit/codegen_targets.h"
#include "core/compiler/codegen/emit/kernel_builder.h"
#include "core/compiler/codegen/emit/kernel_compiler.h"
#include "core/compiler/codegen/simulate/function_emitter.h"
#include "core/compiler/codegen/simulate/inline_waits.h"
#include "core/compiler/codegen/simulate/lane_loops.h"
#include "core/compiler/codegen/simulate/load_ptx.h"
#include "core/compiler/codegen/simulate/split_regions.h"
#include "core/runtime/device/simulated/sim_thread.h"
#include "core/runtime/program/program.h"
#include "core/runtime/ptx/read_ptx.h"

namespace hilo {
namespace {

constexpr uint64_t kRecursionStack = 256 << 10;
constexpr uint64_t kFrameBytes = 8 << 10;

uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

void namesOf(const PtxOperand& operand, std::set<std::string>& names) {
  if (operand.kind == PtxOperand::Kind::Name) names.insert(operand.name);
  for (const PtxOperand& part : operand.parts) namesOf(part, names);
}

// What a kernel is made of: the functions it may call, and the names all of them use.
struct Reachable {
  std::vector<const PtxFunction*> functions;  // the kernel first
  std::set<std::string> names;
};
Reachable reachableFrom(const PtxModule& module, const PtxFunction& kernel) {
  Reachable reached{{&kernel}, {}};
  // A table of functions may be called through.
  for (const PtxVariable& variable : module.variables) {
    for (const PtxSymbolAt& symbol : variable.symbols) {
      const PtxFunction* held = module.function(symbol.name);
      if (held != nullptr && held->hasBody) reached.functions.push_back(held);
    }
  }
  for (size_t i = 0; i < reached.functions.size(); ++i) {
    std::set<std::string> names;
    for (const PtxInstruction& instruction : reached.functions[i]->instructions) {
      for (const PtxOperand& operand : instruction.operands) namesOf(operand, names);
    }
    for (const std::string& name : names) {
      const PtxFunction* called = module.function(name);
      if (called != nullptr && called->hasBody &&
          std::ranges::find(reached.functions, called) == reached.functions.end())
        reached.functions.push_back(called);
    }
    reached.names.merge(names);
  }
  return reached;
}

// One kernel on its way to code.
class KernelTranslation {
 public:
  KernelTranslation(const PtxModule& module, const PtxFunction& kernel, const SimulateOptions& options)
      : module_(module),
        ptx_(kernel),
        reached_(reachableFrom(module, kernel)),
        out_(std::make_unique<llvm::Module>(kernel.name, llvm_)),
        context_{
            .ptx = module, .out = *out_, .isChecked = options.isChecked, .isCounted = options.isCounted} {
    kernel_.name = kernel.name;
  }

  // The bitcode; problems say what it is not whole without.
  std::string translate(Diagnostics& problems);
  SimulatedKernel& kernel() { return kernel_; }

 private:
  void layOutParams();
  void layOutShared();
  void readAttributes();
  void measure();
  void checkSizes(Diagnostics& problems) const;
  bool isRow() const;
  llvm::Function* declare(const PtxFunction& function);
  void finish();

  const PtxModule& module_;
  const PtxFunction& ptx_;
  Reachable reached_;
  llvm::LLVMContext llvm_;
  std::unique_ptr<llvm::Module> out_;
  KernelContext context_;
  SimulatedKernel kernel_;
};

void KernelTranslation::layOutParams() {
  uint64_t at = 0;
  for (const PtxVariable& param : ptx_.params) {
    at = alignUp(at, param.alignedTo());
    context_.paramOffsets[param.name] = static_cast<uint32_t>(at);
    kernel_.params.push_back({param.name, static_cast<uint32_t>(at), static_cast<uint32_t>(param.bytes())});
    at += param.bytes();
  }
  kernel_.paramBytes = static_cast<uint32_t>(at);
}

// Variables of fixed size first; all without one begin where these end.
void KernelTranslation::layOutShared() {
  uint64_t at = 0;
  std::vector<const PtxVariable*> open;
  const auto add = [&](const PtxVariable& variable) {
    if (variable.space != PtxSpace::Shared) return;
    if (variable.bytes() == 0) return open.push_back(&variable);
    at = alignUp(at, variable.alignedTo());
    context_.sharedPlaces[variable.name] = static_cast<uint32_t>(at);
    kernel_.shared.push_back(
        {variable.name, static_cast<uint32_t>(at), static_cast<uint32_t>(variable.bytes())});
    at += variable.bytes();
  };
  for (const PtxVariable& variable : module_.variables) {
    if (reached_.names.contains(variable.name)) add(variable);
  }
  for (const PtxFunction* function : reached_.functions) std::ranges::for_each(function->variables, add);
  for (const PtxVariable* variable : open) at = alignUp(at, variable->alignedTo());
  for (const PtxVariable* variable : open) context_.sharedPlaces[variable->name] = static_cast<uint32_t>(at);
  kernel_.sharedBytes = static_cast<uint32_t>(at);
}

void KernelTranslation::readAttributes() {
  const auto read = [&](std::string_view name, uint32_t (&values)[3]) {
    const PtxAttribute* attribute = ptx_.attribute(name);
    if (attribute == nullptr) return;
    for (size_t i = 0; i < 3; ++i)
      values[i] = i < attribute->values.size() ? static_cast<uint32_t>(attribute->values[i]) : 1;
  };
  read("reqntid", kernel_.requiredThreads);
  read("reqnctapercluster", kernel_.requiredCluster);
  uint32_t most[3] = {0, 1, 1};
  read("maxntid", most);
  kernel_.mostThreads = most[0] * most[1] * most[2];
}

// What the host's stack must hold: functions that are called, and what LLVM spills.
void KernelTranslation::measure() {
  uint64_t stack = kFrameBytes;
  for (const PtxFunction* function : reached_.functions) {
    stack += function->registers.size() * 8 + kFrameBytes;
    for (const PtxVariable& variable : function->variables) {
      if (variable.space == PtxSpace::Local || variable.space == PtxSpace::Param)
        stack += alignUp(variable.bytes(), 16);
    }
    for (const PtxInstruction& instruction : function->instructions) {
      // A function that calls functions may come to itself again.
      if (instruction.op == PtxOp::Call && function != reached_.functions.front())
        stack = std::max(stack, kRecursionStack);
    }
    kernel_.instructions += function->instructions.size();
  }
  kernel_.stackBytes = static_cast<uint32_t>(std::min<uint64_t>(stack, uint64_t{1} << 30));
}

// Whether its lanes can be taken for a row of threads when a warp runs together: where y and z are not asked
// for a block of one row is the usual, and where a row is whole warps it is so.
bool KernelTranslation::isRow() const {
  if (kernel_.requiredThreads[0] != 0)
    return kernel_.requiredThreads[0] % kSimLanes == 0 ||
           kernel_.requiredThreads[1] * kernel_.requiredThreads[2] == 1;
  for (const PtxFunction* function : reached_.functions) {
    for (const PtxInstruction& instruction : function->instructions) {
      for (const PtxOperand& operand : instruction.operands) {
        if (operand.kind == PtxOperand::Kind::Special &&
            (operand.name == "%tid.y" || operand.name == "%tid.z"))
          return false;
      }
    }
  }
  return true;
}

llvm::Function* KernelTranslation::declare(const PtxFunction& function) {
  auto* pointer = llvm::PointerType::getUnqual(llvm_);
  std::vector<llvm::Type*> types(function.isEntry ? 4 : 1 + function.params.size() + function.returns.size(),
                                 pointer);
  if (function.isEntry)
    types.insert(types.end(), {llvm::Type::getInt32Ty(llvm_), llvm::Type::getInt1Ty(llvm_), pointer});
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(llvm_), types, false);
  auto* made = llvm::Function::Create(type, llvm::Function::InternalLinkage, "ptx." + function.name, *out_);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  made->addFnAttr("stack-probe-size", "1048576");
  return made;
}

// What a device has not either.
void KernelTranslation::checkSizes(Diagnostics& problems) const {
  constexpr uint64_t kMostParams = 32764, kMostShared = 1 << 20, kMostLocal = 512 << 10,
                     kMostGlobal = uint64_t{1} << 32;
  uint64_t params = 0, shared = 0, local = 0, global = 0;
  const auto add = [&](const PtxVariable& variable) {
    const bool isLocal = variable.space == PtxSpace::Local || variable.space == PtxSpace::Param;
    (variable.space == PtxSpace::Shared ? shared
     : isLocal                          ? local
                                        : global) += variable.bytes() + variable.alignedTo();
  };
  for (const PtxVariable& param : ptx_.params) params += param.bytes();
  std::ranges::for_each(module_.variables, add);
  for (const PtxFunction* function : reached_.functions) std::ranges::for_each(function->variables, add);
  const auto check = [&](const char* what, uint64_t bytes, uint64_t most) {
    if (bytes <= most) return;
    problems.push_back(
        {.kind = "unsupported-ptx",
         .message = fmt::format("{} has {} bytes of {}, more than {}", ptx_.name, bytes, what, most),
         .place = {.line = ptx_.line}});
  };
  check("parameters", params, kMostParams);
  check("shared memory", shared, kMostShared);
  check("local memory", local, kMostLocal);
  check("global memory", global, kMostGlobal);
}

std::string KernelTranslation::translate(Diagnostics& problems) {
  checkSizes(problems);
  if (!problems.empty()) return "";
  layOutParams();
  layOutShared();
  readAttributes();
  measure();
  for (const PtxFunction* function : reached_.functions)
    context_.functions[function->name] = declare(*function);
  for (const PtxFunction* function : reached_.functions)
    FunctionEmitter(context_, *function, context_.functions[function->name]).emit(problems);
  if (!problems.empty()) return "";
  inlineWaits(*out_, *context_.functions[ptx_.name], problems);
  if (!problems.empty()) return "";
  finish();
  return bitcodeOf(*out_);
}

// The code of one thread as that of warps.
void KernelTranslation::finish() {
  uint32_t values = 0;
  for (const SimulatedPoint& point : context_.points) values = std::max(values, point.values + 1);
  const ThreadRegions regions =
      splitRegions(*context_.functions[ptx_.name], context_.isChecked,
                   kContextRecords + values * kSimLanes * uint32_t{sizeof(uint64_t)});
  for (const uint32_t point : regions.points) kernel_.points.push_back(context_.points[point]);
  kernel_.contextBytes = static_cast<uint32_t>(alignUp(regions.contextBytes, kContextAlignment));
  kernel_.localOffset = regions.localOffset;
  kernel_.localBytes = regions.localBytes;
  kernel_.isRow = isRow();
  kernel_.accesses = context_.accesses;
  writeLaneLoops(*out_, regions, kernel_, !context_.isChecked && !context_.isCounted);
}

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
    Diagnostics problems;
    KernelTranslation translation(module, function, options);
    all.sources.push_back(translation.translate(problems));
    all.kernels.push_back(std::move(translation.kernel()));
    for (Diagnostic& problem : problems) {
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
  TRY(const ProgramTarget host, cpuTarget());
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
