#include "core/compiler/spmd/shardy/check_sharding.h"

namespace hilo::sdy {
namespace {

constexpr int64_t kMostDevices = 1 << 20;

Status checkDevices(const Mesh& mesh, int64_t count, int64_t partitions, Owner owner) {
  if (mesh.isOneDevice()) {
    const bool isKnown = mesh.devices.size() == 1 && mesh.devices[0] >= 0 && mesh.devices[0] < partitions;
    if (isKnown) return {};
    return invalidSharding(owner, fmt::format("mesh \"{}\" is of no device of {}", mesh.name, partitions));
  }
  if (mesh.isEmpty()) return {};
  if (count != partitions)
    return invalidSharding(
        owner, fmt::format("mesh \"{}\" is one of {} devices, the module has {} partitions", mesh.name, count,
                           partitions));
  std::vector<bool> seen(static_cast<size_t>(count), false);
  for (int64_t device : mesh.devices) {
    if (device < 0 || device >= count || seen[static_cast<size_t>(device)])
      return invalidSharding(
          owner, fmt::format("device_ids of mesh \"{}\": {} is twice or none of them", mesh.name, device));
    seen[static_cast<size_t>(device)] = true;
  }
  if (mesh.devices.empty() || static_cast<int64_t>(mesh.devices.size()) == count) return {};
  return invalidSharding(owner, fmt::format("mesh \"{}\" has {} device_ids for {} devices", mesh.name,
                                            mesh.devices.size(), count));
}

Status checkAxes(const Mesh& mesh, std::span<const AxisRef> axes, Axes& seen, Owner owner) {
  for (size_t i = 0; i < axes.size(); ++i) {
    for (const AxisRef& other : seen) {
      if (overlap(axes[i], other))
        return invalidSharding(owner, fmt::format("axis {} is used twice", toString(mesh, axes[i])));
      if (!canCoexist(axes[i], other))
        return invalidSharding(owner, fmt::format("axis {} does not go with its part {}",
                                                  toString(mesh, axes[i]), toString(mesh, other)));
    }
    if (i > 0 && axes[i - 1].axis == axes[i].axis && axes[i - 1].end() == axes[i].before)
      return invalidSharding(owner, fmt::format("axes {} and {} are to be written as one",
                                                toString(mesh, axes[i - 1]), toString(mesh, axes[i])));
    seen.push_back(axes[i]);
  }
  return {};
}

}  // namespace

Status checkMesh(const Mesh& mesh, int64_t partitions, Owner owner) {
  int64_t count = 1;
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    const Axis& axis = mesh.axes[i];
    if (axis.size <= 0 || axis.size > kMostDevices || count * axis.size > kMostDevices)
      return invalidSharding(owner, fmt::format("axis \"{}\" has a size of {}", axis.name, axis.size));
    count *= axis.size;
    if (std::ranges::find(mesh.axes.begin(), mesh.axes.begin() + static_cast<int64_t>(i), axis.name,
                          &Axis::name) != mesh.axes.begin() + static_cast<int64_t>(i))
      return invalidSharding(owner, fmt::format("two axes are called \"{}\"", axis.name));
  }
  return checkDevices(mesh, count, partitions, owner);
}

Status checkPart(const Axis& axis, const AxisRef& part, Owner owner) {
  const bool isPositive =
      part.before >= 1 && part.size > 1 && part.before <= axis.size && part.size <= axis.size;
  if (isPositive && axis.size % (part.before * part.size) == 0 && part.size < axis.size) return {};
  return invalidSharding(owner, fmt::format("\"{}\":({}){} is no part of an axis of {}", axis.name,
                                            part.before, part.size, axis.size));
}

Status checkSharding(TensorSharding& sharding, const Mesh& mesh, Shape shape, Owner owner) {
  const size_t rank = shape.isArray() && !mesh.isOneDevice() ? shape.rank() : 0;
  if (sharding.dimensions.size() != rank)
    return invalidSharding(owner, fmt::format("it says {} dimensions, {} has {}", sharding.dimensions.size(),
                                              toString(shape.withoutLayout()), rank));
  Axes seen;
  for (const DimensionSharding& dimension : sharding.dimensions)
    TRY_STATUS(checkAxes(mesh, dimension.axes, seen, owner));
  TRY_STATUS(checkAxes(mesh, sharding.replicated, seen, owner));
  TRY_STATUS(checkAxes(mesh, sharding.unreduced, seen, owner));
  sortAndMerge(sharding.replicated);
  sortAndMerge(sharding.unreduced);
  return {};
}

}  // namespace hilo::sdy
