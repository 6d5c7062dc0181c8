#include "core/workspace/partition/advice.h"

#include <algorithm>
#include <optional>

#include "core/analysis/instruction_card.h"
#include "core/hlo/text/parse.h"
#include "core/workspace/partition/move_causes.h"

namespace hilo {
namespace {

using Dimensions = std::vector<AxisNames>;

struct Array {
  const Instruction* instruction = nullptr;
  Dimensions axes;  // by dimension
  int64_t size(size_t d) const { return instruction->shape().dimension(d); }
};

// nullopt: no array of that name, or one that is not cut along axes of the mesh.
std::optional<Array> arrayOf(const Partitioning& partitioning, InstructionId id) {
  const Instruction* i = id.valid() ? partitioning.spread->instruction(id) : nullptr;
  if (i == nullptr || !i->shape().isArray()) return std::nullopt;
  Array array{.instruction = i, .axes = Dimensions(i->shape().rank())};
  const Sharding* sharding = i->get<Attr::Sharding>();
  if (sharding == nullptr || sharding->type == Sharding::Type::Replicated) return array;
  array.axes = axesOfDimensions(partitioning.mesh, *sharding, i->shape().rank());
  if (array.axes.size() != i->shape().rank()) return std::nullopt;
  return array;
}

int64_t axisSize(const DeviceMesh& mesh, const std::string& name) {
  const auto found = std::ranges::find(mesh.axes, name, &DeviceMesh::Axis::name);
  return found == mesh.axes.end() ? 0 : found->size;
}

bool uses(const Dimensions& dimensions, const std::string& axis) {
  return std::ranges::any_of(
      dimensions, [&](const AxisNames& axes) { return std::ranges::find(axes, axis) != axes.end(); });
}

// "P(None, 'fsdp')"; a dimension along two axes is a tuple of both.
std::string specText(const Dimensions& dimensions) {
  std::vector<std::string> parts;
  for (const AxisNames& axes : dimensions) {
    if (axes.empty()) {
      parts.push_back("None");
    } else if (axes.size() == 1) {
      parts.push_back(fmt::format("'{}'", axes[0]));
    } else {
      parts.push_back(fmt::format("('{}')", fmt::join(axes, "', '")));
    }
  }
  return fmt::format("P({})", fmt::join(parts, ", "));
}

std::string codeOf(const DeviceMesh& mesh, const Instruction& instruction, const Dimensions& dimensions) {
  if (mesh.name.empty()) return "";
  const std::string source = sourcePlace(instruction);
  return fmt::format("{}{}x = jax.lax.with_sharding_constraint(x, {})", source, source.empty() ? "" : ": ",
                     specText(dimensions));
}

void add(std::vector<ShardingAdvice>& advice, const DeviceMesh& mesh, const Array& array,
         const Dimensions& dimensions, std::string_view why) {
  const std::string sharding = shardingAlong(mesh, dimensions);
  if (sharding.empty() || dimensions == array.axes) return;
  const std::string axes = axesText(dimensions);
  const std::string name(array.instruction->name());
  ShardingAdvice made{
      .text = fmt::format("%{} {}: {}", name, axes.empty() ? "whole on every device" : "cut in " + axes, why),
      .constraint = {name, sharding},
      .code = codeOf(mesh, *array.instruction, dimensions)};
  const auto isSame = [&](const ShardingAdvice& other) { return other.constraint == made.constraint; };
  if (std::ranges::none_of(advice, isSame)) advice.push_back(std::move(made));
}

// The largest dimension that the axis divides and that is whole so far gets the axis too.
std::optional<Dimensions> alsoAlong(const DeviceMesh& mesh, const Array& array, const std::string& axis) {
  const int64_t size = axisSize(mesh, axis);
  std::optional<size_t> best;
  for (size_t d = 0; d < array.axes.size(); ++d) {
    if (size <= 1 || !array.axes[d].empty() || array.size(d) % size != 0 || array.size(d) == 0) continue;
    if (!best || array.size(d) > array.size(*best)) best = d;
  }
  if (!best) return std::nullopt;
  Dimensions dimensions = array.axes;
  dimensions[*best].push_back(axis);
  return dimensions;
}

Dimensions without(Dimensions dimensions, const AxisNames& lost) {
  for (AxisNames& axes : dimensions) {
    std::erase_if(axes, [&](const std::string& axis) { return std::ranges::find(lost, axis) != lost.end(); });
  }
  return dimensions;
}

Dimensions parsed(const DeviceMesh& mesh, const std::string& text, size_t rank) {
  Arena arena;
  const auto sharding = parseSharding(text, arena);
  if (!sharding) return Dimensions(rank);
  Dimensions dimensions = axesOfDimensions(mesh, *sharding, rank);
  dimensions.resize(rank);
  return dimensions;
}

// Along each axis that does not cut the array yet.
std::vector<ShardingAdvice> cutFurther(const Partitioning& partitioning, InstructionId id,
                                       std::string_view why) {
  std::vector<ShardingAdvice> advice;
  const auto array = arrayOf(partitioning, id);
  if (!array) return advice;
  for (const DeviceMesh::Axis& axis : partitioning.mesh.axes) {
    if (uses(array->axes, axis.name)) continue;
    if (const auto cut = alsoAlong(partitioning.mesh, *array, axis.name))
      add(advice, partitioning.mesh, *array, *cut, why);
  }
  return advice;
}

}  // namespace

std::string shardingAlong(const DeviceMesh& mesh, const std::vector<AxisNames>& dimensions) {
  std::vector<int64_t> order, tiles;  // axes by their number, those that cut first
  for (const AxisNames& axes : dimensions) {
    tiles.push_back(1);
    for (const std::string& name : axes) {
      const auto found = std::ranges::find(mesh.axes, name, &DeviceMesh::Axis::name);
      if (found == mesh.axes.end()) return "";
      order.push_back(found - mesh.axes.begin());
      tiles.back() *= found->size;
    }
  }
  const bool isIota = std::ranges::is_sorted(mesh.devices) && order.size() <= mesh.axes.size();
  if (!isIota || mesh.devices.empty()) return "";
  if (order.empty()) return "{replicated}";
  int64_t copies = 1;
  std::vector<int64_t> sizes;
  for (int64_t a = 0; a < static_cast<int64_t>(mesh.axes.size()); ++a) {
    sizes.push_back(mesh.axes[static_cast<size_t>(a)].size);
    if (std::ranges::find(order, a) != order.end()) continue;
    order.push_back(a);
    copies *= sizes.back();
  }
  if (order.size() != mesh.axes.size()) return "";  // an axis cuts twice
  if (copies > 1) tiles.push_back(copies);
  const bool isInOrder = std::ranges::is_sorted(order);
  const auto count = static_cast<int64_t>(mesh.devices.size());
  return fmt::format("{{devices=[{}]<=[{}]{}{}}}", fmt::join(tiles, ","),
                     isInOrder ? fmt::format("{}", count) : fmt::format("{}", fmt::join(sizes, ",")),
                     isInOrder ? "" : fmt::format("T({})", fmt::join(order, ",")),
                     copies > 1 ? " last_tile_dim_replicate" : "");
}

std::vector<ShardingAdvice> adviceFor(const Partitioning& partitioning,
                                      const PartitionCollective& collective) {
  std::vector<ShardingAdvice> advice;
  if (!collective.cause || partitioning.spread == nullptr) return advice;
  const MoveCause& cause = *collective.cause;
  const DeviceMesh& mesh = partitioning.mesh;
  const auto producer = arrayOf(partitioning, cause.producer.instruction);
  const auto consumer = arrayOf(partitioning, cause.consumer.instruction);
  if (cause.from.empty()) {
    for (const std::string& axis : collective.axes) {
      if (!consumer || uses(consumer->axes, axis)) continue;
      if (const auto cut = alsoAlong(mesh, *consumer, axis))
        add(advice, mesh, *consumer, *cut, "each device keeps a part of the sum");
    }
    return advice;
  }
  if (consumer && cause.consumer.name != cause.producer.name) {
    add(advice, mesh, *consumer, without(consumer->axes, cause.lostAxes), "the axis is left to the operand");
    if (producer &&
        producer->instruction->shape().withoutLayout() == consumer->instruction->shape().withoutLayout())
      add(advice, mesh, *consumer, producer->axes, "it goes on as its operand is");
  }
  if (producer) {
    const auto to = parsed(mesh, cause.to, producer->axes.size());
    add(advice, mesh, *producer, to, "as it is needed");
  }
  return advice;
}

std::vector<ShardingAdvice> adviceFor(const Partitioning& partitioning, const Replication& replication) {
  if (partitioning.spread == nullptr) return {};
  const Instruction* original = partitioning.spread->findInstruction(replication.name);
  if (original == nullptr) return {};
  return cutFurther(partitioning, original->id(), "the devices share the work");
}

std::vector<ShardingAdvice> adviceFor(const Partitioning& partitioning, const ShardedArray& array) {
  if (partitioning.spread == nullptr || array.copies <= 1) return {};
  return cutFurther(partitioning, array.instruction, "each device holds a part");
}

}  // namespace hilo
