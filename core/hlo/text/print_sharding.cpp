// Shardings, meshes and replica groups, in the form of XLA's hlo_sharding.cc, named_sharding.cc,
// mesh_and_axis.cc and replica_group.cc.

#include "core/hlo/text/print.h"
#include "core/hlo/text/print_values.h"

namespace hilo {
namespace {

std::string_view typeText(Sharding::Type type) {
  switch (type) {
    case Sharding::Type::Replicated:
      return "replicated";
    case Sharding::Type::Maximal:
      return "maximal";
    case Sharding::Type::Manual:
      return "manual";
    case Sharding::Type::Unknown:
      return "unknown";
    case Sharding::Type::Unreduced:
      return "unreduced";
    case Sharding::Type::Tuple:
    case Sharding::Type::Tiled:
      break;
  }
  return "";
}

void appendIota(std::string& out, const IotaTileAssignment& iota) {
  out += '[';
  appendIntList(out, iota.reshapeDimensions, ",");
  out += ']';
  if (iota.reshapeDimensions.size() > 1 && !iota.transposePermutation.empty()) {
    out += "T(";
    appendIntList(out, iota.transposePermutation, ",");
    out += ')';
  }
}

void appendAxis(std::string& out, const Mesh& mesh, const AxisRef& axis) {
  out += '\'';
  if (axis.axis >= 0 && axis.axis < static_cast<int64_t>(mesh.axes.size())) {
    out += mesh.axes[axis.axis].name;
  } else {
    appendInt(out, axis.axis);
  }
  out += '\'';
  if (axis.subSize != 0) {
    fmt::format_to(std::back_inserter(out), ":({}){}", axis.subPreSize, axis.subSize);
  }
}

void appendAxes(std::string& out, const Mesh& mesh, std::span<const AxisRef> axes,
                std::string_view separator) {
  out += '{';
  for (size_t i = 0; i < axes.size(); ++i) {
    if (i != 0) out += separator;
    appendAxis(out, mesh, axes[i]);
  }
  out += '}';
}

std::string_view reductionText(NamedSharding::Reduction reduction) {
  switch (reduction) {
    case NamedSharding::Reduction::Max:
      return "max";
    case NamedSharding::Reduction::Min:
      return "min";
    case NamedSharding::Reduction::Sum:
      break;
  }
  return "";
}

void appendNamedDimensions(std::string& out, const NamedSharding& named) {
  out += ", [";
  for (size_t i = 0; i < named.dimensions.size(); ++i) {
    const NamedDimensionSharding& dimension = named.dimensions[i];
    if (i != 0) out += ", ";
    appendAxes(out, named.mesh, dimension.axes, ", ");
    if (dimension.isClosed) continue;
    out.pop_back();
    out += dimension.axes.empty() ? "?}" : ", ?}";
  }
  out += ']';
  if (!named.replicatedAxes.empty()) {
    out += ", replicated=";
    appendAxes(out, named.mesh, named.replicatedAxes, ", ");
  }
  if (!named.unreducedAxes.empty()) {
    out += ", unreduced=";
    out += reductionText(named.reduction);
    appendAxes(out, named.mesh, named.unreducedAxes, ", ");
  }
  if (!named.manualAxes.empty()) {
    out += ", manual=";
    appendAxes(out, named.mesh, named.manualAxes, ", ");
  }
}

// A named sharding of no dimensions has words of its own for the three ways all axes can be used.
void appendNamedBody(std::string& out, const NamedSharding& named) {
  const bool plain = named.dimensions.empty() && named.replicatedAxes.empty();
  const size_t axisCount = named.mesh.axes.size();
  if (plain && named.unreducedAxes.empty() && named.manualAxes.empty()) {
    out += ", replicated";
  } else if (plain && named.manualAxes.empty()) {
    out += ", unreduced";
    if (named.reduction != NamedSharding::Reduction::Sum) {
      out += '=';
      out += reductionText(named.reduction);
    }
    if (named.unreducedAxes.size() < axisCount) appendAxes(out, named.mesh, named.unreducedAxes, ", ");
  } else if (plain && named.unreducedAxes.empty() && named.manualAxes.size() == axisCount) {
    out += ", manual";
  } else {
    appendNamedDimensions(out, named);
  }
}

void appendNamed(std::string& out, const Sharding& sharding, bool withMetadata) {
  out += '{';
  if (sharding.type == Sharding::Type::Maximal) {
    fmt::format_to(std::back_inserter(out), "maximal_mesh[device_id={}]", sharding.maximalDevice);
  } else {
    appendMesh(out, sharding.named->mesh);
    appendNamedBody(out, *sharding.named);
  }
  if (withMetadata && !sharding.metadata.empty()) {
    out += ", metadata={";
    for (size_t i = 0; i < sharding.metadata.size(); ++i) {
      if (i != 0) out += ", ";
      out += '{';
      appendOpMetadata(out, sharding.metadata[i]);
      out += '}';
    }
    out += '}';
  }
  out += '}';
}

void appendTail(std::string& out, const Sharding& sharding, bool withMetadata) {
  if (sharding.shardGroup != Sharding::ShardGroup::None) {
    out += sharding.shardGroup == Sharding::ShardGroup::As ? " shard_as " : " shard_like ";
    appendInt(out, sharding.shardGroupId);
  }
  if (withMetadata && !sharding.metadata.empty()) {
    out += " metadata={";
    const bool single = sharding.metadata.size() == 1;
    for (size_t i = 0; i < sharding.metadata.size(); ++i) {
      if (i != 0) out += ", ";
      if (!single) out += '{';
      appendOpMetadata(out, sharding.metadata[i]);
      if (!single) out += '}';
    }
    out += '}';
  }
  out += '}';
}

void appendTiled(std::string& out, const Sharding& sharding) {
  out += "{devices=[";
  appendIntList(out, sharding.tileDimensions, ",");
  out += ']';
  if (sharding.hasIota) {
    out += "<=";
    appendIota(out, sharding.iota);
  } else {
    appendIntList(out, sharding.devices, ",");
  }
  if (sharding.replicateOnLastTileDim) out += " last_tile_dim_replicate";
  if (!sharding.subgroupTypes.empty()) {
    out += " last_tile_dims={";
    for (size_t i = 0; i < sharding.subgroupTypes.size(); ++i) {
      if (i != 0) out += ", ";
      out += typeText(sharding.subgroupTypes[i]);
    }
    out += '}';
  }
}

}  // namespace

void appendMesh(std::string& out, const Mesh& mesh) {
  out += "mesh[";
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{}'{}'={}", i == 0 ? "" : ",", mesh.axes[i].name,
                   mesh.axes[i].size);
  }
  out += ']';
  if (mesh.hasIota) {
    out += ", device_ids=(";
    appendIota(out, mesh.iota);
    out += ')';
  } else if (!mesh.deviceIds.empty()) {
    out += ", device_ids=(";
    appendIntList(out, mesh.deviceIds, ",");
    out += ')';
  }
}

