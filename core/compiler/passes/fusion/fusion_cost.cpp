#include "core/compiler/passes/fusion/fusion_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/compiler/passes/fusion/kernel_launch.h"
#include "core/compiler/passes/fusion/op_cycles.h"

namespace hilo {
namespace {

constexpr double kMostCode = 10'000;  // instructions, each as often as it is written out
constexpr double kAtOnce = 0.95;      // the part of the shorter of work and memory that the longer hides
constexpr double kL2Speed = 2.5, kL1Speed = 8, kLineBytes = 64, kBytesOfClock = 32;
constexpr double kL2Bytes = 40.0 * (1 << 20), kL1BytesOfCore = 192.0 * 1024;

double elementsOf(const Shape shape) {
  if (shape.isArray()) return static_cast<double>(shape.elementCount());
  double sum = 0;
  for (const Shape part : shape.tupleShapes()) sum += elementsOf(part);
  return sum;
}
double elementsOf(const Instruction& i) { return elementsOf(i.shape()); }
double bytesOf(const Instruction& i) { return static_cast<double>(i.shape().byteSize()); }

bool goesAlong(const Instruction& i) {
  return isElementwise(i.opcode()) || i.opcode() == Opcode::Copy ||
         (i.opcode() == Opcode::Bitcast &&
          i.shape().dimensions().size() == i.operand(0)->shape().dimensions().size() &&
          std::ranges::equal(i.shape().dimensions(), i.operand(0)->shape().dimensions()));
}

int64_t minorOf(const Shape shape) {
  const Layout* layout = shape.layout();
  for (size_t k = 0; k < shape.rank(); ++k) {
    const int64_t dimension = layout != nullptr && k < layout->minorToMajor.size()
                                  ? layout->minorToMajor[k]
                                  : static_cast<int64_t>(shape.rank() - 1 - k);
    if (shape.dimension(static_cast<size_t>(dimension)) > 1) return dimension;
  }
  return -1;
}

bool isSpread(const Instruction* i) {
  while (i->opcode() != Opcode::Broadcast && i->opcode() != Opcode::Iota) {
    if (i->operandCount() != 1 || (i->opcode() != Opcode::Bitcast && !isElementwise(i->opcode())))
      return false;
    i = i->operand(0);
  }
  return true;
}

// Neighbours of the result do not lie side by side in the operand.
bool turnsMinor(const Instruction& i) {
  if (i.opcode() != Opcode::Transpose && i.opcode() != Opcode::Copy) return false;
  const int64_t to = minorOf(i.shape()), from = minorOf(i.operand(0)->shape());
  if (to < 0 || isSpread(i.operand(0))) return false;
  return (i.opcode() == Opcode::Copy ? to : i.dimensions()[static_cast<size_t>(to)]) != from;
}

double storedBytes(const Instruction& root) {
  if (root.opcode() == Opcode::Bitcast) return 0;
  if (root.opcode() == Opcode::DynamicUpdateSlice) return bytesOf(*root.operand(1));
  if (root.opcode() == Opcode::Scatter) return bytesOf(*root.operand(root.operandCount() - 1));
  return bytesOf(root);
}

// Processors that few blocks leave idle do nothing.
double opsPerNs(const KernelLaunch& launch, const GpuRates& rates) {
  const double perCycle = static_cast<double>(rates.f32Gflops) * 1000 /
                          (static_cast<double>(rates.clockMhz) * static_cast<double>(rates.coreCount));
  const double lanes = std::min(static_cast<double>(launch.threads), std::round(perCycle / 2));
  const double cores = static_cast<double>(std::min(launch.blocks, rates.coreCount));
  return std::max(1.0, std::floor(2 * static_cast<double>(rates.clockMhz) / 1000 * cores * lanes));
}

}  // namespace

double operandReuse(const Instruction& user, size_t index) {
  const Instruction& operand = *user.operand(index);
  const double own = std::max(1.0, elementsOf(user)), below = std::max(1.0, elementsOf(operand));
  switch (user.opcode()) {
    case Opcode::Broadcast:
      return own / below;
    case Opcode::Gather:
    case Opcode::DynamicSlice:
    case Opcode::Slice:
      return index == 0 ? own / below : 1;
    case Opcode::DynamicUpdateSlice:
      return index == 0 ? (own - elementsOf(*user.operand(1))) / own : 1;
    case Opcode::Scatter:
      return index == 0 ? 0 : 1;
    case Opcode::Reduce:
      return index < user.operandCount() / 2
                 ? 1
                 : (user.shape().isTuple() ? elementsOf(user.shape().tupleShapes()[0]) : own);
    case Opcode::ReduceWindow: {
      if (index >= user.operandCount() / 2) return own;
      double window = 1;
      for (const auto& dimension : user.get<Attr::Window>()->dimensions)
        window *= static_cast<double>(dimension.size);
      return own * window / below;
    }
    default:
      return 1;
  }
}

KernelCosts::KernelCosts(std::span<Instruction* const> instructions, const GpuRates& rates)
    : rates_(rates),
      instructions_(instructions.begin(), instructions.end()),
      facts_(instructions.size()),
      inside_(instructions.size()),
      owns_(instructions.size()),
      own_(instructions.size()),
      roots_(instructions.size()) {
  numbers_.reserve(instructions.size());
  for (const Instruction* i : instructions) {
    Facts& facts = facts_[numbers_.size()];
    for (size_t k = 0; k < i->operandCount(); ++k)
      facts.operands.emplace_back(numbers_.at(i->operand(k)), operandReuse(*i, k));
    facts.ops = vectorOps(*i, rates_.capability);
    facts.elements = elementsOf(*i);
    facts.bytes = bytesOf(*i);
    facts.elementBytes =
        i->shape().isArray() ? std::max(1.0, elementBits(i->shape().elementType()) / 8.0) : 4;
    facts.goesAlong = i->operandCount() > 0 && goesAlong(*i);
    facts.turnsMinor = turnsMinor(*i);
    numbers_.emplace(i, static_cast<uint32_t>(numbers_.size()));
  }
}

void KernelCosts::setInside(std::span<const uint32_t> members) {
  ++turn_;
  for (const uint32_t member : members) inside_[member] = turn_;
}

KernelCosts::Roots& KernelCosts::rootsOf(uint32_t value) {
  if (roots_[value].empty()) values_.push_back(value);
  return roots_[value];
}

void KernelCosts::addRoot(uint32_t value, double times, double written) {
  rootsOf(value).push_back(static_cast<uint32_t>(times_.size()));
  times_.push_back(times);
  code_.push_back(written);
}

void KernelCosts::use(const Facts& user, const Roots& roots, double times, double written) {
  for (const auto& [operand, reuse] : user.operands) {
    if (user.goesAlong) {
      Roots& of = rootsOf(operand);
      for (const uint32_t root : roots) {
        if (std::ranges::find(of, root) == of.end()) of.push_back(root);
      }
      continue;
    }
    if (owns_[operand] != turn_) {
      owns_[operand] = turn_;
      own_[operand] = static_cast<uint32_t>(times_.size());
      addRoot(operand, 0, 0);
    }
    const double elements = facts_[operand].elements;
    times_[own_[operand]] += elements == 0 ? 0 : std::ceil(times * reuse * elements) / elements;
    code_[own_[operand]] += written;
  }
}

void KernelCosts::clear() {
  for (const uint32_t value : values_) roots_[value].clear();
  values_.clear();
  times_.clear();
  code_.clear();
}

double KernelCosts::readNs(uint32_t value, double reachable, bool isScattered) const {
  double times = 0;
  for (const uint32_t root : roots_[value]) times += times_[root];
  const auto bandwidth = static_cast<double>(rates_.memoryBandwidthGbps);
  const double whole = facts_[value].bytes, total = std::round(whole * times), once = std::min(whole, total);
  const double share = isScattered ? facts_[value].elementBytes / kLineBytes : 1;
  double again = bandwidth;
  if (once < kL2Bytes) {
    again *= kL2Speed;
    if (once < kL1BytesOfCore * static_cast<double>(rates_.coreCount)) again *= kL1Speed;
  } else {
    again *= share;
  }
  return once / std::min(bandwidth * share, reachable) + (total - once) / std::min(again, reachable);
}

KernelEmitter KernelCosts::emitterOf(std::span<const uint32_t> members) {
  setInside(members);
  const Instruction* root = instructions_[members[0]];
  return kernelEmitter({&root, 1}, [&](const Instruction& i) { return inside_[numbers_.at(&i)] == turn_; });
}

KernelCost KernelCosts::of(std::span<const uint32_t> members) {
  setInside(members);
  clear();
  addRoot(members[0], 1, 1);
  double ops = 0, allWritten = 0;
  bool isScattered = false;
  for (const uint32_t member : members) {
    const Facts& facts = facts_[member];
    double times = 0, written = 0;
    const Roots roots = roots_[member];
    for (const uint32_t root : roots) {
      times += times_[root];
      written += code_[root];
    }
    ops += times * facts.ops;
    allWritten += written;
    isScattered |= facts.turnsMinor;
    use(facts, roots, times, written);
  }
  if (allWritten > kMostCode) return {std::numeric_limits<double>::infinity(), 0};

  const Instruction& root = *instructions_[members[0]];
  const Instruction* rootOnly = &root;
  const auto holds = [&](const Instruction& i) { return inside_[numbers_.at(&i)] == turn_; };
  const KernelEmitter emitter = kernelEmitter({&rootOnly, 1}, holds);
  const KernelLaunch launch = kernelLaunch(root, emitter, holds, rates_.coreCount);
  isScattered &= emitter != KernelEmitter::Transpose;
  const double reachable =
      static_cast<double>(launch.blocks) * static_cast<double>(rates_.clockMhz) / 1000 * kBytesOfClock;
  KernelCost cost;
  cost.writeNs = storedBytes(root) / static_cast<double>(rates_.memoryBandwidthGbps);
  double memoryNs = cost.writeNs;
  if (root.opcode() != Opcode::Bitcast || members.size() > 1) {
    const bool isWritten = root.opcode() == Opcode::DynamicUpdateSlice;
    for (const uint32_t value : values_) {
      const bool isOverwritten = isWritten && root.operand(0) == instructions_[value];
      if (inside_[value] != turn_ && !isOverwritten) memoryNs += readNs(value, reachable, isScattered);
    }
  }
  const double computeNs = ops / opsPerNs(launch, rates_);
  cost.ns = computeNs + memoryNs - kAtOnce * std::min(computeNs, memoryNs);
  return cost;
}

}  // namespace hilo
