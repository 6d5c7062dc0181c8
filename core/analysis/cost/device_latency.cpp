#include "core/analysis/cost/device_latency.h"

#include <cmath>

#include "core/analysis/async_op.h"
#include "core/analysis/contraction_cost.h"
#include "core/analysis/cost/uniform_latency.h"
#include "core/analysis/saturating.h"
#include "core/analysis/while_loop.h"
#include "core/base/enum_table.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

constexpr double kIssueNs = 1;  // of a start or done: it only tells another stream

bool isTransfer(Opcode opcode) { return opcode == Opcode::Send || opcode == Opcode::Recv; }

// Any spelling of a collective: itself, or the half that starts it.
Opcode collectiveOpcode(const Instruction& instruction) {
  const CanonicalAsyncOp op = canonicalAsyncOp(instruction, true);
  return isCollectiveCommunication(op.inner) || isTransfer(op.inner) ? op.inner : Opcode::Opaque;
}

int64_t operandBytes(const Instruction& instruction) {
  int64_t bytes = 0;
  for (const Instruction* operand : instruction.operands())
    bytes = saturatingAdd(bytes, operand->shape().byteSize());
  return bytes;
}

// A start's shape also names the operands; the operation's own result is what counts.
int64_t resultBytes(const Instruction& instruction) {
  const Shape shape = instruction.shape();
  const bool namesOperands = instruction.opcode() == Opcode::AllGatherStart ||
                             instruction.opcode() == Opcode::CollectivePermuteStart ||
                             isTransfer(instruction.opcode());
  if (!namesOperands) return shape.byteSize();
  if (instruction.opcode() == Opcode::Recv || instruction.opcode() == Opcode::Send)
    return shape.tupleShapes().empty() ? 0 : shape.tupleShapes()[0].byteSize();
  return shape.tupleShapes().size() < 2 ? 0 : shape.tupleShapes()[1].byteSize();
}

struct GroupFacts {
  int64_t size = 1;
  bool withinNode = true;
};

GroupFacts groupFacts(const Instruction& collective, int64_t devicesPerNode) {
  const Module& module = collective.module();
  GroupFacts facts{.size = saturatingMultiply(module.partitionCount(), module.replicaCount())};
  const auto sameNode = [&](std::span<const int64_t> ranks) {
    return std::ranges::all_of(ranks,
                               [&](int64_t r) { return r / devicesPerNode == ranks[0] / devicesPerNode; });
  };
  if (const auto pairs = collective.get<Attr::SourceTargetPairs>(); !pairs.empty()) {
    facts.size = 2;
    facts.withinNode = std::ranges::all_of(pairs, sameNode);
    return facts;
  }
  const ReplicaGroups* attribute = collective.get<Attr::ReplicaGroups>();
  const auto groups =
      attribute == nullptr ? std::vector<std::vector<int64_t>>() : expandReplicaGroups(*attribute);
  if (groups.empty() || groups[0].empty()) {
    facts.withinNode = facts.size <= devicesPerNode;
    return facts;
  }
  facts.size = 0;
  for (const auto& group : groups) {
    facts.size = std::max(facts.size, static_cast<int64_t>(group.size()));
    facts.withinNode &= sameNode(group);
  }
  return facts;
}

// The contraction that decides how fast a kernel is: the instruction itself, or the largest it fuses.
const Instruction* contractionOf(const Instruction& instruction) {
  if (hasFact(instruction.opcode(), OpFact::Contracts)) return &instruction;
  if (instruction.opcode() == Opcode::CustomCall && instruction.operandCount() >= 2)
    return instruction.get<Attr::CustomCallTarget>().starts_with("__c") ? &instruction : nullptr;
  if (instruction.opcode() != Opcode::Fusion) return nullptr;
  const Instruction* largest = nullptr;
  const Computation* fused = instruction.get<Attr::Calls>();
  if (fused == nullptr) return nullptr;
  for (const Instruction* i : fused->instructions()) {
    if (hasFact(i->opcode(), OpFact::Contracts) &&
        (largest == nullptr || i->shape().byteSize() > largest->shape().byteSize()))
      largest = i;
  }
  return largest;
}

}  // namespace

std::string_view collectiveAlgorithmName(CollectiveAlgorithm algorithm) {
  static constexpr EnumTable<CollectiveAlgorithm, std::string_view> kNames(
      {"none", "ring", "tree", "direct"});
  return kNames[algorithm];
}

