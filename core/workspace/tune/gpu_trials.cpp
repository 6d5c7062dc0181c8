#include "core/workspace/tune/gpu_trials.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <thread>

#include "core/analysis/cost_facts.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/runtime/program/program_file.h"
#include "core/workspace/run/gpu_compile.h"
#include "core/workspace/tune/kernel_estimate.h"

namespace hilo {
namespace {

constexpr double kScratchWindowNs = 2000;

struct Trial {
  std::optional<GpuKernelChoice> choice;  // nullopt: the default
  TriedKernel tried;
  std::shared_ptr<const Program> program;  // null where it was not compiled or is another's
  std::vector<std::byte> code;
};

// Of allocations that are neither arguments nor results.
int64_t scratchBytesOf(const Program& program) {
  int64_t bytes = 0, results = 0;
  for (const Allocation& allocation : program.allocations) {
    if (allocation.kind == AllocationKind::Temporary) bytes += allocation.sizeBytes;
  }
  for (const Shape leaf : arrayLeaves(program.result)) results += bufferBytes(leaf);
  return std::max<int64_t>(0, bytes - results);
}

// Of a block: what its kernels declare, as ".shared .align 4 .b8 sums[1024];", and ask for besides.
int64_t sharedBytesOf(const Program& program) {
  int64_t most = 0;
  for (const Kernel& kernel : program.kernels) {
    int64_t bytes = kernel.launch.sharedBytes;
    const std::string_view ptx = ptxOf(program, kernel);
    for (size_t at = ptx.find(".shared .align"); at != std::string_view::npos;
         at = ptx.find(".shared .align", at + 1)) {
      const std::string_view line = ptx.substr(at, ptx.find('\n', at) - at);
      const size_t open = line.find('[');
      int64_t declared = 0;
      if (open != std::string_view::npos && line.contains(".b8"))
        std::from_chars(line.data() + open + 1, line.data() + line.size(), declared);
      bytes += declared;
    }
    most = std::max(most, bytes);
  }
  return most;
}

void failAs(TriedKernel& tried, TrialFailure failure, std::string why) {
  tried.failure = failure;
  tried.remark = std::move(why);
}

Result<Program> compileHere(const GpuTuneRequest& request, const Module& alone,
                            const std::string& instruction, const std::optional<GpuKernelChoice>& choice,
                            const CancelToken& cancel) {
  TRY(const ProgramTarget target, gpuTarget(request.target));
  std::shared_ptr<Module> stated = alone.clone();
  stateGpuKernel(*stated->findInstruction(instruction), choice);
  const bool asksLibrary = choice && choice->shape == "library call";
  TRY(CompiledModule made, compileForGpu(std::move(stated), target, cancel,
                                         {.libraries = asksLibrary ? LibraryChoice::All : LibraryChoice::None,
                                          .runsPasses = false}));
  made.program.moduleHash = 0;  // so that equal code is equal bytes, whatever was stated
  return std::move(made.program);
}

class Trials {
 public:
  Trials(const TrialModule& trial, const GpuTuneRequest& request, const JobContext& context)
      : trial_(trial), request_(request), context_(context) {}

  void add(std::optional<GpuKernelChoice> choice, bool isTrusted) {
    Trial& made = trials_.emplace_back();
    made.choice = std::move(choice);
    made.tried.choice = made.choice ? toString(*made.choice) : "default";
    made.tried.isTrusted = isTrusted;
  }

  Result<std::vector<TriedKernel>> run() {
    compileAll();
    if (context_.cancelled()) return cancelledError();
    dropEqual();
    estimateAll();
    TRY_STATUS(runAll());
    std::vector<TriedKernel> tried;
    for (Trial& each : trials_) tried.push_back(std::move(each.tried));
    return tried;
  }

 private:
  void compileOne(Trial& trial) const {
    auto program = request_.compile ? request_.compile(*trial_.module, trial_.instruction, trial.choice)
                                    : compileHere(request_, *trial_.module, trial_.instruction, trial.choice,
                                                  context_.cancel());
    if (!program) return failAs(trial.tried, TrialFailure::Compilation, program.error().message);
    trial.tried.scratchBytes = scratchBytesOf(*program);
    trial.tried.sharedBytes = sharedBytesOf(*program);
    trial.code = serialize(*program);
    trial.program = std::make_shared<const Program>(*std::move(program));
  }

