#include "core/workspace/values/value_walk.h"

#include <fmt/format.h>

#include "core/analysis/extract.h"
#include "core/analysis/taken_branch.h"
#include "core/base/amount_text.h"
#include "core/base/check.h"
#include "core/workspace/run/chosen_engine.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/run/memory_limit.h"

namespace hilo {
namespace {

// The element of an instruction's value that each device has, where its operands' values are known: of what
// takes tuples apart and puts them together, and of constants. Empty for what has no value here.
DeviceValues derived(const Instruction& instruction, const ValueWalk::Values& values, size_t devices) {
  DeviceValues made;
  if (const Instruction& seen = seenThrough(instruction); &seen != &instruction)
    return values.has(seen) ? values.at(seen) : made;
  const auto isKnown = [&](const Instruction* operand) { return values.has(*operand); };
  if (!std::ranges::all_of(instruction.operands(), isKnown)) return made;
  for (size_t d = 0; d < devices; ++d) {
    switch (instruction.opcode()) {
      case Opcode::Constant:
        made.push_back(instruction.literal());
        break;
      case Opcode::GetTupleElement:
        made.push_back(
            values.at(*instruction.operand(0))[d].elements()[static_cast<size_t>(instruction.tupleIndex())]);
        break;
      case Opcode::OptBarrier:
        made.push_back(values.at(*instruction.operand(0))[d]);
        break;
      case Opcode::Tuple: {
        std::vector<Literal> elements;
        for (const Instruction* operand : instruction.operands()) elements.push_back(values.at(*operand)[d]);
        made.push_back(Literal::tuple(std::move(elements)));
        break;
      }
      default:
        return {};
    }
  }
  return made;
}

// Adds what may be derived, of all instructions of the computation. They share their sources' bytes.
void derive(ValueWalk::Values& values, const Computation& computation, size_t devices) {
  for (const Instruction* instruction : computation.instructions()) {
    if (isStep(*instruction) || values.has(*instruction)) continue;
    if (DeviceValues made = derived(*instruction, values, devices); !made.empty())
      values.of[instruction] = std::move(made);
  }
}

std::unexpected<Diagnostic> noRoomForAll(const Computation& computation, int64_t bytes, int64_t room) {
  return fail("memory-limit",
              fmt::format("the values of {} take {} together, and there is room for {}", computation.name(),
                          amount::bytes(bytes), amount::bytes(std::max<int64_t>(room, 0))),
              {}, {"the first divergence and the origin of NaNs are looked for a part at a time"});
}

}  // namespace

int64_t bytesOf(const std::vector<std::vector<Literal>>& arguments) {
  int64_t total = 0;
  for (const auto& list : arguments) {
    for (const Literal& argument : list) total += valueBytes(argument.shape());
  }
  return total;
}

std::shared_ptr<const Module> asModule(const Module& module, const Computation& computation) {
  std::shared_ptr<Module> clone = module.clone();
  makeEntry(*clone, *clone->computation(computation.id()));
  return clone;
}

Result<WalkedModule> walkedModule(const ValueRequest& request, const JobContext& context) {
  TRY(SettledModule settled, settleModule({.module = request.module,
                                           .engine = request.engine,
                                           .arguments = request.arguments,
                                           .devices = request.devices,
                                           .worker = request.worker},
                                          context));
  return WalkedModule{std::move(settled.module), std::move(settled.arguments), settled.grid};
}

ValueWalk startWalk(const WalkedModule& walked, const ValueRequest& request, const JobContext& context) {
  return {walked.module,
          walked.grid,
          request.engine,
          request.worker,
          memoryWithin(request.worker ? request.worker->memoryLimitBytes : 0) - bytesOf(walked.arguments),
          context};
}

const DeviceValues& ValueWalk::Values::at(const Instruction& instruction) const {
  const auto found = of.find(&instruction);
  CHECK(found != of.end(), instruction.name());
  return found->second;
}

void ValueWalk::Values::drop(std::span<const Instruction* const> instructions) {
  for (const Instruction* instruction : instructions) of.erase(instruction);
  absl::erase_if(of, [](const auto& entry) {
    return !isStep(*entry.first) && entry.first->opcode() != Opcode::Parameter;
  });
}

Result<std::vector<DeviceValues>> ValueWalk::runProbe(const Probe& probe,
                                                      std::vector<std::vector<Literal>> arguments,
                                                      const std::string& engine) {
  // A computation is run by itself, and again: it would take other values than the whole did.
  if (talksToHost(*module_)) {
    return fail(
        "not-runnable",
        fmt::format("the values inside of {} cannot be looked at: it talks to its host", module_->name()));
  }
  RunRequest request{.module = probe.module,
                     .engine = engine,
                     .arguments = {.kind = ArgumentSource::Kind::Given},
                     .devices = grid_.count(),
                     .worker = worker_};
  // What is evaluated is kept here in any case, and its probes may be thousands.
  TRY(const ChosenEngine chosen, chooseEngine(engine));
  if (request.worker && isReference(*chosen.engine)) request.worker->command.clear();
  request.arguments.given = arguments[0];
  request.arguments.otherGiven.assign(arguments.begin() + 1, arguments.end());
  TRY(PreparedRun run, prepareModule(request, context_));
  TRY_STATUS(run.runOnce(context_.cancel()));
  const Literal& output = *run.record.output;
  std::vector<DeviceValues> values(probe.looked.size());
  for (int64_t d = 0; d < grid_.count(); ++d) {
    const Literal& own = grid_.count() == 1 ? output : output.elements()[static_cast<size_t>(d)];
    for (size_t i = 0; i < values.size(); ++i) values[i].push_back(own.elements()[i]);
  }
  return values;
}

ValueWalk::Values ValueWalk::parameterValues(const Computation& computation,
                                             const std::vector<std::vector<Literal>>& arguments) const {
  Values values;
  for (size_t i = 0; i < computation.parameters().size(); ++i) {
    DeviceValues& own = values.of[computation.parameters()[i]];
    for (size_t d = 0; d < static_cast<size_t>(grid_.count()); ++d)
      own.push_back(arguments[arguments.size() == 1 ? 0 : d][i]);
  }
  return values;
}

Status ValueWalk::add(Values& values, const ProbedPart& part, const std::string& engine) {
  if (!part.looked.empty()) {
    const Probe probe = probePart(*module_, part);
    TRY(auto made, run(probe, values, engine));
    for (size_t i = 0; i < made.size(); ++i) values.of[probe.looked[i]] = std::move(made[i]);
  }
  derive(values, part.computation, static_cast<size_t>(grid_.count()));
  return {};
}

void ValueWalk::tell(const Computation& computation, double fraction) const {
  context_.progress(fraction, fmt::format("values of {} by {}", computation.name(), engine_));
}

Status ValueWalk::walkThrough(const Computation& computation,
                              const std::vector<std::vector<Literal>>& arguments, int64_t copies,
                              const Look& look) {
  TRY(const auto windows, cutIntoWindows(computation, grid_.count(), copies, roomBytes_));
  Values values = parameterValues(computation, arguments);
  for (const ValueWindow& window : windows) {
    tell(computation, static_cast<double>(&window - windows.data()) / static_cast<double>(windows.size()));
    TRY_STATUS(add(values, {computation, window.taken, window.steps, window.tied}, engine_));
    roomBytes_ -= window.heldBytes;
    const Result<bool> goesOn = look({computation, arguments, window, values});
    roomBytes_ += window.heldBytes;
    TRY(const bool isMore, goesOn);
    if (!isMore) return {};
    values.drop(window.freed);
  }
  return {};
}

Result<ValueWalk::Values> ValueWalk::valuesOf(const Computation& computation,
                                              const std::vector<std::vector<Literal>>& arguments) {
  std::vector<const Instruction*> steps, tied;
  int64_t bytes = 0;
  for (const Instruction* instruction : computation.instructions()) {
    if (isTied(*instruction)) tied.push_back(instruction);
    if (!isStep(*instruction)) continue;
    steps.push_back(instruction);
    bytes += grid_.count() * valueBytes(instruction->shape());
  }
  if (bytes > roomBytes_) return noRoomForAll(computation, bytes, roomBytes_);
  tell(computation, -1);
  Values values = parameterValues(computation, arguments);
  TRY_STATUS(add(values, {computation, {}, steps, tied}, engine_));
  return values;
}

Result<std::vector<DeviceValues>> ValueWalk::run(const Probe& probe, const Values& values,
                                                 const std::string& engine) {
  std::vector<std::vector<Literal>> arguments(static_cast<size_t>(grid_.count()));
  for (const Instruction* parameter : probe.parameters) {
    const DeviceValues& own = values.at(*parameter);
    for (size_t d = 0; d < arguments.size(); ++d) arguments[d].push_back(own[d]);
  }
  return runProbe(probe, std::move(arguments), engine);
}

std::vector<std::vector<Literal>> ValueWalk::operandsOf(const Instruction& instruction, const Values& values,
                                                        size_t first) const {
  std::vector<std::vector<Literal>> lists(static_cast<size_t>(grid_.count()));
  for (size_t i = first; i < instruction.operandCount(); ++i) {
    const DeviceValues& own = values.at(*instruction.operand(i));
    for (size_t d = 0; d < lists.size(); ++d) lists[d].push_back(own[d]);
  }
  return lists;
}

Result<std::optional<ValueWalk::Inner>> ValueWalk::inside(const Instruction& instruction,
                                                          const Values& values, const Stops& stops) {
  switch (instruction.opcode()) {
    case Opcode::AsyncDone: {
      const Instruction* start = &instruction;
      while (start->opcode() != Opcode::AsyncStart && start->operandCount() > 0) start = start->operand(0);
      // One that is given operands on the way is not looked into.
      const bool isWhole = start->opcode() == Opcode::AsyncStart &&
                           start->operandCount() == start->calledComputations()[0]->parameters().size();
      if (!isWhole) return std::nullopt;
      return Inner{start->calledComputations()[0], operandsOf(*start, values), std::string(start->name())};
    }
    case Opcode::Call:
    case Opcode::Fusion:
      return Inner{instruction.calledComputations()[0], operandsOf(instruction, values),
                   std::string(instruction.name())};
    case Opcode::Conditional:
      return insideBranch(instruction, values);
    case Opcode::While:
      return insideLoop(instruction, values, stops);
    default:
      return std::nullopt;
  }
}

// The branch that the first device takes.
Result<std::optional<ValueWalk::Inner>> ValueWalk::insideBranch(const Instruction& choice,
                                                                const Values& values) {
  const TakenBranch taken = takenBranch(choice, values.at(*choice.operand(0))[0]);
  std::vector<std::vector<Literal>> arguments;
  for (const Literal& value : values.at(*choice.operand(taken.number + 1))) arguments.push_back({value});
  return Inner{taken.computation, std::move(arguments),
               fmt::format("{} (branch {})", choice.name(), taken.number)};
}

Result<std::optional<ValueWalk::Inner>> ValueWalk::insideLoop(const Instruction& loop, const Values& values,
                                                              const Stops& stops) {
  constexpr int64_t kMostTurns = 100'000;
  const Computation& body = *loop.get<Attr::Body>();
  std::vector<std::vector<Literal>> state = operandsOf(loop, values);
  const auto prepared = [&](const Computation& computation) {
    RunRequest request{.module = asModule(*module_, computation),
                       .engine = engine_,
                       .arguments = {.kind = ArgumentSource::Kind::Given, .given = state[0]},
                       .devices = grid_.count(),
                       .worker = worker_};
    return prepareModule(request, context_);
  };
  TRY(PreparedRun condition, prepared(*loop.get<Attr::Condition>()));
  TRY(PreparedRun step, prepared(body));
  const auto outputs = [&](PreparedRun& run) -> Result<DeviceValues> {
    run.arguments = state;
    TRY_STATUS(run.runOnce(context_.cancel()));
    const Literal& output = *run.record.output;
    if (grid_.count() == 1) return DeviceValues{output};
    return DeviceValues(output.elements().begin(), output.elements().end());
  };
  for (int64_t turn = 0; turn < kMostTurns; ++turn) {
    if (context_.cancelled()) return cancelledError();
    TRY(const DeviceValues goesOn, outputs(condition));
    if (goesOn[0].bytes()[0] == std::byte{0}) return std::nullopt;
    TRY(const DeviceValues next, outputs(step));
    TRY(const bool isHere, stops(body, state, next));
    if (isHere) return Inner{&body, std::move(state), fmt::format("{} (turn {})", loop.name(), turn)};
    for (size_t d = 0; d < next.size(); ++d) state[d] = {next[d]};
  }
  return std::nullopt;
}

}  // namespace hilo
