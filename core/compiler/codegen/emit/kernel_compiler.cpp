#include "core/compiler/codegen/emit/kernel_compiler.h"

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Target/TargetMachine.h>
#include <xxhash.h>

#include <thread>

#include "core/compiler/codegen/emit/kernel_builder.h"
#include "core/compiler/codegen/emit/kernel_cache.h"
#include "core/compiler/codegen/emit/llvm_analyses.h"
#include "core/compiler/codegen/emit/scalar_library.h"
#include "core/compiler/codegen/emit/target_machine.h"

namespace hilo {
namespace {

// Changes whenever the same bitcode would give other code.
constexpr std::string_view kCompilerVersion = "llvm-" LLVM_VERSION_STRING "-1";

// The host's compiler wrote the calls of the C library as its own target makes them.
bool isOfHostAlone(llvm::Type* type) {
  if (type->isVectorTy() || type->isX86_FP80Ty()) return true;
  return llvm::any_of(type->subtypes(), isOfHostAlone);
}

Status checkInstructions(const llvm::Module& module, const CodegenTarget& kind) {
  if (kind.cannotEmit == nullptr) return {};
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!kind.cannotEmit(instruction)) continue;
      std::string text;
      llvm::raw_string_ostream(text) << instruction;
      return fail("codegen-failed", fmt::format("LLVM has no code for {} on {}", text, kind.triple));
    }
  }
  return {};
}

Status checkCalls(const llvm::Module& module, const CodegenTarget& kind) {
  if (kind.callsAsHost) return {};
  const bool hasCLibrary = kind.scalars == ScalarBuild::Host;
  for (const llvm::Function& function : module) {
    const bool isCalled = function.isDeclaration() && !function.isIntrinsic() && !function.use_empty();
    if (isCalled && !hasCLibrary)
      return fail("codegen-failed",
                  fmt::format("{} has no function {}", kind.triple, function.getName().str()));
    if (isCalled && isOfHostAlone(function.getFunctionType()))
      return fail("unsupported-cpu",
                  fmt::format("{} is called the way {} does, which {} does not", function.getName().str(),
                              scalarLibraryTriple(), kind.triple));
  }
  return {};
}

// Compiles kernels one after the other on one thread.
class CodeGenerator {
 public:
  static Result<CodeGenerator> make(const CodegenTarget& kind, const ProgramTarget& target, bool quick) {
    CodeGenerator generator(kind, quick);
    TRY(generator.machine_, makeTargetMachine(kind, target, quick));
    return generator;
  }

  Result<std::unique_ptr<llvm::Module>> read(llvm::LLVMContext& context, const std::string& source) const {
    auto module = llvm::parseBitcodeFile({source, "kernel"}, context);
    if (!module) {
      std::string message;
      llvm::handleAllErrors(module.takeError(),
                            [&](const llvm::ErrorInfoBase& info) { message = info.message(); });
      return fail("codegen-failed", message);
    }
    (*module)->setTargetTriple(machine_->getTargetTriple());
    (*module)->setDataLayout(machine_->createDataLayout());
    return std::move(*module);
  }

  Status optimize(llvm::Module& module) const {
    TRY_STATUS(linkScalarLibrary(module, kind_->scalars, !quick_));
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(module, &stream))
      return fail("codegen-failed", "the kernel is malformed: " + problem);
    llvm::PipelineTuningOptions tuning;
    const LlvmKernelOptions options = optionsOf(module);
    tuning.LoopVectorization = !quick_ && !options.optimizeForSize;
    tuning.SLPVectorization = !quick_ && !options.optimizeForSize && !options.slpVectorizerDisabled;
    tuning.LoopUnrolling = !options.disableLoopUnrolling;
    llvm::PassBuilder builder(machine_.get(), tuning);
    if (kind_->addPasses != nullptr) kind_->addPasses(builder);
    LlvmAnalyses analyses(builder);
    builder.buildPerModuleDefaultPipeline(quick_ ? llvm::OptimizationLevel::O1 : llvm::OptimizationLevel::O2)
        .run(module, analyses.modules);
    TRY_STATUS(checkCalls(module, *kind_));
    return checkInstructions(module, *kind_);
  }

  // What is kept of a kernel.
  Result<std::string> emit(llvm::Module& module) const {
    return emit(module,
                kind_->emitsText ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile);
  }
  Result<std::string> emit(llvm::Module& module, llvm::CodeGenFileType type) const {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    if (machine_->addPassesToEmitFile(passes, stream, nullptr, type))
      return fail("codegen-failed", "the target cannot emit object files");
    passes.run(module);
    return std::string(bytes.begin(), bytes.end());
  }

 private:
  CodeGenerator(const CodegenTarget& kind, bool quick) : kind_(&kind), quick_(quick) {}

  const CodegenTarget* kind_;
  bool quick_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

