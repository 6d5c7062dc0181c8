#include "core/hlo/proto/sharding_proto.h"

#include "core/hlo/proto/payload_proto.h"

namespace hilo {
namespace {

template <typename T>
std::span<const int64_t> copyNumbers(Arena& arena, const google::protobuf::RepeatedField<T>& numbers) {
  auto room = arena.allocateArray<int64_t>(numbers.size());
  std::ranges::copy(numbers, room.begin());
  return room;
}

template <typename T>
void addNumbers(std::span<const int64_t> numbers, google::protobuf::RepeatedField<T>& field) {
  for (int64_t number : numbers) field.Add(static_cast<T>(number));
}

Mesh readMesh(const pb::MeshProto& proto, Arena& arena) {
  Mesh mesh;
  auto axes = arena.allocateArray<MeshAxis>(proto.axes_size());
  for (int i = 0; i < proto.axes_size(); ++i) {
    new (&axes[i]) MeshAxis{arena.copy(std::string_view(proto.axes(i).name())), proto.axes(i).size()};
  }
  mesh.axes = axes;
  mesh.deviceIds = copyNumbers(arena, proto.device_ids());
  mesh.hasIota = proto.has_iota_transform();
  if (mesh.hasIota) {
    mesh.iota = {copyNumbers(arena, proto.iota_transform().reshape_dims()),
                 copyNumbers(arena, proto.iota_transform().transpose_perm())};
  }
  return mesh;
}

void writeMesh(const Mesh& mesh, pb::MeshProto& proto) {
  for (const MeshAxis& axis : mesh.axes) {
    auto& out = *proto.add_axes();
    out.set_name(std::string(axis.name));
    out.set_size(axis.size);
  }
  addNumbers(mesh.deviceIds, *proto.mutable_device_ids());
  if (!mesh.hasIota) return;
  addNumbers(mesh.iota.reshapeDimensions, *proto.mutable_iota_transform()->mutable_reshape_dims());
  addNumbers(mesh.iota.transposePermutation, *proto.mutable_iota_transform()->mutable_transpose_perm());
}

using AxisRefProtos = google::protobuf::RepeatedPtrField<pb::AxisRefProto>;

std::span<const AxisRef> readAxes(const AxisRefProtos& protos, Arena& arena) {
  auto axes = arena.allocateArray<AxisRef>(protos.size());
  for (int i = 0; i < protos.size(); ++i) {
    AxisRef axis{.axis = protos[i].mesh_axis_index()};
    if (protos[i].has_sub_axis_info()) {
      axis.subPreSize = protos[i].sub_axis_info().pre_size();
      axis.subSize = protos[i].sub_axis_info().size();
    }
    new (&axes[i]) AxisRef(axis);
  }
  return axes;
}

void writeAxes(std::span<const AxisRef> axes, AxisRefProtos& protos) {
  for (const AxisRef& axis : axes) {
    auto& out = *protos.Add();
    out.set_mesh_axis_index(axis.axis);
    if (axis.subSize == 0) continue;
    out.mutable_sub_axis_info()->set_pre_size(axis.subPreSize);
    out.mutable_sub_axis_info()->set_size(axis.subSize);
  }
}

NamedSharding readNamed(const pb::NamedShardingProto& proto, Arena& arena) {
  NamedSharding named;
  named.mesh = readMesh(proto.mesh(), arena);
  auto dimensions = arena.allocateArray<NamedDimensionSharding>(proto.dim_shardings_size());
  for (int i = 0; i < proto.dim_shardings_size(); ++i) {
    const auto& dimension = proto.dim_shardings(i);
    new (&dimensions[i]) NamedDimensionSharding{readAxes(dimension.axes(), arena), dimension.is_closed()};
  }
  named.dimensions = dimensions;
  named.replicatedAxes = readAxes(proto.replicated_axes(), arena);
  named.unreducedAxes = readAxes(proto.unreduced_axes(), arena);
  named.manualAxes = readAxes(proto.manual_axes(), arena);
  if (pb::NamedShardingProto::ReductionOpProto_IsValid(proto.reduction_op())) {
    named.reduction = static_cast<NamedSharding::Reduction>(proto.reduction_op());
  }
  return named;
}

void writeNamed(const NamedSharding& named, pb::NamedShardingProto& proto) {
  writeMesh(named.mesh, *proto.mutable_mesh());
  for (const NamedDimensionSharding& dimension : named.dimensions) {
    auto& out = *proto.add_dim_shardings();
    writeAxes(dimension.axes, *out.mutable_axes());
    out.set_is_closed(dimension.isClosed);
  }
  writeAxes(named.replicatedAxes, *proto.mutable_replicated_axes());
  writeAxes(named.unreducedAxes, *proto.mutable_unreduced_axes());
  writeAxes(named.manualAxes, *proto.mutable_manual_axes());
  proto.set_reduction_op(static_cast<pb::NamedShardingProto::ReductionOpProto>(named.reduction));
}

std::span<const OpMetadata> readMetadataList(const google::protobuf::RepeatedPtrField<pb::OpMetadata>& protos,
                                             Arena& arena) {
  auto list = arena.allocateArray<OpMetadata>(protos.size());
  for (int i = 0; i < protos.size(); ++i) new (&list[i]) OpMetadata(readMetadata(protos[i], arena));
  return list;
}

void readShardGroup(const pb::OpSharding& proto, Sharding& sharding) {
  if (!proto.is_shard_group()) return;
  sharding.shardGroup =
      proto.shard_group_type() == pb::OpSharding::AS ? Sharding::ShardGroup::As : Sharding::ShardGroup::Like;
  sharding.shardGroupId = proto.shard_group_id();
}

void readTiles(const pb::OpSharding& proto, Arena& arena, Sharding& sharding) {
  sharding.tileDimensions = copyNumbers(arena, proto.tile_assignment_dimensions());
  sharding.hasIota = !proto.iota_reshape_dims().empty();
  sharding.iota = {copyNumbers(arena, proto.iota_reshape_dims()),
                   copyNumbers(arena, proto.iota_transpose_perm())};
  sharding.devices = copyNumbers(arena, proto.tile_assignment_devices());
  sharding.replicateOnLastTileDim = proto.replicate_on_last_tile_dim();
  auto types = arena.allocateArray<Sharding::Type>(proto.last_tile_dims_size());
  for (int i = 0; i < proto.last_tile_dims_size(); ++i)
    types[i] = static_cast<Sharding::Type>(proto.last_tile_dims(i));
  sharding.subgroupTypes = types;
}

void writeTiles(const Sharding& sharding, pb::OpSharding& proto) {
  addNumbers(sharding.tileDimensions, *proto.mutable_tile_assignment_dimensions());
  if (sharding.hasIota) {
    addNumbers(sharding.iota.reshapeDimensions, *proto.mutable_iota_reshape_dims());
    addNumbers(sharding.iota.transposePermutation, *proto.mutable_iota_transpose_perm());
    // The proto has the permutation written out, identity or not.
    for (size_t i = sharding.iota.transposePermutation.size(); i < sharding.iota.reshapeDimensions.size();
         ++i) {
      proto.add_iota_transpose_perm(static_cast<int32_t>(i));
    }
  }
  addNumbers(sharding.devices, *proto.mutable_tile_assignment_devices());
  proto.set_replicate_on_last_tile_dim(sharding.replicateOnLastTileDim);
  for (Sharding::Type type : sharding.subgroupTypes)
    proto.add_last_tile_dims(static_cast<pb::OpSharding::Type>(type));
}

IotaTileAssignment readIota(const pb::IotaReplicaGroupListProto& proto, Arena& arena) {
  return {copyNumbers(arena, proto.iota_reshape_dims()), copyNumbers(arena, proto.iota_transpose_perm())};
}

ReplicaGroups readIotaGroups(const pb::IotaReplicaGroupListProto& proto, Arena& arena) {
  ReplicaGroups groups;
  groups.form = ReplicaGroups::Form::Iota;
  groups.groupCount = proto.num_replica_groups();
  groups.groupSize = proto.num_devices_per_group();
  groups.iota = readIota(proto, arena);
  return groups;
}

ReplicaGroups readGroupList(const google::protobuf::RepeatedPtrField<pb::ReplicaGroup>& protos,
                            Arena& arena) {
  ReplicaGroups groups;
  auto lists = arena.allocateArray<std::span<const int64_t>>(protos.size());
  for (int i = 0; i < protos.size(); ++i) {
    new (&lists[i]) std::span<const int64_t>(copyNumbers(arena, protos[i].replica_ids()));
  }
  groups.groups = lists;
  return groups;
}

}  // namespace

Result<Sharding> readSharding(const pb::OpSharding& proto, Arena& arena) {
  Sharding sharding;
  if (!pb::OpSharding::Type_IsValid(proto.type())) {
    return fail("bad-sharding", fmt::format("sharding type {} is not known", int(proto.type())));
  }
  if (!std::ranges::all_of(proto.last_tile_dims(),
                           [](int type) { return pb::OpSharding::Type_IsValid(type); })) {
    return fail("bad-sharding", "a subgroup's sharding type is not known");
  }
  sharding.type = static_cast<Sharding::Type>(proto.type());
  sharding.metadata = readMetadataList(proto.metadata(), arena);
  readShardGroup(proto, sharding);
  if (proto.has_named_sharding()) {
    sharding.type = Sharding::Type::Tiled;
    sharding.named = arena.create<NamedSharding>(readNamed(proto.named_sharding(), arena));
    return sharding;
  }
  if (sharding.type == Sharding::Type::Tuple) {
    auto elements = arena.allocateArray<Sharding>(proto.tuple_shardings_size());
    for (int i = 0; i < proto.tuple_shardings_size(); ++i) {
      TRY(const Sharding element, readSharding(proto.tuple_shardings(i), arena));
      new (&elements[i]) Sharding(element);
    }
    sharding.elements = elements;
  } else if (sharding.type == Sharding::Type::Maximal) {
    if (proto.tile_assignment_devices_size() != 1) {
      return fail("bad-sharding",
                  fmt::format("a maximal sharding with {} devices", proto.tile_assignment_devices_size()));
    }
    sharding.maximalDevice = proto.tile_assignment_devices(0);
  } else if (sharding.type == Sharding::Type::Tiled) {
    readTiles(proto, arena, sharding);
  }
  return sharding;
}

void writeSharding(const Sharding& sharding, pb::OpSharding& proto) {
  for (const OpMetadata& metadata : sharding.metadata) writeMetadata(metadata, *proto.add_metadata());
  if (sharding.shardGroup != Sharding::ShardGroup::None) {
    proto.set_is_shard_group(true);
    proto.set_shard_group_id(sharding.shardGroupId);
    proto.set_shard_group_type(sharding.shardGroup == Sharding::ShardGroup::As ? pb::OpSharding::AS
                                                                               : pb::OpSharding::LIKE);
  }
  if (sharding.named != nullptr) {
    writeNamed(*sharding.named, *proto.mutable_named_sharding());
    return;
  }
  proto.set_type(static_cast<pb::OpSharding::Type>(sharding.type));
  if (sharding.type == Sharding::Type::Tuple) {
    for (const Sharding& element : sharding.elements) writeSharding(element, *proto.add_tuple_shardings());
  } else if (sharding.type == Sharding::Type::Maximal) {
    proto.add_tile_assignment_devices(sharding.maximalDevice);
  } else if (sharding.type == Sharding::Type::Tiled) {
    writeTiles(sharding, proto);
  }
}

ReplicaGroups readReplicaGroups(const pb::HloInstructionProto& proto, Arena& arena) {
  if (proto.has_iota_collective_device_list())
    return readIotaGroups(proto.iota_collective_device_list(), arena);
  if (proto.has_mesh_axes_replica_group_list()) {
    ReplicaGroups groups;
    groups.form = ReplicaGroups::Form::MeshAxes;
    groups.mesh = readMesh(proto.mesh_axes_replica_group_list().mesh(), arena);
    groups.axes = readAxes(proto.mesh_axes_replica_group_list().axes(), arena);
    return groups;
  }
  if (proto.has_collective_device_list()) {
    const auto& list = proto.collective_device_list();
    if (list.has_iota_replica_group_list()) return readIotaGroups(list.iota_replica_group_list(), arena);
    if (list.replica_groups_size() > 0) return readGroupList(list.replica_groups(), arena);
  }
  return readGroupList(proto.replica_groups(), arena);
}

void writeReplicaGroups(const ReplicaGroups& groups, pb::HloInstructionProto& proto) {
  switch (groups.form) {
    case ReplicaGroups::Form::List:
      proto.mutable_collective_device_list();
      for (const auto& group : groups.groups) {
        addNumbers(group,
                   *proto.mutable_collective_device_list()->add_replica_groups()->mutable_replica_ids());
      }
      return;
    case ReplicaGroups::Form::Iota: {
      auto& list = *proto.mutable_iota_collective_device_list();
      list.set_num_replica_groups(groups.groupCount);
      list.set_num_devices_per_group(groups.groupSize);
      addNumbers(groups.iota.reshapeDimensions, *list.mutable_iota_reshape_dims());
      addNumbers(groups.iota.transposePermutation, *list.mutable_iota_transpose_perm());
      for (size_t i = groups.iota.transposePermutation.size(); i < groups.iota.reshapeDimensions.size();
           ++i) {
        list.add_iota_transpose_perm(static_cast<int32_t>(i));
      }
      return;
    }
    case ReplicaGroups::Form::MeshAxes:
      writeMesh(groups.mesh, *proto.mutable_mesh_axes_replica_group_list()->mutable_mesh());
      writeAxes(groups.axes, *proto.mutable_mesh_axes_replica_group_list()->mutable_axes());
      return;
  }
}

}  // namespace hilo
