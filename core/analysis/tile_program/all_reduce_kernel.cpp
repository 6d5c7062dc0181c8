#include "core/analysis/tile_program/all_reduce_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/analysis/dimension_order.h"
#include "core/analysis/tile_program/tile_legality.h"
#include "core/hlo/ir/combiner.h"
#include "core/hlo/ir/module.h"
#include "core/hlo/ir/replica_groups.h"

namespace hilo {
namespace {

template <typename... T>
std::unexpected<Diagnostic> no(const Instruction& instruction, fmt::format_string<T...> why, T&&... values) {
  return notATileProgram(instruction, fmt::format(why, std::forward<T>(values)...));
}

bool isCombined(ElementType type, Opcode by) {
  switch (type) {
    case ElementType::F32:
    case ElementType::BF16:
    case ElementType::F64:
    case ElementType::S32:
    case ElementType::S64:
      return by == Opcode::Add || by == Opcode::Multiply || by == Opcode::Maximum || by == Opcode::Minimum;
    case ElementType::Pred:
      return by == Opcode::And || by == Opcode::Or;
    default:
      return false;
  }
}

// Of partitions and replicas together a group has all partitions of its replicas.
Result<int64_t> ranksOf(const Instruction& instruction) {
  const ReplicaGroups* written = instruction.get<Attr::ReplicaGroups>();
  const auto groups =
      written == nullptr ? std::vector<std::vector<int64_t>>() : expandReplicaGroups(*written);
  if (groups.empty()) return no(instruction, "its replica_groups have to be written");
  for (const auto& group : groups) {
    if (group.size() != groups[0].size())
      return no(instruction, "groups of {} and of {} devices need different kernels", groups[0].size(),
                group.size());
  }
  const bool isOfBoth =
      instruction.has(Attr::ChannelId) && !instruction.get<Attr::UseGlobalDeviceIds>().value_or(false);
  const auto ranks = static_cast<int64_t>(groups[0].size()) *
                     (isOfBoth ? instruction.module().partitionCount() : int64_t{1});
  if (!std::has_single_bit(static_cast<uint64_t>(ranks)) || ranks > kMostRanks)
    return no(instruction, "it is of {} devices, and a kernel is of 1, 2, 4 or {}", ranks, kMostRanks);
  return ranks;
}

}  // namespace

Result<AllReduceKernel> allReduceKernel(const Instruction& instruction) {
  if (instruction.operandCount() != 1) return no(instruction, "a kernel reduces one array");
  const Shape shape = instruction.operand(0)->shape();
  if (shape.elementType() != instruction.shape().elementType())
    return no(instruction, "its result is of another type");
  const auto by = operationOnBoth(*instruction.get<Attr::ToApply>());
  if (!by || !isCombined(shape.elementType(), *by))
    return no(instruction, "no kernel combines {} by {}", elementTypeName(shape.elementType()),
              instruction.get<Attr::ToApply>()->name());
  TRY(const int64_t ranks, ranksOf(instruction));
  const int64_t bytes = shape.elementCount() * elementStorageBytes(shape.elementType());
  if (bytes > kMostTwoShotBytes)
    return no(instruction, "it is of {} bytes, and a kernel of {} at most", bytes, kMostTwoShotBytes);
  return AllReduceKernel{.instruction = &instruction, .ranks = ranks, .isTwoShot = bytes > kMostOneShotBytes};
}

std::optional<std::vector<int64_t>> partsOfTile(const std::vector<int64_t>& sizes, Shape array,
                                                int64_t ranks) {
  std::vector<int64_t> parts(sizes.size(), 1);
  for (const int64_t d : majorToMinor(array)) {
    const auto number = static_cast<size_t>(d);
    parts[number] = std::gcd(sizes[number], ranks);
    ranks /= parts[number];
  }
  return ranks == 1 ? std::optional(parts) : std::nullopt;
}

}  // namespace hilo