  void compileAll() {
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t i = next++; i < trials_.size() && !context_.cancelled(); i = next++) compileOne(trials_[i]);
    };
    std::vector<std::jthread> others;
    const size_t threads =
        std::min<size_t>(std::max(1U, std::thread::hardware_concurrency()), trials_.size());
    for (size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }

  // The default is one of the others: it is tried once, and is the trusted one if that is.
  void dropEqual() {
    for (size_t i = 0; i < trials_.size(); ++i) {
      for (size_t j = 0; j < i && trials_[i].program != nullptr; ++j) {
        if (trials_[j].program == nullptr || trials_[j].code != trials_[i].code) continue;
        trials_[i].program = nullptr;
        trials_[i].tried.remark = "the code of " + trials_[j].tried.choice;
        trials_[j].tried.isTrusted |= trials_[i].tried.isTrusted;
        if (!trials_[j].choice) trials_[j].choice = trials_[i].choice;
      }
    }
  }

  void estimateAll() {
    const Instruction& instruction = *trial_.module->findInstruction(trial_.instruction);
    for (Trial& trial : trials_) {
      if (trial.program == nullptr || !trial.choice) continue;
      const KernelEstimate estimate = estimatedKernel(instruction, *trial.choice, request_.device);
      trial.tried.estimatedNs = estimate.ns;
      trial.tried.registers = estimate.registers;
    }
  }

  bool isSimulated() const { return request_.engine == "cuda-sim"; }

  RunRequest requestOf(const Trial& trial, const ArgumentSource& arguments) const {
    return {.program = trial.program,
            .engine = request_.engine,
            .arguments = arguments,
            .repeat = isSimulated() ? 1 : request_.repeat,
            .devices = 1,
            .worker = request_.worker,
            .checks = {.isChecked = isSimulated()}};
  }

  // Held to the reference evaluator, which is the first answer.
  Status runAll() {
    const double flops = static_cast<double>(ModuleCost(*trial_.module).total().flops);
    if (isSimulated() && flops > request_.mostFlops) {
      for (Trial& trial : trials_) {
        if (trial.program != nullptr)
          trial.tried.remark =
              fmt::format("not run: {:.3g} operations are many for the simulated GPU", flops);
      }
      return {};
    }
    TRY(const ArgumentSource arguments, settleArguments(*trial_.module, {.seed = request_.seed}, context_));
    std::vector<Trial*> ran;
    std::vector<RunRequest> runs;
    for (const bool trusted : {true, false}) {
      for (Trial& trial : trials_) {
        if (trial.program == nullptr || trial.tried.isTrusted != trusted) continue;
        ran.push_back(&trial);
        runs.push_back(requestOf(trial, arguments));
      }
    }
    const auto reference =
        execute({.module = trial_.module, .engine = "reference", .arguments = arguments}, context_);
    if (!reference && reference.error().kind == "cancelled") return std::unexpected(reference.error());
    TRY(const auto records, tryInTurns(runs, context_));
    judge(ran, records, reference);
    return {};
  }

  // False, with its failure, where there is no answer to compare.
  static bool takeRun(TriedKernel& tried, const Result<RunRecord>& record) {
    if (!record) {
      const std::string& kind = record.error().kind;
      const bool isOutside = kind == "out-of-bounds" || kind == "illegal-address";
      failAs(tried, isOutside ? TrialFailure::RedZone : TrialFailure::Execution, record.error().message);
      return false;
    }
    const auto fault = std::ranges::find(record->findings, Severity::kError, &Diagnostic::severity);
    if (fault == record->findings.end()) return true;
    failAs(tried, TrialFailure::RedZone, fmt::format("{}: {}", fault->kind, fault->message));
    return false;
  }