void appendSharding(std::string& out, const Sharding& sharding, bool withMetadata) {
  if (sharding.type == Sharding::Type::Tuple) {
    out += '{';
    for (size_t i = 0; i < sharding.elements.size(); ++i) {
      if (i != 0) out += ", ";
      if (i != 0 && i % 5 == 0) appendIndexComment(out, i);
      appendSharding(out, sharding.elements[i], withMetadata);
    }
    out += '}';
    return;
  }
  if (sharding.named != nullptr) {
    appendNamed(out, sharding, withMetadata);
    return;
  }
  if (sharding.type == Sharding::Type::Tiled) {
    appendTiled(out, sharding);
  } else {
    out += '{';
    out += typeText(sharding.type);
    if (sharding.type == Sharding::Type::Maximal) {
      out += " device=";
      appendInt(out, sharding.maximalDevice);
    }
  }
  appendTail(out, sharding, withMetadata);
}

void appendReplicaGroups(std::string& out, const ReplicaGroups& groups) {
  switch (groups.form) {
    case ReplicaGroups::Form::List:
      appendIntLists(out, groups.groups);
      break;
    case ReplicaGroups::Form::Iota:
      fmt::format_to(std::back_inserter(out), "[{},{}]<=", groups.groupCount, groups.groupSize);
      appendIota(out, groups.iota);
      break;
    case ReplicaGroups::Form::MeshAxes:
      appendMesh(out, groups.mesh);
      out += ' ';
      appendAxes(out, groups.mesh, groups.axes, ",");
      break;
  }
}

}  // namespace hilo
