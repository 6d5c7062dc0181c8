#include "core/workspace/check/parallel_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/hlo/eval/collective_groups.h"
#include "core/workspace/run/engines.h"

namespace hilo {
namespace {

Result<const Engine*> engineOf(const std::string& name) {
  if (const Engine* engine = engineTable().find(name)) return engine;
  return fail("unknown-engine", fmt::format("no engine '{}'", name));
}

Status refusal(const Diagnostics& reasons) {
  if (reasons.empty()) return {};
  return fail("not-runnable", reasons[0].message, reasons[0].place);
}

bool isRunParallel(const Instruction& instruction) {
  return instruction.opcode() == Opcode::CustomCall &&
         instruction.get<Attr::CustomCallTarget>() == std::string_view("interpreter.run_parallel");
}

std::string_view frontendAttribute(const Instruction& call, std::string_view name) {
  for (const auto& [key, value] : call.get<Attr::FrontendAttributes>()) {
    if (key == name) return value;
  }
  return {};
}

int64_t numberOf(const Instruction& call, std::string_view name) {
  const std::string_view text = frontendAttribute(call, name);
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The devices, and the program of each; the functions that give what the infeed holds, in order.
struct Grid {
  DeviceGrid devices;
  std::vector<const Computation*> programs;
  std::vector<const Computation*> infeeds;
};

Result<Grid> gridOf(const Instruction& call) {
  const auto programs = call.calledComputations();
  Grid grid{.devices = {.replicas = numberOf(call, "replicas"), .partitions = numberOf(call, "partitions")}};
  const int64_t infeeds = numberOf(call, "infeeds");
  if (grid.devices.count() < 1 || infeeds < 0 ||
      static_cast<int64_t>(programs.size()) - infeeds != grid.devices.count())
    return fail("malformed-program", "interpreter.run_parallel has no program for each device");
  if (infeeds > 0 && grid.devices.count() > 1)
    return fail("not-runnable", "several devices that take from one infeed, in no certain order");
  grid.programs.assign(programs.begin(), programs.end() - infeeds);
  grid.infeeds.assign(programs.end() - infeeds, programs.end());
  size_t parameters = 0;
  for (const Computation* program : grid.programs) parameters += program->parameters().size();
  if (call.operandCount() != parameters)
    return fail("malformed-program", "interpreter.run_parallel has not all arguments of its programs");
  return grid;
}

// What a module says of its entry's parameters and result, which are others now.
void forgetEntryInterface(Module& module) {
  module.attributes().erase(Attr::EntryComputationLayout);
  module.attributes().erase(Attr::HostProgramShape);
  module.attributes().erase(Attr::InputOutputAlias);
}

// The values of the call's operands.
Result<Literal> operandValues(const Module& module, const Instruction& call, const std::string& engine,
                              const CancelToken& cancel) {
  std::shared_ptr<Module> before = module.clone();
  std::vector<Instruction*> operands;
  for (const Instruction* operand : call.operands()) operands.push_back(before->instruction(operand->id()));
  setEntryResults(*before, operands, before->instruction(call.id()));
  Computation* entry = before->entry();
  // What comes later, the call included, has no part in it.
  std::vector<Instruction*> later;
  for (Instruction* at = entry->last(); at != entry->root(); at = at->previous()) later.push_back(at);
  entry->removeAll(later);
  return runOnce(before, engine, cancel);
}

// What the programs send to the host goes nowhere, as in StableHLO's own interpreter.
Literal withoutOutfeed(Literal output) {
  output.mutableElements().pop_back();
  return Literal::tuple(std::move(output.mutableElements()));
}

// One program on all devices, by an engine that has no other way.
Result<std::vector<Literal>> runSameProgram(const Module& module, const Grid& grid, const Engine& engine,
                                            const std::vector<std::vector<Literal>>& arguments,
                                            InfeedValues infeed, const CancelToken& cancel) {
  if (std::ranges::any_of(grid.programs, [&](const Computation* p) { return p != grid.programs[0]; }))
    return fail("not-runnable", fmt::format("{} runs one program on all devices", engine.name));
  std::shared_ptr<Module> program = module.clone();
  program->setEntry(program->computation(grid.programs[0]->id()));
  forgetEntryInterface(*program);
  if (!engine.canRunOnDevices) return fail("one-device", fmt::format("{} runs on one device", engine.name));
  TRY_STATUS(refusal(engine.canRunOnDevices(*program, grid.devices)));
  TRY(auto executable, engine.compile(program, {.infeeds = {std::move(infeed)}}, cancel));
  TRY(auto outputs, executable->runOnDevices(grid.devices, arguments, cancel));
  if (hasOutfeed(*program)) std::ranges::transform(outputs, outputs.begin(), withoutOutfeed);
  return outputs;
}

// A group of replicas that takes in all partitions has its members in another order in StableHLO,
// partition by partition, than in HLO, where they stand replica by replica. Written out device by device
// both mean the same.
Status spellOutGroups(Module& module, DeviceGrid grid) {
  for (Computation* computation : module.computations()) {
    for (Instruction* instruction : computation->instructions()) {
      const ReplicaGroups* written = instruction->get<Attr::ReplicaGroups>();
      if (written == nullptr || grid.partitions < 2) continue;
      TRY(const DeviceGroupMode mode, groupModeOf(*instruction));
      if (mode != DeviceGroupMode::CrossReplicaAndPartition) continue;
      std::vector<std::vector<int64_t>> groups;
      for (const std::vector<int64_t>& replicas : expandReplicaGroups(*written)) {
        std::vector<int64_t>& group = groups.emplace_back();
        for (int64_t partition = 0; partition < grid.partitions; ++partition) {
          for (const int64_t replica : replicas) group.push_back(replica * grid.partitions + partition);
        }
      }
      const std::vector<std::span<const int64_t>> spans(groups.begin(), groups.end());
      const ReplicaGroups flattened{.groups = spans};
      instruction->set<Attr::ReplicaGroups>(&flattened);
      instruction->set<Attr::UseGlobalDeviceIds>(true);
    }
  }
  return {};
}

// What the functions of an infeed give. Each infeed of HLO gives a tuple.
Result<InfeedValues> infeedOf(const Module& module, const Grid& grid, const std::string& engine,
                              const CancelToken& cancel) {
  InfeedValues infeed;
  for (const Computation* function : grid.infeeds) {
    std::shared_ptr<Module> alone = module.clone();
    alone->setEntry(alone->computation(function->id()));
    forgetEntryInterface(*alone);
    TRY(Literal value, runOnce(alone, engine, cancel));
    infeed.values.push_back(value.isTuple() ? std::move(value) : Literal::tuple({std::move(value)}));
  }
  return infeed;
}

Result<std::vector<Literal>> runGrid(const Module& module, const Grid& grid, const Literal& operands,
                                     const std::string& engineName, const CancelToken& cancel) {
  TRY(const Engine* engine, engineOf(engineName));
  std::vector<std::vector<Literal>> arguments;
  auto next = operands.elements().begin();
  for (const Computation* program : grid.programs) {
    const auto first = next;
    next += static_cast<std::ptrdiff_t>(program->parameters().size());
    arguments.emplace_back(first, next);
  }
  TRY(InfeedValues infeed, infeedOf(module, grid, engineName, cancel));
  if (!engine->runPrograms)
    return runSameProgram(module, grid, *engine, arguments, std::move(infeed), cancel);
  std::vector<DeviceProgram> programs;
  for (size_t i = 0; i < grid.programs.size(); ++i) {
    programs.push_back({.entry = grid.programs[i], .arguments = std::move(arguments[i]), .infeed = infeed});
  }
  auto outputs = engine->runPrograms(grid.devices, programs, cancel);
  if (!outputs && outputs.error().kind.starts_with("unsupported-"))
    return fail("not-runnable", outputs.error().message, outputs.error().place);
  return outputs;
}

// What all devices gave, one literal a result.
std::vector<Literal> flattened(std::vector<Literal> outputs) {
  std::vector<Literal> all;
  for (Literal& output : outputs) {
    if (!output.isTuple()) {
      all.push_back(std::move(output));
    } else {
      all.insert(all.end(), output.elements().begin(), output.elements().end());
    }
  }
  return all;
}

Status replaceByConstants(Instruction* call, const std::vector<Literal>& values) {
  Computation& entry = call->parent();
  const bool tuple = call->shape().isTuple();
  const std::vector<Instruction*> users(call->users().begin(), call->users().end());
  if (!tuple && values.size() == 1) {
    entry.replaceAllUses(call, entry.createConstant(values[0], call));
  }
  for (Instruction* user : users) {
    if (!tuple || user->opcode() != Opcode::GetTupleElement) continue;
    const auto index = static_cast<size_t>(user->tupleIndex());
    if (index >= values.size())
      return fail("malformed-program", "interpreter.run_parallel gave fewer results than it says");
    entry.replaceAllUses(user, entry.createConstant(values[index], call));
    entry.remove(user);
  }
  if (entry.root() == call) entry.setRoot(entry.create(Opcode::Tuple, Shape::tuple({}), {}));
  if (!call->users().empty()) return fail("malformed-program", "interpreter.run_parallel is used as a whole");
  entry.remove(call);
  return {};
}

}  // namespace

Result<Literal> runOnce(std::shared_ptr<const Module> module, const std::string& engineName,
                        const CancelToken& cancel) {
  TRY(const Engine* engine, engineOf(engineName));
  TRY_STATUS(refusal(engine->canRun(*module)));
  EngineSettings settings;
  for (const EngineFlag& flag : engine->flags) {
    if (flag.name == kSumsAsSpecified) settings.flags = {flag.name};
  }
  TRY(auto executable, engine->compile(module, settings, cancel));
  return executable->run({}, cancel);
}

void setEntryResults(Module& module, const std::vector<Instruction*>& results, Instruction* before) {
  std::vector<Shape> shapes;
  for (const Instruction* one : results) shapes.push_back(one->shape());
  Computation* entry = module.entry();
  entry->setRoot(entry->create(Opcode::Tuple, Shape::tuple(shapes), results, {}, before));
  forgetEntryInterface(module);
}

Status runParallelPrograms(Module& module, const std::string& engine, const CancelToken& cancel) {
  for (Instruction* instruction : module.entry()->instructions()) {
    if (!isRunParallel(*instruction)) continue;
    TRY(const Grid grid, gridOf(*instruction));
    TRY_STATUS(spellOutGroups(module, grid.devices));
    TRY(const Literal operands, operandValues(module, *instruction, engine, cancel));
    TRY(auto outputs, runGrid(module, grid, operands, engine, cancel));
    TRY_STATUS(replaceByConstants(instruction, flattened(std::move(outputs))));
  }
  return {};
}

}  // namespace hilo
