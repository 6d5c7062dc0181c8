#include "core/workspace/values/first_divergence.h"

#include <fmt/format.h>

#include "core/workspace/run/leaf_comparison.h"
#include "core/workspace/values/value_summary.h"
#include "core/workspace/values/value_walk.h"

namespace hilo {
namespace {

int64_t bytesOf(Shape shape) {
  if (shape.isTuple()) {
    int64_t total = 0;
    for (const Shape element : shape.tupleShapes()) total += bytesOf(element);
    return total;
  }
  return shape.isArray() ? shape.elementCount() * elementStorageBytes(shape.elementType()) : 0;
}

class DivergenceFinder {
 public:
  DivergenceFinder(const DivergenceRequest& request, ValueWalk& walk) : request_(request), walk_(walk) {}

  // The first one in a computation; leaves `found` false when there is none. `outermost` keeps its steps.
  Result<Divergence> find(const Computation& computation, const std::vector<std::vector<Literal>>& arguments,
                          bool outermost) {
    TRY(const auto values, walk_.valuesOf(computation, arguments));
    Divergence divergence;
    TRY(auto steps, compareSteps(computation, values));
    const auto first = std::ranges::find(steps, false, &StepComparison::agrees);
    if (first != steps.end()) {
      TRY(divergence,
          explain(*walk_.module().instruction(InstructionId{first->instruction}), *first, values));
    } else {
      TRY(divergence, findAccumulated(computation, values));
    }
    if (outermost) divergence.steps = std::move(steps);
    return divergence;
  }

 private:
  // One step on true operands is off. What it calls may say more exactly where.
  Result<Divergence> explain(const Instruction& step, const StepComparison& how,
                             const ValueWalk::Values& values) {
    std::optional<PreparedRun> body;
    TRY(const auto inner,
        walk_.inside(step, values,
                     [&](const Computation& called, const auto& state, const DeviceValues& next) {
                       return turnDiffers(called, state, next, body);
                     }));
    Divergence divergence{.found = true, .path = {std::string(step.name())}, .step = how};
    for (const Instruction* operand : step.operands()) {
      if (values.has(*operand)) {
        divergence.operands.push_back(fmt::format(
            "{}: {}", operand->name(), summaryText(values.at(*operand)[static_cast<size_t>(how.device)])));
      }
    }
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
      TRY(const auto differences, compare(next.size() == 1 ? output : output.elements()[d], next[d]));
      if (!agrees(differences)) return true;
    }
    return false;
  }

  Result<Divergence> findAccumulated(const Computation& computation, const ValueWalk::Values& values) {
    const Probe probe = probeWhole(walk_.module(), computation);
    TRY(const auto given, walk_.run(probe, values, request_.engine));
    for (size_t i = 0; i < given.size(); ++i) {
      TRY(const StepComparison step, compareStep(*probe.looked[i], given[i], values));
      if (step.agrees) continue;
      TRY(Divergence divergence, explain(*probe.looked[i], step, values));
      divergence.onTrueOperands = false;
      divergence.path.resize(1);
      divergence.notes = {
          "by itself, on true operands, it agrees: errors of what it depends on add up, or several "
          "instructions "
          "are compiled together"};
      return divergence;
    }
    return Divergence();
  }

  Result<std::vector<StepComparison>> compareSteps(const Computation& computation,
                                                   const ValueWalk::Values& values) {
    std::vector<StepComparison> compared;
    std::vector<const Instruction*> chunk;
    int64_t bytes = 0;
    const auto flush = [&]() -> Status {
      if (chunk.empty()) return {};
      TRY(const auto given, walk_.run(probeSteps(walk_.module(), chunk), values, request_.engine));
      for (size_t i = 0; i < chunk.size(); ++i) {
        TRY(StepComparison step, compareStep(*chunk[i], given[i], values));
        compared.push_back(std::move(step));
      }
      chunk.clear();
      bytes = 0;
      return {};
    };
    constexpr int64_t kMostBytes = int64_t{256} << 20;
    constexpr size_t kMostSteps = 300;
    for (const Instruction* instruction : computation.instructions()) {
      const bool isKnown =
          std::ranges::all_of(instruction->operands(), [&](const Instruction* o) { return values.has(*o); });
      if (!standsAlone(*instruction) || !values.has(*instruction) || !isKnown) continue;
      chunk.push_back(instruction);
      bytes += bytesOf(instruction->shape());
      for (const Instruction* operand : instruction->operands()) bytes += bytesOf(operand->shape());
      if (bytes > kMostBytes || chunk.size() >= kMostSteps) TRY_STATUS(flush());
    }
    TRY_STATUS(flush());
    return compared;
  }

  Result<std::vector<LiteralDifference>> compare(const Literal& given, const Literal& expected) const {
    return compareLiterals(
        given, expected, {.absolute = request_.tolerance.absolute, .relative = request_.tolerance.relative});
  }

  Result<StepComparison> compareStep(const Instruction& step, const DeviceValues& given,
                                     const ValueWalk::Values& values) const {
    StepComparison comparison{.instruction = step.id().value,
                              .name = std::string(step.name()),
                              .opcode = std::string(step.opcodeText())};
    for (size_t d = 0; d < given.size(); ++d) {
      TRY(auto differences, compare(given[d], values.at(step)[d]));
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
};

}  // namespace

Result<Divergence> findFirstDivergence(const DivergenceRequest& request, const JobContext& context) {
  TRY(const WalkedModule walked, walkedModule(request.truth));
  ValueWalk walk = startWalk(walked, request.truth, context);
  DivergenceFinder finder(request, walk);
  return finder.find(*walked.module->entry(), walked.arguments, true);
}

}  // namespace hilo