  void judge(const std::vector<Trial*>& ran, const std::vector<Result<RunRecord>>& records,
             const Result<RunRecord>& reference) const {
    std::vector<const RunRecord*> answers;
    std::vector<bool> trusted;
    std::vector<Trial*> makers;
    if (reference) {
      answers.push_back(&*reference);
      trusted.push_back(true);
      makers.push_back(nullptr);
    }
    for (size_t i = 0; i < ran.size(); ++i) {
      if (!takeRun(ran[i]->tried, records[i])) continue;
      answers.push_back(&*records[i]);
      trusted.push_back(ran[i]->tried.isTrusted);
      makers.push_back(ran[i]);
    }
    const auto right = rightAnswers(trusted, [&](size_t first, size_t other) {
      return compareRuns(*answers[first], *answers[other]).verdict != Verdict::Differs;
    });
    for (size_t i = 0; i < answers.size(); ++i) {
      if (makers[i] != nullptr) give(makers[i]->tried, *answers[i], right[i], answers, right);
    }
  }

  void give(TriedKernel& tried, const RunRecord& record, bool isRight,
            const std::vector<const RunRecord*>& answers, const std::vector<bool>& right) const {
    if (!isRight) return failAs(tried, TrialFailure::WrongResults, difference(record, answers, right));
    tried.wasRun = true;
    if (!isSimulated()) tried.timings = record.timings;
  }

  // Where it differs first from an answer that is right.
  static std::string difference(const RunRecord& record, const std::vector<const RunRecord*>& answers,
                                const std::vector<bool>& right) {
    const auto first = static_cast<size_t>(std::ranges::find(right, true) - right.begin());
    const RunComparison comparison = compareRuns(*answers[first], record);
    for (const LeafComparison& leaf : comparison.leaves) {
      if (leaf.mismatches > 0)
        return fmt::format("{} of {} elements differ, first {}", leaf.mismatches, leaf.elements,
                           leaf.firstMismatch);
    }
    return "its answer is of another shape";
  }

  const TrialModule& trial_;
  const GpuTuneRequest& request_;
  const JobContext& context_;
  std::vector<Trial> trials_;
};

}  // namespace

Result<std::vector<TriedKernel>> tryKernels(const TrialModule& trial,
                                            const std::vector<KernelVariant>& variants,
                                            const GpuTuneRequest& request, const JobContext& context) {
  Trials trials(trial, request, context);
  trials.add(std::nullopt, false);
  for (const KernelVariant& variant : variants) trials.add(variant.choice, variant.isTrusted);
  return trials.run();
}

std::vector<bool> rightAnswers(const std::vector<bool>& trusted,
                               const std::function<bool(size_t first, size_t other)>& isAlike) {
  struct Cluster {
    size_t first = 0, trusted = 0;
  };
  std::vector<Cluster> clusters;
  std::vector<size_t> of(trusted.size());
  for (size_t i = 0; i < trusted.size(); ++i) {
    size_t c = 0;
    while (c < clusters.size() && !isAlike(clusters[c].first, i)) ++c;
    if (c == clusters.size()) clusters.push_back({.first = i});
    clusters[c].trusted += trusted[i] ? 1 : 0;
    of[i] = c;
  }
  const auto right = std::ranges::max_element(clusters, {}, &Cluster::trusted);
  std::vector<bool> isRight;
  for (const size_t c : of) isRight.push_back(c == static_cast<size_t>(right - clusters.begin()));
  return isRight;
}

const TriedKernel* bestKernel(const std::vector<TriedKernel>& tried) {
  const TriedKernel *quickest = nullptr, *best = nullptr;
  const auto works = [](const TriedKernel& each) {
    return each.failure == TrialFailure::None && each.ns() > 0 && !each.remark.starts_with("the code of");
  };
  for (const TriedKernel& each : tried) {
    if (works(each) && (quickest == nullptr || each.ns() < quickest->ns())) quickest = &each;
  }
  if (quickest == nullptr) return nullptr;
  best = quickest;
  for (const TriedKernel& each : tried) {
    if (works(each) && each.ns() <= quickest->ns() + kScratchWindowNs &&
        each.scratchBytes < best->scratchBytes)
      best = &each;
  }
  return best;
}

}  // namespace hilo
