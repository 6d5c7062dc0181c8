#include "core/compiler/passes/memory/host_offload/placement_calls.h"

#include <algorithm>
#include <vector>

namespace hilo {
namespace {

constexpr FrontendAttribute kHostCompute = {"_xla_compute_type", "host"};

}  // namespace

bool isCallTo(const Instruction& i, std::string_view target) {
  return i.opcode() == Opcode::CustomCall && i.get<Attr::CustomCallTarget>() == target;
}

bool isMoveToHost(const Instruction& i) { return isCallTo(i, "MoveToHost") && i.operandCount() == 1; }

bool isMoveToDevice(const Instruction& i) { return isCallTo(i, "MoveToDevice") && i.operandCount() == 1; }

bool isAllocateBuffer(const Instruction& i) { return isCallTo(i, "AllocateBuffer"); }

bool isHostCompute(const Instruction& i) {
  const auto attributes = i.get<Attr::FrontendAttributes>();
  return std::ranges::find(attributes, kHostCompute) != attributes.end();
}

void markHostCompute(Instruction& i) {
  if (isHostCompute(i)) return;
  const auto has = i.get<Attr::FrontendAttributes>();
  std::vector<FrontendAttribute> attributes(has.begin(), has.end());
  attributes.push_back(kHostCompute);
  i.set<Attr::FrontendAttributes>(attributes);
}

bool isOfHostThread(const Computation& computation) {
  return computation.attributes().get<Attr::ExecutionThread>() == "host";
}

bool startsHostWork(const Instruction& i) {
  return i.opcode() == Opcode::AsyncStart && i.get<Attr::AsyncExecutionThread>() == "host";
}

}  // namespace hilo
