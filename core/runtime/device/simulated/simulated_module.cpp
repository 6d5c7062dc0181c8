#include "core/runtime/device/simulated/simulated_module.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <cstring>

#include "core/runtime/device/host/kernel_symbols.h"
#include "core/runtime/device/host/object_code.h"
#include "core/runtime/device/simulated/access_check.h"
#include "core/runtime/device/simulated/grid.h"
#include "core/runtime/device/simulated/sim_functions.h"

namespace hilo {
namespace {

constexpr std::string_view kGlobalPrefix = "global.";

}  // namespace

struct SimulatedModule::State {
  SimulatedCode code;
  std::vector<std::vector<std::byte>> memory;  // of globals, with room to align
  absl::flat_hash_map<std::string, std::span<std::byte>> globals;
  SimulatedMemory known;  // the globals, for check mode
  std::vector<ObjectCode> objects;
  std::vector<SimKernelFunction> functions;  // of each kernel
  std::string output;

  void placeGlobals();
  Status fillGlobals();
  Status loadKernels();
};

void SimulatedModule::State::placeGlobals() {
  for (const SimulatedGlobal& global : code.globals) {
    memory.emplace_back(global.bytes + global.alignment);
    auto at = reinterpret_cast<uintptr_t>(memory.back().data());
    at = (at + global.alignment - 1) / global.alignment * global.alignment;
    const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(at), global.bytes);
    std::ranges::copy(global.initial, bytes.begin());
    globals[global.name] = bytes;
    known.add(global.name, bytes, true);
  }
}

Status SimulatedModule::State::fillGlobals() {
  for (const SimulatedGlobal& global : code.globals) {
    for (const SimulatedSymbolAt& symbol : global.symbols) {
      const auto target = globals.find(symbol.name);
      if (target == globals.end() || symbol.offset + symbol.bytes > global.bytes || symbol.bytes > 8)
        return fail("unknown-global",
                    fmt::format("{} holds the address of {}, which is no variable", global.name, symbol.name),
                    {.file = code.file});
      const uint64_t address =
          reinterpret_cast<uint64_t>(target->second.data()) + static_cast<uint64_t>(symbol.addend);
      std::memcpy(globals[global.name].data() + symbol.offset, &address, symbol.bytes);
    }
  }
  return {};
}

Status SimulatedModule::State::loadKernels() {
  const auto resolve = [this](std::string_view name) -> void* {
    if (void* function = simFunction(name)) return function;
    if (name.starts_with(kGlobalPrefix)) {
      const auto found = globals.find(std::string(name.substr(kGlobalPrefix.size())));
      return found == globals.end() ? nullptr : found->second.data();
    }
    return kernelSymbol(name);
  };
  for (const SimulatedKernel& kernel : code.kernels) {
    TRY(ObjectCode object, ObjectCode::load(kernel.object, resolve));
    functions.push_back(reinterpret_cast<SimKernelFunction>(object.symbol("kernel")));
    objects.push_back(std::move(object));
    if (functions.back() == nullptr)
      return fail("malformed-object", fmt::format("the object code of {} has no kernel", kernel.name),
                  {.file = code.file});
  }
  return {};
}

Result<SimulatedModule> SimulatedModule::load(SimulatedCode code) {
  SimulatedModule module;
  module.state_ = std::make_shared<State>();
  module.state_->code = std::move(code);
  module.state_->placeGlobals();
  TRY_STATUS(module.state_->fillGlobals());
  TRY_STATUS(module.state_->loadKernels());
  return module;
}

Result<SimulatedReport> SimulatedModule::launch(const SimulatedLaunch& launch,
                                                SimulatedMemory* memory) const {
  const auto& kernels = state_->code.kernels;
  const auto found = std::ranges::find(kernels, launch.kernel, &SimulatedKernel::name);
  if (found == kernels.end())
    return fail("unknown-kernel", fmt::format("no kernel is called {}", launch.kernel),
                {.file = state_->code.file});
  const SimKernelFunction function = state_->functions[static_cast<size_t>(found - kernels.begin())];
  Grid grid(state_->code, *found, function, launch, memory, &state_->known, state_->output);
  return grid.run();
}

const SimulatedCode& SimulatedModule::code() const { return state_->code; }

const SimulatedKernel* SimulatedModule::kernel(std::string_view name) const {
  const auto found = std::ranges::find(state_->code.kernels, name, &SimulatedKernel::name);
  return found == state_->code.kernels.end() ? nullptr : &*found;
}

std::span<std::byte> SimulatedModule::global(std::string_view name) const {
  const auto found = state_->globals.find(std::string(name));
  return found == state_->globals.end() ? std::span<std::byte>() : found->second;
}

std::string SimulatedModule::takeOutput() const { return std::exchange(state_->output, {}); }

}  // namespace hilo
