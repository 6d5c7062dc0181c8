#include "core/compiler/passes/fusion/fusion_cost.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

namespace hilo {
namespace {

// Operations of one element, about what they take on the vector units.
double opsOf(const Instruction& i) {
  if (!isElementwise(i.opcode()) && i.opcode() != Opcode::Reduce) return 0;
  const ElementType type = i.shape().isTuple() ? ElementType::F32 : i.shape().elementType();
  const double width = isComplex(type) ? 4 : 1;
  const double slow = type == ElementType::F64 || type == ElementType::C128 ? 2 : 1;
  switch (i.opcode()) {
    case Opcode::Exponential:
    case Opcode::ExponentialMinusOne:
    case Opcode::Log:
    case Opcode::LogPlusOne:
    case Opcode::Sine:
    case Opcode::Cosine:
    case Opcode::Tan:
    case Opcode::Tanh:
    case Opcode::Logistic:
    case Opcode::Power:
    case Opcode::Erf:
    case Opcode::Atan2:
      return 30 * width * slow;
    case Opcode::Divide:
    case Opcode::Remainder:
    case Opcode::Sqrt:
    case Opcode::Rsqrt:
    case Opcode::Cbrt:
      return 12 * width * slow;
    default:
      return width * slow;
  }
}

double elements(const Instruction& i) {
  if (i.shape().isArray()) return static_cast<double>(i.shape().elementCount());
  double most = 0;
  for (const Shape part : i.shape().tupleShapes()) {
    if (part.isArray()) most = std::max(most, static_cast<double>(part.elementCount()));
  }
  return most;
}

double bytes(const Instruction& i) { return static_cast<double>(i.shape().byteSize()); }

// A transpose that changes the minor dimension, or one read across: neighbours do not lie side by side.
bool readsAcross(const Instruction& user) {
  if (user.opcode() != Opcode::Transpose || user.shape().rank() == 0) return false;
  const auto dims = user.dimensions();
  const Layout* from = user.operand(0)->shape().layout();
  const Layout* to = user.shape().layout();
  const int64_t minorFrom = from != nullptr && !from->minorToMajor.empty()
                                ? from->minorToMajor[0]
                                : static_cast<int64_t>(dims.size()) - 1;
  const int64_t minorTo = to != nullptr && !to->minorToMajor.empty() ? to->minorToMajor[0]
                                                                     : static_cast<int64_t>(dims.size()) - 1;
  return dims[static_cast<size_t>(minorTo)] != minorFrom;
}

}  // namespace

double operandReuse(const Instruction& user, size_t index) {
  const Instruction& operand = *user.operand(index);
  const double own = std::max(1.0, elements(user)), below = std::max(1.0, elements(operand));
  switch (user.opcode()) {
    case Opcode::Broadcast:
      return own / below;
    case Opcode::Gather:
    case Opcode::DynamicSlice:
      return index == 0 ? std::min(1.0, own / below) : own / below;
    case Opcode::Slice:
      return own / below;
    case Opcode::DynamicUpdateSlice:
      return index < 2 ? 1 : elements(*user.operand(1));
    case Opcode::Pad:
      return 1;
    case Opcode::Reduce:
      return index < user.operandCount() / 2 ? 1 : own;
    case Opcode::ReduceWindow:
      return index < user.operandCount() / 2 ? std::max(1.0, own / below) * 4 : own;
    default:
      return 1;
  }
}

double kernelNs(std::span<Instruction* const> members, const GpuRates& rates) {
  // How many times each element of each value is made or read.
  absl::flat_hash_map<const Instruction*, double> times;
  absl::flat_hash_map<const Instruction*, bool> across;
  absl::flat_hash_map<const Instruction*, bool> isMember;
  for (const Instruction* member : members) isMember[member] = true;
  times[members[0]] = 1;
  double ops = 0;
  for (const Instruction* member : members) {
    const double here = times[member];
    ops += here * opsOf(*member) *
           (member->opcode() == Opcode::Reduce ? elements(*member->operand(0)) : elements(*member));
    for (size_t k = 0; k < member->operandCount(); ++k) {
      const Instruction* operand = member->operand(k);
      double& of = times[operand];
      const double wanted = here * operandReuse(*member, k);
      // Users that go over the same elements share them.
      of = isElementwise(member->opcode()) ? std::max(of, wanted) : of + wanted;
      across[operand] = across[operand] || across[member] || readsAcross(*member);
    }
  }
  const double bandwidth = static_cast<double>(rates.memoryBandwidthGbps);  // bytes a nanosecond
  double memory = bytes(*members[0]) / bandwidth;
  if (across[members[0]]) memory *= 2;
  for (const auto& [value, count] : times) {
    if (isMember.contains(value)) continue;
    const double whole = bytes(*value);
    const double once = std::min(1.0, count) * whole;
    const double again = std::max(0.0, count - 1) * whole;
    const double penalty = across[value] ? 2 : 1;
    memory += penalty * (once / bandwidth + again / (2.5 * bandwidth * (whole < 256 * 1024 ? 8 : 1)));
  }
  // Few elements leave processors idle.
  const double lanes = static_cast<double>(rates.coreCount) * 128;
  const double busy = std::clamp(elements(*members[0]) / lanes, 1.0 / lanes, 1.0);
  const double compute = ops / (static_cast<double>(rates.f32Gflops) * busy);
  return compute + memory - 0.95 * std::min(compute, memory);
}

}  // namespace hilo
