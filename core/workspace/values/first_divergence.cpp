#include "core/workspace/values/first_divergence.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "core/analysis/expected_rounding.h"
#include "core/analysis/rounding_bound.h"
#include "core/hlo/eval/devices.h"
#include "core/workspace/run/leaf_comparison.h"
#include "core/workspace/run/memory_limit.h"
#include "core/workspace/run/time_limit.h"
#include "core/workspace/values/other_side.h"
#include "core/workspace/values/value_summary.h"
#include "core/workspace/values/value_walk.h"

namespace hilo {
namespace {

class DivergenceFinder {
 public:
  // Told how far it comes: `context`. Asked whether to go on: `cancel`.
  DivergenceFinder(const DivergenceRequest& request, ValueWalk& walk, const JobContext& context,
                   CancelToken cancel)
      : request_(request), walk_(walk), context_(context), cancel_(std::move(cancel)) {}

  // How far it has come: "120 of 372 instructions of main compared: all agree".
  const std::string& progress() const { return progress_; }

  // Whether one was found, though the search did not end.
  const Divergence& soFar() const { return found_; }

  // The first one in a computation; leaves `found` false when there is none. `outermost` keeps its steps, and
  // compares those after it too.
  Result<Divergence> find(const Computation& computation, const std::vector<std::vector<Literal>>& arguments,
                          bool outermost) {
    tell(0, fmt::format("values of {} by {}", computation.name(), request_.truth.engine));
    Divergence alone, together;
    std::vector<StepComparison> steps;
    Together whole(walk_, request_.engine);
    if (!walk_.canWalkThrough(computation, OtherSide::kCopies)) whole.giveUp();
    const auto look = [&](const ValueWalk::Stretch& stretch) -> Result<bool> {
      const size_t before = steps.size();
      TRY_STATUS(compareSteps(stretch, steps));
      const auto first = std::find_if(steps.begin() + static_cast<ptrdiff_t>(before), steps.end(),
                                      [](const StepComparison& step) { return !step.agrees; });
      if (!alone.found && first != steps.end()) {
        TRY(alone,
            explain(*walk_.module().instruction(InstructionId{first->instruction}), *first, stretch.values));
        if (outermost) found_ = alone;
      }
      if (alone.found || together.found) whole.side.reset();
      if (whole.side) {
        TRY(together, findTogether(stretch, whole));
      }
      if (whole.side) whole.side->leave(stretch.window);
      return outermost || !alone.found;
    };
    const Status walked =
        walk_.walkThrough(computation, arguments, whole.side ? OtherSide::kCopies : 1, look);
    if (outermost) found_.steps = steps;
    TRY_STATUS(walked);
    Divergence divergence = alone.found ? std::move(alone) : std::move(together);
    if (!divergence.found) divergence.notes = std::move(whole.notes);
    if (outermost) divergence.steps = std::move(steps);
    return divergence;
  }

 private:
  // What is known of a computation as the other engine compiles it whole, or where it is cut two windows
  // at a time.
  struct Together {
    Together(ValueWalk& walk, const std::string& engine) { side.emplace(walk, engine); }
    void giveUp() {
      side.reset();
      notes.emplace_back("there is no memory to compare what is compiled as a whole, too");
    }
    std::optional<OtherSide> side;                // while there is memory for it, and none was found
    absl::flat_hash_set<const Instruction*> off;  // whose values there differ
    std::vector<std::string> notes;
  };

  static std::vector<std::string> operandTexts(const Instruction& step, const ValueWalk::Values& values,
                                               int64_t device) {
    std::vector<std::string> texts;
    for (const Instruction* operand : step.operands()) {
      if (!values.has(*operand)) continue;
      const Literal& value = values.at(*operand)[static_cast<size_t>(device)];
      texts.push_back(fmt::format("{}: {}", operand->name(), summaryText(value)));
    }
    return texts;
  }

  // One step on true operands is off. What it calls may say more exactly where.
  Result<Divergence> explain(const Instruction& step, const StepComparison& how,
                             const ValueWalk::Values& values) {
    std::optional<PreparedRun> body;
    TRY(const auto inner,
        walk_.inside(step, values,
                     [&](const Computation& called, const auto& state, const DeviceValues& next) {
                       return turnDiffers(called, state, next, body);
                     }));
    Divergence divergence{.found = true,
                          .path = {std::string(step.name())},
                          .step = how,
                          .operands = operandTexts(step, values, how.device)};
    if (!inner) return divergence;
    TRY(Divergence deeper, find(*inner->computation, inner->arguments, false));
    if (deeper.found) {
      deeper.path.insert(deeper.path.begin(), inner->step);
      return deeper;
    }
    divergence.notes.push_back(
        fmt::format("every instruction of {} agrees: what differs is how they are compiled together",
                    inner->computation->name()));
    return divergence;
  }

