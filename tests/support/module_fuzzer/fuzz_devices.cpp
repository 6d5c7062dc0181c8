#include "tests/support/module_fuzzer/fuzz_devices.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <ranges>

#include "core/analysis/extract.h"
#include "core/hlo/eval/devices.h"
#include "core/hlo/eval/infeeds.h"
#include "tests/support/module_fuzzer/module_writer.h"

namespace hilo::fuzz {
namespace {

DeviceGrid gridOfSeed(uint64_t seed, int64_t mostDevices) {
  std::vector<DeviceGrid> grids;
  for (int64_t replicas = 1; replicas <= mostDevices; ++replicas) {
    for (int64_t partitions = 1; replicas * partitions <= mostDevices; ++partitions) {
      if (replicas * partitions > 1) grids.push_back({.replicas = replicas, .partitions = partitions});
    }
  }
  return grids[seed % grids.size()];
}

DeviceArguments argumentsFor(const Module& module, DeviceGrid grid, uint64_t seed) {
  DeviceArguments arguments;
  for (int64_t device = 0; device < grid.count(); ++device)
    arguments.push_back(makeCalmArguments(module, seed * 64 + static_cast<uint64_t>(device)));
  return arguments;
}

struct DeviceVerdict {
  Verdict verdict;
  size_t element = 0;  // of the root, that differs
};

DeviceVerdict judge(const DeviceCase& c, const RunOnDevices& engine) {
  const auto expected = evaluateCase(*c.module, c.grid, c.arguments);
  if (!expected) return {{Outcome::Refused, toString(expected.error())}};
  const auto got = engine(c.module, c.grid, c.arguments);
  if (!got) return {verdictOf(got.error())};
  for (size_t device = 0; device < got->size(); ++device) {
    const Literal &mine = (*got)[device], &theirs = (*expected)[device];
    std::string why = difference(mine, theirs, {});
    if (why.empty()) continue;
    size_t element = 0;
    while (mine.isTuple() && difference(mine.elements()[element], theirs.elements()[element], {}).empty())
      ++element;
    return {{Outcome::Differs, fmt::format("device {}: {}", device, why)}, element};
  }
  return {};
}

// What one element of the root needs, on the arguments it had.
DeviceCase partFor(const DeviceCase& c, size_t element) {
  const Instruction& root = *c.module->entry()->root();
  // What outfeeds gave needs all that is there.
  if (element >= root.operandCount()) return c;
  absl::flat_hash_set<const Instruction*> needed = {root.operand(element)};
  std::vector<const Instruction*> instructions;
  for (const Instruction* instruction : c.module->entry()->instructions())
    instructions.push_back(instruction);
  for (const Instruction* instruction : std::views::reverse(instructions)) {
    // A receive waits for the send of its channel.
    if (instruction->opcode() == Opcode::SendDone) needed.insert(instruction);
    if (!needed.contains(instruction)) continue;
    for (const Instruction* operand : instruction->operands()) needed.insert(operand);
  }
  std::vector<InstructionId> wanted;
  for (const Instruction* instruction : instructions) {
    if (needed.contains(instruction) && instruction->opcode() != Opcode::Parameter)
      wanted.push_back(instruction->id());
  }
  auto module = extractModule(*c.module, wanted);
  if (!module) return c;
  DeviceCase part{*std::move(module), c.grid, DeviceArguments(c.arguments.size())};
  for (const Instruction* parameter : part.module->entry()->parameters()) {
    const Instruction* before = c.module->entry()->find(parameter->name());
    if (before == nullptr || before->opcode() != Opcode::Parameter) return c;
    for (size_t device = 0; device < c.arguments.size(); ++device)
      part.arguments[device].push_back(c.arguments[device][static_cast<size_t>(before->parameterNumber())]);
  }
  return part;
}

}  // namespace

Result<std::vector<Literal>> evaluateCase(const Module& module, DeviceGrid grid,
                                          const DeviceArguments& arguments) {
  TRY(const InfeedValues infeed, makeInfeeds(infeedShapes(module), 0));
  EvalOptions options;
  options.infeeds = {&infeed, 1};
  return evaluateOnDevices(module, grid, arguments, options);
}

Result<DeviceCase> makeDeviceCase(uint64_t seed, int operations, int64_t mostDevices) {
  const DeviceGrid grid = gridOfSeed(seed, mostDevices);
  TRY(auto module,
      readWritten(
          ModuleWriter({.seed = seed, .operations = operations, .exactOnly = true, .devices = grid}).write(),
          grid));
  DeviceArguments arguments = argumentsFor(*module, grid, seed);
  return DeviceCase{std::move(module), grid, std::move(arguments)};
}

Report fuzzDevices(const std::vector<RunOnDevices>& engines, const Plan& plan, int64_t mostDevices) {
  Report report;
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < plan.modules && report.findings.size() < plan.mostFindings; ++i) {
    if (std::chrono::steady_clock::now() - begin > plan.longest) break;
    const uint64_t seed = plan.firstSeed + static_cast<uint64_t>(i);
    ++report.modules;
    const auto made = makeDeviceCase(seed, plan.operations, mostDevices);
    if (!made) {
      report.findings.push_back({seed, "the module is malformed: " + toString(made.error()), {}, {}});
      continue;
    }
    const RunOnDevices& engine = engines[seed / 2 % engines.size()];
    const auto [verdict, element] = judge(*made, engine);
    if (verdict.outcome == Outcome::Refused) report.refuse(seed, verdict.why);
    if (verdict.outcome != Outcome::Differs) continue;
    const DeviceCase part = partFor(*made, element);
    const bool isEnough = judge(part, engine).verdict.outcome == Outcome::Differs;
    const DeviceCase& small = isEnough ? part : *made;
    report.findings.push_back(
        {seed, verdict.why, {made->module, made->arguments[0]}, {small.module, small.arguments[0]}});
  }
  return report;
}

}  // namespace hilo::fuzz