DeviceLatencyEstimator::DeviceLatencyEstimator(const Module& module, DeviceDescription device)
    : device_(std::move(device)), facts_(module) {
  for (const Computation* c : module.computations()) {
    if (c->id().value >= computationNs_.size()) computationNs_.resize(c->id().value + 1, -1);
  }
  // Called before caller, so that no call nests another's sum.
  const auto sum = [&](const Computation& computation) {
    double ns = 0;
    for (const Instruction* instruction : computation.instructions()) ns += workNs(*instruction);
    computationNs_[computation.id().value] = ns;
  };
  std::vector<std::pair<const Computation*, bool>> stack;
  std::vector<bool> seen(computationNs_.size());
  for (const Computation* start : module.computations()) {
    stack.emplace_back(start, false);
    while (!stack.empty()) {
      const auto [computation, calleesDone] = stack.back();
      stack.pop_back();
      if (calleesDone) {
        sum(*computation);
        continue;
      }
      if (seen[computation->id().value]) continue;
      seen[computation->id().value] = true;
      stack.emplace_back(computation, true);
      for (const Instruction* instruction : computation->instructions()) {
        if (instruction->opcode() == Opcode::Fusion) continue;
        for (const Computation* called : instruction->calledComputations()) {
          if (called != nullptr && !seen[called->id().value]) stack.emplace_back(called, false);
        }
      }
    }
  }
}

double DeviceLatencyEstimator::computationNs(const Computation& computation) const {
  return std::max(0.0, computationNs_[computation.id().value]);
}

// How fast the machine multiplies: its rate for the type, less what tiles of 128 by 128 leave unused.
double DeviceLatencyEstimator::matmulRate(const Instruction& contraction) const {
  constexpr int64_t kTile = 128;
  const ElementType type = contraction.operand(0)->shape().isArray()
                               ? contraction.operand(0)->shape().elementType()
                               : ElementType::F32;
  const double peak = device_.matmulTflops(type) * device_.matmulEfficiency * 1e3;  // flops a ns
  Shape result = contraction.shape();
  while (result.isTuple() && !result.tupleShapes().empty()) result = result.tupleShapes()[0];
  if (!result.isArray() || result.rank() < 2 || contraction.opcode() == Opcode::Convolution) return peak;
  const size_t rank = result.rank();
  const auto tiles = [&](int64_t size) { return (std::max<int64_t>(1, size) + kTile - 1) / kTile; };
  const int64_t rows = result.dimension(rank - 2), columns = result.dimension(rank - 1);
  const int64_t batch =
      std::max<int64_t>(1, result.elementCount() / std::max<int64_t>(1, saturatingMultiply(rows, columns)));
  const int64_t count = saturatingMultiply(batch, saturatingMultiply(tiles(rows), tiles(columns)));
  const int64_t waves = (count + device_.processors - 1) / device_.processors;
  const double filled =
      static_cast<double>(count) / (static_cast<double>(waves) * static_cast<double>(device_.processors));
  // Few tiles are cut along the contracted dimension by libraries: half of the machine at worst.
  return peak * std::max(0.5, filled);
}

double DeviceLatencyEstimator::kernelNs(const Instruction& instruction) const {
  const CostFacts& facts = facts_.of(instruction);
  const double memoryNs =
      static_cast<double>(facts.bytesAccessed) / (device_.memoryBandwidthGBps * device_.memoryEfficiency);
  const double flops = static_cast<double>(facts.flops);
  double rate = device_.peakTflops.f32 * 1e3;
  if (const Instruction* contraction = contractionOf(instruction)) rate = matmulRate(*contraction);
  // A transcendental function takes some eight operations.
  const double computeNs =
      flops / rate + 8 * static_cast<double>(facts.transcendentals) / (device_.peakTflops.f32 * 1e3);
  return std::max(device_.kernelNs, std::max(memoryNs, computeNs));
}

double DeviceLatencyEstimator::loopNs(const Instruction& loop) const {
  const int64_t trips = tripCount(loop).value_or(1);
  double once = 0;
  for (const Computation* called : loop.calledComputations()) once += computationNs(*called);
  return static_cast<double>(trips) * once;
}

