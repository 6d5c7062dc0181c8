// Rules on shardings.
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/op_view.h"
#include "core/hlo/verify/rules.h"

namespace hilo {

namespace {

std::optional<int64_t> product(std::span<const int64_t> sizes) {
  std::optional<int64_t> result = 1;
  for (int64_t size : sizes) result = result && size >= 0 ? multiplySizes(*result, size) : std::nullopt;
  return result;
}

struct DeviceCount {
  bool known = false;
  int64_t count = 0;
};

std::string listedDevicesProblem(const Sharding& sharding, int64_t tiles, DeviceCount devices) {
  if (static_cast<int64_t>(sharding.devices.size()) != tiles) {
    return fmt::format("{} tiles are listed with {} devices", tiles, sharding.devices.size());
  }
  absl::flat_hash_set<int64_t> seen;
  for (int64_t device : sharding.devices) {
    if (device < 0 || (devices.known && device >= devices.count)) {
      return fmt::format("device {} is not one of {}", device, devices.known ? devices.count : tiles);
    }
    if (!seen.insert(device).second) return fmt::format("device {} is listed twice", device);
  }
  return {};
}

std::string tiledProblem(const Sharding& sharding, Shape shape, DeviceCount devices) {
  const size_t subgroups = sharding.subgroupTypes.size() + (sharding.replicateOnLastTileDim ? 1 : 0);
  if (sharding.tileDimensions.size() != shape.rank() + subgroups) {
    return fmt::format("it tiles {} dimensions, the rank is {}",
                       static_cast<int64_t>(sharding.tileDimensions.size()) - static_cast<int64_t>(subgroups),
                       shape.rank());
  }
  const auto tiles = product(sharding.tileDimensions);
  if (!tiles || *tiles <= 0) return "its tile sizes do not multiply to a device count";
  if (*tiles == 1) return "it tiles over one device; expected replicated or maximal";
  if (devices.known && *tiles != devices.count) {
    return fmt::format("it tiles over {} devices, the module has {} partitions", *tiles, devices.count);
  }
  if (!sharding.hasIota) return listedDevicesProblem(sharding, *tiles, devices);
  if (product(sharding.iota.reshapeDimensions) == tiles) return {};
  return fmt::format("{} tiles are listed with {} devices", *tiles,
                     product(sharding.iota.reshapeDimensions).value_or(0));
}

std::string namedProblem(const NamedSharding& named, Shape shape, DeviceCount devices) {
  const bool isUsed = std::ranges::any_of(named.dimensions, [](const auto& d) { return !d.axes.empty(); });
  if (isUsed && named.dimensions.size() != shape.rank()) {
    return fmt::format("it names {} dimensions, the rank is {}", named.dimensions.size(), shape.rank());
  }
  std::optional<int64_t> count = 1;
  for (const MeshAxis& axis : named.mesh.axes)
    count = count ? multiplySizes(*count, axis.size) : std::nullopt;
  if (isUsed && devices.known && count != devices.count) {
    return fmt::format("its mesh has {} devices, the module has {} partitions", count.value_or(0),
                       devices.count);
  }
  return {};
}

// What is wrong with the sharding of something that is no tuple; empty when nothing is.
std::string leafProblem(const Sharding& sharding, Shape shape, DeviceCount devices) {
  if (!shape.isArray()) return {};
  if (sharding.named != nullptr) return namedProblem(*sharding.named, shape, devices);
  switch (sharding.type) {
    case Sharding::Type::Tiled:
      return tiledProblem(sharding, shape, devices);
    case Sharding::Type::Maximal:
      if (sharding.maximalDevice >= 0 && (!devices.known || sharding.maximalDevice < devices.count))
        return {};
      return fmt::format("device {} is not one of {}", sharding.maximalDevice, devices.count);
    case Sharding::Type::Tuple:
      return "it is a tuple of shardings, the shape is not a tuple";
    default:
      return {};
  }
}

void addLeaves(Shape shape, std::vector<Shape>& leaves) {
  if (!shape.isTuple()) leaves.push_back(shape);
  for (Shape element : shape.tupleShapes()) addLeaves(element, leaves);
}

std::string shardingProblem(const Sharding& sharding, Shape shape, DeviceCount devices) {
  if (!shape.isTuple()) return leafProblem(sharding, shape, devices);
  std::vector<Shape> leaves;
  addLeaves(shape, leaves);
  const bool isTuple = sharding.type == Sharding::Type::Tuple;
  if (isTuple && leaves.empty() && sharding.elements.size() <= 1) return {};
  if (isTuple && sharding.elements.size() != leaves.size()) {
    return fmt::format("it has {} elements, the shape {} leaves", sharding.elements.size(), leaves.size());
  }
  // One sharding for a tuple is one for each of its leaves.
  for (size_t i = 0; i < leaves.size(); ++i) {
    std::string problem = leafProblem(isTuple ? sharding.elements[i] : sharding, leaves[i], devices);
    if (!problem.empty())
      return fmt::format("for leaf {}, {}, {}", i, toString(leaves[i].withoutLayout()), problem);
  }
  return {};
}

}  // namespace

void verifySharding(const Instruction& instruction, VerifyContext& context) {
  const Sharding* sharding = instruction.get<Attr::Sharding>();
  if (sharding == nullptr) return;
  const DeviceCount devices{context.partitionCount > 1, context.partitionCount};
  const std::string problem = shardingProblem(*sharding, instruction.shape(), devices);
  if (problem.empty()) return;
  context.report.error(VerifyKind::ShardingInvalid, instruction,
                       fmt::format("the sharding of {} does not fit its shape {}: {}", instruction.name(),
                                   toString(instruction.shape().withoutLayout()), problem));
}

namespace {

bool sameAxes(std::span<const AxisRef> a, std::span<const AxisRef> b) {
  return std::ranges::equal(a, b, [](const AxisRef& x, const AxisRef& y) {
    return x.axis == y.axis && x.subPreSize == y.subPreSize && x.subSize == y.subSize;
  });
}

bool sameMesh(const Mesh& a, const Mesh& b) {
  const auto sameAxis = [](const MeshAxis& x, const MeshAxis& y) {
    return x.name == y.name && x.size == y.size;
  };
  return std::ranges::equal(a.axes, b.axes, sameAxis) && std::ranges::equal(a.deviceIds, b.deviceIds) &&
         a.hasIota == b.hasIota && std::ranges::equal(a.iota.reshapeDimensions, b.iota.reshapeDimensions) &&
         std::ranges::equal(a.iota.transposePermutation, b.iota.transposePermutation);
}

bool sameNamed(const NamedSharding& a, const NamedSharding& b) {
  const auto sameDimension = [](const NamedDimensionSharding& x, const NamedDimensionSharding& y) {
    return x.isClosed == y.isClosed && sameAxes(x.axes, y.axes);
  };
  return sameMesh(a.mesh, b.mesh) && std::ranges::equal(a.dimensions, b.dimensions, sameDimension) &&
         sameAxes(a.replicatedAxes, b.replicatedAxes) && sameAxes(a.unreducedAxes, b.unreducedAxes) &&
         sameAxes(a.manualAxes, b.manualAxes) && a.reduction == b.reduction;
}

// The same devices for the same parts, however it is written; who wrote it does not count.
bool sameSharding(const Sharding& a, const Sharding& b) {
  if ((a.named != nullptr) != (b.named != nullptr)) return false;
  if (a.named != nullptr) return sameNamed(*a.named, *b.named);
  if (a.type != b.type || a.maximalDevice != b.maximalDevice) return false;
  if (a.type == Sharding::Type::Tuple) return std::ranges::equal(a.elements, b.elements, sameSharding);
  if (a.type != Sharding::Type::Tiled) return true;
  return std::ranges::equal(a.tileDimensions, b.tileDimensions) &&
         std::ranges::equal(a.subgroupTypes, b.subgroupTypes) &&
         a.replicateOnLastTileDim == b.replicateOnLastTileDim && tileDevices(a) == tileDevices(b);
}

// A sharding that stands for all leaves of a tuple is the tuple of it.
bool sameShardingOf(Shape shape, const Sharding& a, const Sharding& b) {
  const bool aIsTuple = a.type == Sharding::Type::Tuple, bIsTuple = b.type == Sharding::Type::Tuple;
  if (!shape.isTuple() || aIsTuple == bIsTuple) return sameSharding(a, b);
  const Sharding& one = aIsTuple ? b : a;
  return std::ranges::all_of((aIsTuple ? a : b).elements,
                             [&](const Sharding& element) { return sameSharding(one, element); });
}

}  // namespace

void verifyConsistentSharding(const Instruction& instruction, VerifyContext& context) {
  absl::InlinedVector<const Instruction*, 4> parts = {&instruction};
  for (const Computation* called : instruction.calledComputations()) {
    const bool isCondition = called == instruction.get<Attr::Condition>();
    if (!isCondition && called->root() != nullptr) parts.push_back(called->root());
    const auto parameters = called->parameters();
    if (instruction.opcode() == Opcode::While && !parameters.empty() && parameters[0] != nullptr)
      parts.push_back(parameters[0]);
  }
  const Instruction* first = nullptr;
  for (const Instruction* part : parts) {
    const Sharding* sharding = part->get<Attr::Sharding>();
    if (sharding == nullptr) continue;
    if (first == nullptr) {
      first = part;
    } else if (!sameShardingOf(part->shape(), *first->get<Attr::Sharding>(), *sharding)) {
      context.report.error(VerifyKind::ShardingInconsistent, instruction,
                           fmt::format("{} and {} are of {} {} and have different shardings", first->name(),
                                       part->name(), instruction.opcodeText(), instruction.name()));
      return;
    }
  }
}

}  // namespace hilo