  // Whether the body gives something else by the other engine on this turn's state.
  Result<bool> turnDiffers(const Computation& called, const std::vector<std::vector<Literal>>& state,
                           const DeviceValues& next, std::optional<PreparedRun>& body) {
    if (!body) {
      TRY(body, prepareModule({.module = asModule(walk_.module(), called),
                               .engine = request_.engine,
                               .arguments = {.kind = ArgumentSource::Kind::Given, .given = state[0]},
                               .devices = walk_.grid().count(),
                               .worker = request_.truth.worker},
                              JobContext()));
    }
    body->arguments = state;
    TRY_STATUS(body->runOnce({}));
    const Literal& output = *body->record.output;
    for (size_t d = 0; d < next.size(); ++d) {
      const Literal& own = next.size() == 1 ? output : output.elements()[d];
      TRY(const auto differences,
          compareWithin(own, next[d], [&] { return rounding(d).ofRoot(called, state[d]); }));
      if (!agrees(differences)) return true;
    }
    return false;
  }

  // The first whose value, the computation being compiled as a whole, is not what its operands' values there
  // make of it.
  Result<Divergence> findTogether(const ValueWalk::Stretch& stretch, Together& whole) {
    if (walk_.roomBytes() < whole.side->argumentBytes(stretch)) {
      whole.giveUp();
      return Divergence();
    }
    tell(fraction_, fmt::format("{}; {} compiled as a whole", compared_, stretch.computation.name()));
    TRY(const ValueWalk::Values* values, whole.side->valuesOf(stretch));
    const ValueWalk::Values& given = *values;
    for (const Instruction* step : stretch.window.steps) {
      if (!given.has(*step)) continue;
      TRY(const StepComparison comparison, compareStep(*step, given.at(*step), stretch.values));
      if (comparison.agrees) continue;
      whole.off.insert(step);
      TRY(const bool isInherited, follows(*step, given, whole.off));
      if (isInherited) continue;
      return Divergence{
          .found = true,
          .path = {std::string(step->name())},
          .step = comparison,
          .onTrueOperands = false,
          .operands = operandTexts(*step, stretch.values, comparison.device),
          .notes = {"by itself, on true operands, it agrees: several instructions are compiled together"}};
    }
    return Divergence();
  }

  // Whether the value is that of the operands it was given, which are off. Of a done, which has none of its
  // own, whether its start's are.
  Result<bool> follows(const Instruction& step, const ValueWalk::Values& given,
                       const absl::flat_hash_set<const Instruction*>& off) {
    if (!standsAlone(step)) return dependsOnOne(step, off);
    const auto isKnown = [&](const Instruction* operand) { return given.has(*operand); };
    if (!std::ranges::all_of(step.operands(), isKnown)) return false;
    const Instruction* const steps[] = {&step};
    TRY(auto expected, walk_.run(probeSteps(walk_.module(), steps), given, request_.truth.engine));
    ValueWalk::Values own = given;
    own.of[&step] = std::move(expected[0]);
    TRY(const StepComparison comparison, compareStep(step, given.at(step), own));
    return comparison.agrees;
  }

  static bool dependsOnOne(const Instruction& done, const absl::flat_hash_set<const Instruction*>& off) {
    return std::ranges::any_of(done.operands(), [&](const Instruction* operand) {
      return off.contains(operand) || (!isStep(*operand) && dependsOnOne(*operand, off));
    });
  }

  // Each step by itself on true operands, a few of them in one run.
  Status compareSteps(const ValueWalk::Stretch& stretch, std::vector<StepComparison>& compared) {
    constexpr size_t kMostSteps = 300;
    const int64_t mostBytes = std::min(int64_t{256} << 20, walk_.roomBytes() / 2);
    std::vector<const Instruction*> chunk;
    int64_t bytes = 0;
    const auto flush = [&]() -> Status {
      if (chunk.empty()) return {};
      TRY(const auto given, walk_.run(probeSteps(walk_.module(), chunk), stretch.values, request_.engine));
      for (size_t i = 0; i < chunk.size(); ++i) {
        TRY(StepComparison step, compareStep(*chunk[i], given[i], stretch.values));
        compared.push_back(std::move(step));
        tellCompared(stretch.computation, compared);
      }
      chunk.clear();
      bytes = 0;
      return {};
    };
    for (const Instruction* step : stretch.window.steps) {
      const auto isKnown = [&](const Instruction* operand) { return stretch.values.has(*operand); };
      if (!standsAlone(*step) || !std::ranges::all_of(step->operands(), isKnown)) continue;
      chunk.push_back(step);
      bytes += valueBytes(step->shape());
      for (const Instruction* operand : step->operands()) bytes += valueBytes(operand->shape());
      if (bytes > mostBytes || chunk.size() >= kMostSteps) TRY_STATUS(flush());
    }
    return flush();
  }

  void tellCompared(const Computation& computation, const std::vector<StepComparison>& compared) {
    const auto first = std::ranges::find(compared, false, &StepComparison::agrees);
    const size_t all = computation.instructionCount();
    compared_ =
        fmt::format("{} of {} instructions of {} compared: {}", compared.size(), all, computation.name(),
                    first == compared.end() ? "all agree" : first->name + " is the first that differs");
    tell(static_cast<double>(compared.size()) / static_cast<double>(all), compared_);
  }
  void tell(double fraction, std::string text) {
    fraction_ = fraction;
    progress_ = std::move(text);
    context_.progress(fraction, progress_);
  }

