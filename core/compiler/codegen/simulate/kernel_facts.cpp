#include "core/compiler/codegen/simulate/kernel_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/runtime/device/simulated/sim_thread.h"

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

void layOutParams(const PtxFunction& ptx, SimulatedKernel& kernel) {
  uint64_t at = 0;
  for (const PtxVariable& param : ptx.params) {
    at = alignUp(at, param.alignedTo());
    kernel.params.push_back({param.name, static_cast<uint32_t>(at), static_cast<uint32_t>(param.bytes())});
    at += param.bytes();
  }
  kernel.paramBytes = static_cast<uint32_t>(at);
}

std::vector<const PtxVariable*> sharedVariables(const PtxModule& module, const ReachablePtx& reached) {
  std::vector<const PtxVariable*> all;
  const auto add = [&](const PtxVariable& variable) {
    if (variable.space == PtxSpace::Shared) all.push_back(&variable);
  };
  for (const PtxVariable& variable : module.variables) {
    if (reached.names.contains(variable.name)) add(variable);
  }
  for (const PtxFunction* function : reached.functions) std::ranges::for_each(function->variables, add);
  return all;
}

// Variables of fixed size first; all without one begin where these end.
void layOutShared(const PtxModule& module, const ReachablePtx& reached, SimulatedKernel& kernel) {
  uint64_t at = 0;
  for (const PtxVariable* variable : sharedVariables(module, reached)) {
    if (variable->bytes() == 0) continue;
    at = alignUp(at, variable->alignedTo());
    kernel.shared.push_back(
        {variable->name, static_cast<uint32_t>(at), static_cast<uint32_t>(variable->bytes())});
    at += variable->bytes();
  }
  for (const PtxVariable* variable : sharedOfLaunch(module, reached)) at = alignUp(at, variable->alignedTo());
  kernel.sharedBytes = static_cast<uint32_t>(at);
}

void readAttributes(const PtxFunction& ptx, SimulatedKernel& kernel) {
  const auto read = [&](std::string_view name, uint32_t (&values)[3]) {
    const PtxAttribute* attribute = ptx.attribute(name);
    if (attribute == nullptr) return;
    for (size_t i = 0; i < 3; ++i)
      values[i] = i < attribute->values.size() ? static_cast<uint32_t>(attribute->values[i]) : 1;
  };
  read("reqntid", kernel.requiredThreads);
  read("reqnctapercluster", kernel.requiredCluster);
  uint32_t most[3] = {0, 1, 1};
  read("maxntid", most);
  kernel.mostThreads = most[0] * most[1] * most[2];
}

// What the host's stack must hold: functions that are called, and what LLVM spills.
void measure(const ReachablePtx& reached, SimulatedKernel& kernel) {
  uint64_t stack = kFrameBytes;
  for (const PtxFunction* function : reached.functions) {
    stack += function->registers.size() * 8 + kFrameBytes;
    for (const PtxVariable& variable : function->variables) {
      if (variable.space == PtxSpace::Local || variable.space == PtxSpace::Param)
        stack += alignUp(variable.bytes(), 16);
    }
    for (const PtxInstruction& instruction : function->instructions) {
      // A function that calls functions may come to itself again.
      if (instruction.op == PtxOp::Call && function != reached.functions.front())
        stack = std::max(stack, kRecursionStack);
    }
    kernel.instructions += function->instructions.size();
  }
  kernel.stackBytes = static_cast<uint32_t>(std::min<uint64_t>(stack, uint64_t{1} << 30));
}

// Whether its lanes can be taken for a row of threads when a warp runs together: where y and z are not asked
// for a block of one row is the usual, and where a row is whole warps it is so.
bool isRow(const ReachablePtx& reached, const SimulatedKernel& kernel) {
  if (kernel.requiredThreads[0] != 0)
    return kernel.requiredThreads[0] % kSimLanes == 0 ||
           kernel.requiredThreads[1] * kernel.requiredThreads[2] == 1;
  for (const PtxFunction* function : reached.functions) {
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

}  // namespace

ReachablePtx reachableFrom(const PtxModule& module, const PtxFunction& kernel) {
  ReachablePtx reached{{&kernel}, {}};
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

SimulatedKernel kernelFacts(const PtxModule& module, const ReachablePtx& reached) {
  const PtxFunction& ptx = *reached.functions.front();
  SimulatedKernel kernel{.name = ptx.name};
  layOutParams(ptx, kernel);
  layOutShared(module, reached, kernel);
  readAttributes(ptx, kernel);
  measure(reached, kernel);
  kernel.isRow = isRow(reached, kernel);
  return kernel;
}

std::vector<const PtxVariable*> sharedOfLaunch(const PtxModule& module, const ReachablePtx& reached) {
  std::vector<const PtxVariable*> open = sharedVariables(module, reached);
  std::erase_if(open, [](const PtxVariable* variable) { return variable->bytes() != 0; });
  return open;
}

Diagnostics whyTooLarge(const PtxModule& module, const ReachablePtx& reached) {
  const PtxFunction& ptx = *reached.functions.front();
  Diagnostics problems;
  constexpr uint64_t kMostParams = 32764, kMostShared = 1 << 20, kMostLocal = 512 << 10,
                     kMostGlobal = uint64_t{1} << 32;
  uint64_t params = 0, shared = 0, local = 0, global = 0;
  const auto add = [&](const PtxVariable& variable) {
    const bool isLocal = variable.space == PtxSpace::Local || variable.space == PtxSpace::Param;
    (variable.space == PtxSpace::Shared ? shared
     : isLocal                          ? local
                                        : global) += variable.bytes() + variable.alignedTo();
  };
  for (const PtxVariable& param : ptx.params) params += param.bytes();
  std::ranges::for_each(module.variables, add);
  for (const PtxFunction* function : reached.functions) std::ranges::for_each(function->variables, add);
  const auto check = [&](const char* what, uint64_t bytes, uint64_t most) {
    if (bytes <= most) return;
    problems.push_back(
        {.kind = "unsupported-ptx",
         .message = fmt::format("{} has {} bytes of {}, more than {}", ptx.name, bytes, what, most),
         .place = {.line = ptx.line}});
  };
  check("parameters", params, kMostParams);
  check("shared memory", shared, kMostShared);
  check("local memory", local, kMostLocal);
  check("global memory", global, kMostGlobal);
  return problems;
}

}  // namespace hilo