CollectiveEstimate DeviceLatencyEstimator::collective(const Instruction& instruction) const {
  const Instruction& operation = asyncOperation(instruction);
  const GroupFacts group = groupFacts(operation, device_.devicesPerNode);
  CollectiveEstimate estimate{.groupSize = group.size, .withinNode = group.withinNode};
  estimate.bytes = std::max(operandBytes(operation), resultBytes(operation));
  const LinkDescription& link = group.withinNode ? device_.link : device_.network;
  const auto n = static_cast<double>(std::max<int64_t>(1, group.size));
  const auto bytes = static_cast<double>(estimate.bytes);
  const double share = (n - 1) / n, steps = n - 1, hops = std::ceil(std::log2(n));
  double ns = 0;
  using enum CollectiveAlgorithm;
  estimate.algorithm = Ring;
  switch (collectiveOpcode(instruction)) {
    case Opcode::AllReduce: {
      const double ring = 2 * share * link.nsFor(bytes) + 2 * steps * link.latencyNs;
      const double tree = 2 * link.nsFor(bytes) + 2 * hops * link.latencyNs;
      ns = std::min(ring, tree);
      estimate.algorithm = tree < ring ? Tree : Ring;
      break;
    }
    case Opcode::AllGather:
    case Opcode::ReduceScatter:
      ns = share * link.nsFor(bytes) + steps * link.latencyNs;
      break;
    case Opcode::AllToAll:
    case Opcode::RaggedAllToAll:
      ns = share * link.nsFor(bytes) + link.latencyNs;
      estimate.algorithm = Direct;
      break;
    case Opcode::CollectiveBroadcast:
      ns = link.nsFor(bytes) + hops * link.latencyNs;
      estimate.algorithm = Tree;
      break;
    default:  // permute, send, recv
      ns = link.nsFor(bytes) + link.latencyNs;
      estimate.algorithm = Direct;
      break;
  }
  if (group.size <= 1) {
    // Only one takes part: a copy on the device.
    ns = 2 * bytes / (device_.memoryBandwidthGBps * device_.memoryEfficiency);
    estimate.algorithm = None;
  }
  estimate.ns = device_.collectiveNs + ns;
  return estimate;
}

double DeviceLatencyEstimator::workNs(const Instruction& instruction) const {
  if (const double told = latencyFromMetadata(instruction, unitsPerMicrosecond()); told >= 0) return told;
  if (isGpuNop(instruction)) return 0;
  const CanonicalAsyncOp op = canonicalAsyncOp(instruction, true);
  if (op.role == AsyncRole::Done || instruction.opcode() == Opcode::AsyncUpdate) return 0;
  if (collectiveOpcode(instruction) != Opcode::Opaque) return collective(instruction).ns;
  switch (instruction.opcode()) {
    case Opcode::AfterAll:
    case Opcode::AddDependency:
    case Opcode::Domain:
      return 0;
    case Opcode::CopyStart:
      return device_.kernelNs + static_cast<double>(operandBytes(instruction)) / device_.hostBandwidthGBps;
    case Opcode::While:
      return loopNs(instruction);
    case Opcode::Conditional: {
      double longest = 0;
      for (const Computation* branch : instruction.calledComputations())
        longest = std::max(longest, computationNs(*branch));
      return longest;
    }
    case Opcode::Call:
    case Opcode::AsyncStart: {
      double sum = 0;
      for (const Computation* called : instruction.calledComputations()) sum += computationNs(*called);
      return sum;
    }
    default:
      return kernelNs(instruction);
  }
}

double DeviceLatencyEstimator::nodeCost(const Instruction& instruction) const {
  const CanonicalAsyncOp op = canonicalAsyncOp(instruction, true);
  if (op.role == AsyncRole::Start && isSyncCollective(instruction)) return workNs(instruction);
  return op.role == AsyncRole::None ? workNs(instruction) : kIssueNs;
}

double DeviceLatencyEstimator::latencyBetween(const Instruction& from, const Instruction& to) const {
  const CanonicalAsyncOp start = canonicalAsyncOp(from, true), done = canonicalAsyncOp(to, true);
  const bool pair =
      start.role == AsyncRole::Start && done.role == AsyncRole::Done && start.inner == done.inner;
  return pair && !isSyncCollective(from) ? workNs(from) : 0;
}

std::string_view boundOf(const Instruction& instruction, const DeviceLatencyEstimator& device) {
  const CanonicalAsyncOp op = canonicalAsyncOp(instruction, true);
  if (op.role == AsyncRole::Done || isGpuNop(instruction)) return "";
  if (isCollectiveCommunication(op.inner)) return "link";
  if (opcodeClass(instruction.opcode()) == OpcodeClass::ControlFlow) return "loop";
  const double ns = device.workNs(instruction);
  if (ns <= device.device().kernelNs) return "launch";
  const double memoryNs = static_cast<double>(device.facts().of(instruction).bytesAccessed) /
                          (device.device().memoryBandwidthGBps * device.device().memoryEfficiency);
  return ns > memoryNs * 1.0001 ? "compute" : "memory";
}

}  // namespace hilo