std::string cacheKey(const std::string& source, const CodegenTarget& kind, const ProgramTarget& target,
                     bool quick) {
  std::string content = fmt::format("{}|{}|{}", codegenVersion(), target.triple, processorOf(kind, target));
  for (const std::string& feature : target.features) content += "," + feature;
  content += quick ? "|quick|" : "|";
  content += source;
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

// One distinct kernel on its way.
struct Job {
  const std::string* source;
  const Kernel* kernel;  // the first of them
  std::string key;       // in the cache; "" without one
  std::string object;
};

Status compileOne(Job& job, const CodeGenerator& generator, KernelCache& cache,
                  const KernelCompileOptions& options) {
  const SlowWatch::Work work(
      SlowWatch::ofProcess(),
      fmt::format("the kernel {}, by LLVM for {},", job.kernel->name, options.target.processor),
      options.tellSlow);
  llvm::LLVMContext context;
  TRY(const auto module, generator.read(context, *job.source));
  TRY_STATUS(generator.optimize(*module));
  TRY(job.object, generator.emit(*module));
  if (!job.key.empty()) cache.keep(job.key, job.object);
  return {};
}

Status compileAll(std::vector<Job*> jobs, const CodegenTarget& kind, const KernelCompileOptions& options,
                  KernelCache& cache) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  Status status;
  const auto work = [&] {
    auto generator = CodeGenerator::make(kind, options.target, options.quick);
    Status mine = generator ? Status() : std::unexpected(generator.error());
    for (size_t i = next++; mine && i < jobs.size(); i = next++) {
      mine = options.cancel.cancelled() ? fail("cancelled", "the compilation was cancelled")
                                        : compileOne(*jobs[i], *generator, cache, options);
    }
    const std::lock_guard lock(mutex);
    if (!mine && status) status = std::move(mine);
    if (!status) next = jobs.size();
  };
  const size_t wanted = options.threads > 0 ? static_cast<size_t>(options.threads)
                                            : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  for (size_t i = 1; i < std::min(wanted, jobs.size()); ++i) others.emplace_back(work);
  if (!jobs.empty()) work();
  others.clear();
  return status;
}

}  // namespace

std::string bitcodeOf(const llvm::Module& module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

std::string codegenVersion() {
  static const std::string version = [] {
    std::string text(kCompilerVersion);
    for (const ScalarBuild build : {ScalarBuild::Host, ScalarBuild::Nvptx}) {
      const std::string_view bitcode = scalarLibraryBitcode(build);
      text += fmt::format("|{:016x}", XXH3_64bits(bitcode.data(), bitcode.size()));
    }
    return text;
  }();
  return version;
}

Result<CompiledKernels> compileKernels(const std::vector<std::string>& sources,
                                       const std::vector<Kernel>& kernels, const CodegenTarget& kind,
                                       const KernelCompileOptions& options) {
  CompiledKernels compiled;
  std::vector<Job> jobs;
  absl::flat_hash_map<std::string_view, uint32_t> known;
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto [entry, isNew] = known.try_emplace(sources[i], static_cast<uint32_t>(jobs.size()));
    if (isNew) jobs.push_back({&sources[i], &kernels[i], {}, {}});
    compiled.objectOf.push_back(entry->second);
  }
  compiled.counts = {sources.size(), jobs.size(), 0};
  std::vector<Job*> missing;
  KernelCache cache(options.cacheFolder);
  for (Job& job : jobs) {
    if (!options.cacheFolder.empty()) {
      job.key = cacheKey(*job.source, kind, options.target, options.quick);
      if (auto object = cache.find(job.key)) {
        job.object = *std::move(object);
        ++compiled.counts.fromCache;
        continue;
      }
    }
    missing.push_back(&job);
  }
  TRY_STATUS(compileAll(std::move(missing), kind, options, cache));
  compiled.cacheProblem = cache.problem();
  for (const Job& job : jobs) {
    const auto* bytes = reinterpret_cast<const std::byte*>(job.object.data());
    compiled.objects.push_back({{bytes, bytes + job.object.size()}});
  }
  return compiled;
}

Result<KernelListing> listKernel(const std::string& source, const CodegenTarget& kind,
                                 const ProgramTarget& target,
                                 const std::optional<LlvmKernelOptions>& options) {
  TRY(const CodeGenerator generator, CodeGenerator::make(kind, target, false));
  llvm::LLVMContext context;
  TRY(const auto module, generator.read(context, source));
  if (options) setOptions(*module, *options);
  const auto printed = [&] {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, nullptr);
    return text;
  };
  KernelListing listing{.options = optionsOf(*module), .before = listIr(printed())};
  TRY_STATUS(generator.optimize(*module));
  listing.after = listIr(printed());
  TRY(const std::string assembly, generator.emit(*module, llvm::CodeGenFileType::AssemblyFile));
  listing.assembly = listAssembly(assembly);
  return listing;
}

}  // namespace hilo