  // By the tolerance, and where that is the types' own and is not kept, by the bound on rounding too. What is
  // exchanged inside of what an instruction calls has no bound.
  template <typename BoundOf>
  Result<std::vector<LiteralDifference>> compareWithin(const Literal& given, const Literal& expected,
                                                       BoundOf boundOf) const {
    const CompareTolerance tolerance{.absolute = request_.tolerance.absolute,
                                     .relative = request_.tolerance.relative};
    TRY(auto differences, compareLiterals(given, expected, tolerance));
    if (agrees(differences) || tolerance.absolute >= 0 || tolerance.relative >= 0) return differences;
    const Result<Literal> bound = boundOf();
    if (bound) return compareLiterals(given, expected, tolerance, &*bound);
    if (bound.error().kind == "cancelled") return std::unexpected(bound.error());
    return differences;
  }

  RoundingBound rounding(size_t device) const {
    return {walk_.grid(), static_cast<int64_t>(device), memoryWithin(0), cancel_};
  }

  Result<Literal> boundOf(const Instruction& step, const ValueWalk::Values& values, size_t device) const {
    if (opcodeClass(step.opcode()) == OpcodeClass::Collective) return boundOfExchange(step, values, device);
    std::vector<Literal> operands;
    for (const Instruction* operand : step.operands()) {
      if (!values.has(*operand)) return fail("unsupported-opcode", "an operand has no value");
      operands.push_back(values.at(*operand)[device]);
    }
    return rounding(device).of(step, operands, values.at(step)[device]);
  }

  // All devices bring the magnitudes of what they brought.
  Result<Literal> boundOfExchange(const Instruction& step, const ValueWalk::Values& values,
                                  size_t device) const {
    if (!standsAlone(step) || !addsTerms(step)) return roundingOf(values.at(step)[device]);
    ValueWalk::Values magnitudes;
    for (const Instruction* operand : step.operands()) {
      for (const Literal& own : values.at(*operand)) magnitudes.of[operand].push_back(magnitudesOf(own));
    }
    const Instruction* const steps[] = {&step};
    TRY(const auto terms, walk_.run(probeSteps(walk_.module(), steps), magnitudes, request_.truth.engine));
    return roundingOf(terms[0][device]);
  }

  Result<StepComparison> compareStep(const Instruction& step, const DeviceValues& given,
                                     const ValueWalk::Values& values) const {
    StepComparison comparison{.instruction = step.id().value,
                              .name = std::string(step.name()),
                              .opcode = std::string(step.opcodeText())};
    for (size_t d = 0; d < given.size(); ++d) {
      TRY(auto differences,
          compareWithin(given[d], values.at(step)[d], [&] { return boundOf(step, values, d); }));
      for (LiteralDifference& difference : differences) {
        if (difference.mismatches > 0 && comparison.agrees) {
          comparison.agrees = false;
          comparison.device = static_cast<int64_t>(d);
          comparison.worst = leafComparison(std::move(difference), 1);
        } else if (comparison.agrees && difference.maxUlpError >= comparison.worst.maxUlpError) {
          comparison.worst = leafComparison(std::move(difference), 1);
        }
      }
    }
    return comparison;
  }

  const DivergenceRequest& request_;
  ValueWalk& walk_;
  const JobContext& context_;
  CancelToken cancel_;
  double fraction_ = 0;
  std::string progress_, compared_;
  Divergence found_;  // of the outermost computation
};

// Where all devices do the same, one of them. The runs of several compare them all.
bool takeOneDevice(WalkedModule& walked) {
  if (walked.grid.count() == 1 || !devicesDoTheSame(*walked.module, walked.arguments)) return false;
  walked.grid = {};
  walked.arguments.resize(1);
  return true;
}

}  // namespace

Result<Divergence> findFirstDivergence(const DivergenceRequest& request, const JobContext& context) {
  const TimeLimit limit(request.truth.worker ? request.truth.worker->timeLimitNs : 0, context.cancel());
  const JobContext limited(limit.token());
  TRY_STATUS(checkRunnable(
      {.module = request.truth.module, .engine = request.engine, .devices = request.truth.devices}));
  TRY(WalkedModule walked, walkedModule(request.truth, context));
  const bool isOneOfSeveral = takeOneDevice(walked);
  ValueWalk walk = startWalk(walked, request.truth, limited);
  DivergenceFinder finder(request, walk, context, limit.token());
  auto divergence = finder.find(*walked.module->entry(), walked.arguments, true);
  if (!divergence) {
    Diagnostic error = limit.explained(std::move(divergence).error(), "the search");
    const bool isOutOfTime = error.kind == "time-limit";
    if (isOutOfTime || error.kind == "memory-limit")
      error.notes.push_back("it had come to: " + finder.progress());
    if (!isOutOfTime || !finder.soFar().found) return std::unexpected(std::move(error));
    divergence = finder.soFar();
    divergence->notes.push_back(error.message + ": instructions after this one were not all compared");
  }
  if (isOneOfSeveral) divergence->notes.emplace_back("all devices do the same: one was looked at");
  return divergence;
}

}  // namespace hilo
