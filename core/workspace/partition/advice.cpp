#include "core/workspace/partition/advice.h"

#include <numeric>

#include "core/compiler/spmd/tiling.h"
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

void add(std::vector<ShardingAdvice>& advice, const DeviceMesh& mesh, const Array& array,
         const Dimensions& dimensions, std::string_view why) {
  const std::string sharding = shardingAlong(mesh, dimensions);
  if (sharding.empty() || dimensions == array.axes) return;
  const std::string axes = axesText(dimensions);
  const std::string name(array.instruction->name());
  ShardingAdvice made{
      .text = fmt::format("%{} {}: {}", name, axes.empty() ? "whole on every device" : "cut in " + axes, why),
      .constraint = {name, sharding}};
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

}  // namespace

std::string shardingAlong(const DeviceMesh& mesh, const std::vector<AxisNames>& dimensions) {
  std::vector<size_t> order;
  Tiling tiling;
  for (const AxisNames& axes : dimensions) {
    tiling.tiles.push_back(1);
    for (const std::string& name : axes) {
      const auto found = std::ranges::find(mesh.axes, name, &DeviceMesh::Axis::name);
      if (found == mesh.axes.end()) return "";
      order.push_back(static_cast<size_t>(found - mesh.axes.begin()));
      tiling.tiles.back() *= found->size;
    }
  }
  for (size_t a = 0; a < mesh.axes.size(); ++a) {
    if (std::ranges::find(order, a) != order.end()) continue;
    order.push_back(a);
    tiling.copies *= mesh.axes[a].size;
  }
  if (order.size() != mesh.axes.size()) return "";
  std::vector<int64_t> strides(mesh.axes.size(), 1);
  for (size_t a = strides.size(); a-- > 1;) strides[a - 1] = strides[a] * mesh.axes[a].size;
  for (size_t n = 0; n < mesh.devices.size(); ++n) {
    auto rest = static_cast<int64_t>(n);
    int64_t place = 0;
    for (size_t k = order.size(); k-- > 0;) {
      const int64_t size = mesh.axes[order[k]].size;
      place += rest % size * strides[order[k]];
      rest /= size;
    }
    tiling.devices.push_back(mesh.devices[static_cast<size_t>(place)]);
  }
  return toString(tiling);
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
  std::vector<ShardingAdvice> advice;
  if (partitioning.spread == nullptr) return advice;
  const Instruction* original = partitioning.spread->findInstruction(replication.name);
  const auto array = original == nullptr ? std::nullopt : arrayOf(partitioning, original->id());
  if (!array) return advice;
  for (const DeviceMesh::Axis& axis : partitioning.mesh.axes) {
    if (uses(array->axes, axis.name)) continue;
    if (const auto cut = alsoAlong(partitioning.mesh, *array, axis.name))
      add(advice, partitioning.mesh, *array, *cut, "the devices share the work");
  }
  return advice;
}

}  // namespace hilo
