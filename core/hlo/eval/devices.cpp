#include "core/hlo/eval/devices.h"

#include <fmt/format.h>

#include <optional>
#include <system_error>
#include <thread>

#include "core/hlo/eval/eval_context.h"
#include "core/hlo/eval/exchange.h"

namespace hilo {
namespace {

Status checkGrid(DeviceGrid grid) {
  if (grid.replicas < 1 || grid.partitions < 1 || grid.replicas > kMaxDevices ||
      grid.partitions > kMaxDevices || grid.count() > kMaxDevices) {
    return fail("wrong-argument", fmt::format("{} replicas of {} partitions are not between 1 and {} devices",
                                              grid.replicas, grid.partitions, kMaxDevices));
  }
  return {};
}

EvalOptions optionsOf(int64_t device, DeviceGrid grid, const EvalOptions& shared) {
  EvalOptions own = shared;
  own.replicaId = device / grid.partitions;
  own.partitionId = device % grid.partitions;
  own.maxLiveBytes = shared.maxLiveBytes / grid.count();
  if (device != 0) own.observe = nullptr;
  return own;
}

Result<Literal> runDevice(const DeviceProgram& program, const EvalOptions& options,
                          DeviceExchange& exchange) {
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    if (program.arguments[i].isElided())
      return fail("wrong-argument", fmt::format("argument {} has no values", i));
  }
  if (program.entry == nullptr) return fail("malformed-module", "the module has no entry computation");
  HostFeed host(&program.infeed);
  EvalContext context(options, {.exchange = &exchange, .host = &host});
  TRY(Literal output, context.call(*program.entry, program.arguments));
  if (program.outfeed != nullptr) *program.outfeed = host.takeOutfeed();
  return output;
}

// What knows which device it is on, or hears of others.
bool tellsDevicesApart(const Instruction& instruction) {
  const OpcodeClass family = opcodeClass(instruction.opcode());
  return family == OpcodeClass::Collective || family == OpcodeClass::Communication ||
         instruction.opcode() == Opcode::PartitionId || instruction.opcode() == Opcode::ReplicaId;
}

}  // namespace

bool devicesDoTheSame(const Module& module, std::span<const std::vector<Literal>> arguments) {
  for (const Computation* computation : module.computations()) {
    if (std::ranges::any_of(computation->instructions(),
                            [](const Instruction* i) { return tellsDevicesApart(*i); }))
      return false;
  }
  return std::ranges::all_of(arguments, [&](const auto& own) { return own == arguments[0]; });
}

Result<std::vector<Literal>> evaluateOnDevices(DeviceGrid grid, std::span<const DeviceProgram> programs,
                                               const EvalOptions& options) {
  TRY_STATUS(checkGrid(grid));
  if (static_cast<int64_t>(programs.size()) != grid.count())
    return fail("wrong-argument", fmt::format("{} programs for {} devices", programs.size(), grid.count()));
  DeviceExchange exchange(grid, options.cancel, options.maxLiveBytes);
  std::vector<Literal> outputs(programs.size());
  const auto run = [&](size_t device) {
    const EvalOptions own = optionsOf(static_cast<int64_t>(device), grid, options);
    auto output = runDevice(programs[device], own, exchange);
    if (output) {
      outputs[device] = *std::move(output);
      exchange.finish(static_cast<int64_t>(device));
      return;
    }
    Diagnostic error = std::move(output).error();
    if (grid.count() > 1) {
      error.notes.push_back(
          fmt::format("on device {} (replica {}, partition {})", device, own.replicaId, own.partitionId));
    }
    exchange.stop(std::move(error));
  };
  {
    std::vector<std::jthread> threads;
    for (size_t device = 0; device < programs.size() && !exchange.stopped(); ++device) {
      try {
        threads.emplace_back(run, device);
      } catch (const std::system_error& error) {
        exchange.stop({.kind = "no-thread",
                       .message = fmt::format("no thread for device {}: {}", device, error.what()),
                       .place = {},
                       .notes = {}});
      }
    }
  }
  if (exchange.stopped()) return std::unexpected(exchange.failure());
  return outputs;
}

Result<std::vector<Literal>> evaluateOnDevices(const Module& module, DeviceGrid grid,
                                               std::span<const std::vector<Literal>> arguments,
                                               const EvalOptions& options) {
  TRY_STATUS(checkGrid(grid));
  if (arguments.size() != 1 && static_cast<int64_t>(arguments.size()) != grid.count()) {
    return fail("wrong-argument",
                fmt::format("{} lists of arguments for {} devices", arguments.size(), grid.count()));
  }
  TRY_STATUS(checkInfeeds(options.infeeds, grid.count()));
  if (grid.count() > 1 && devicesDoTheSame(module, arguments)) {
    TRY(Literal output, evaluate(module, arguments[0], options));
    return std::vector<Literal>(static_cast<size_t>(grid.count()), std::move(output));
  }
  std::vector<std::vector<Literal>> outfeeds(static_cast<size_t>(grid.count()));
  std::vector<DeviceProgram> programs;
  for (int64_t device = 0; device < grid.count(); ++device) {
    const auto& own = arguments[arguments.size() == 1 ? 0 : static_cast<size_t>(device)];
    const InfeedValues* infeed = infeedOf(options.infeeds, device);
    programs.push_back({.entry = module.entry(),
                        .arguments = own,
                        .infeed = infeed == nullptr ? InfeedValues() : *infeed,
                        .outfeed = &outfeeds[static_cast<size_t>(device)]});
  }
  TRY(std::vector<Literal> outputs, evaluateOnDevices(grid, programs, options));
  for (size_t device = 0; hasOutfeed(module) && device < outputs.size(); ++device)
    outputs[device] = withOutfeed(std::move(outputs[device]), std::move(outfeeds[device]));
  return outputs;
}

}  // namespace hilo
