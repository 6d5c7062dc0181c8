// How a value is spread over devices (OpSharding of xla_data.proto, HloSharding's text). Immutable data in
// the module's storage, like every payload.
//
// A tiled sharding splits dimension i into tileDimensions[i] parts; trailing tile dimensions beyond the rank
// are subgroup dimensions whose roles stand in subgroupTypes (or replicateOnLastTileDim for the
// one-dimension form). Devices are listed in row-major order of the tile dimensions, or given by an iota:
// reshape, transpose, flatten.
#pragma once

#include "core/hlo/ir/payloads.h"

namespace hilo {

struct IotaTileAssignment {
  std::span<const int64_t> reshapeDimensions;
  std::span<const int64_t> transposePermutation;  // identity may be written out or left empty
};

// A named mesh: axes with sizes, and the order of its devices (empty and no iota: 0, 1, 2, ...).
struct MeshAxis {
  std::string_view name;
  int64_t size = 0;
};
struct Mesh {
  std::span<const MeshAxis> axes;
  std::span<const int64_t> deviceIds;
  bool hasIota = false;
  IotaTileAssignment iota;
};
// A mesh axis or a part of it ("axis:(preSize)size"); subSize 0 says the whole axis.
struct AxisRef {
  int64_t axis = 0;
  int64_t subPreSize = 0;
  int64_t subSize = 0;
};
struct NamedDimensionSharding {
  std::span<const AxisRef> axes;
  bool isClosed = true;
};
struct NamedSharding {
  enum class Reduction : uint8_t { Sum, Max, Min };
  Mesh mesh;
  std::span<const NamedDimensionSharding> dimensions;
  std::span<const AxisRef> replicatedAxes;
  std::span<const AxisRef> unreducedAxes;
  std::span<const AxisRef> manualAxes;
  Reduction reduction = Reduction::Sum;
};

struct Sharding {
  // Numbers are OpSharding.Type's.
  enum class Type : uint8_t { Replicated, Maximal, Tuple, Tiled, Manual, Unknown, Unreduced };
  enum class ShardGroup : uint8_t { None, As, Like };

  Type type = Type::Replicated;
  int64_t maximalDevice = 0;
  std::span<const int64_t> tileDimensions;
  bool hasIota = false;
  IotaTileAssignment iota;
  std::span<const int64_t> devices;  // when !hasIota
  bool replicateOnLastTileDim = false;
  std::span<const Type> subgroupTypes;
  ShardGroup shardGroup = ShardGroup::None;
  int64_t shardGroupId = 0;
  std::span<const Sharding> elements;  // of a tuple
  std::span<const OpMetadata> metadata;
  const NamedSharding* named = nullptr;
};

Sharding copyInto(Arena& arena, const Sharding& value);
NamedSharding copyInto(Arena& arena, const NamedSharding& value);
Mesh copyInto(Arena& arena, const Mesh& value);

// The devices of a tiled sharding in row-major order of tileDimensions, whichever way it is written. Empty
// when the numbers do not fit together (a hostile or broken input) or there are over 2^20 devices.
std::vector<int64_t> tileDevices(const Sharding& sharding);
// The same for any iota: element i is the flattened, transposed, reshaped 0..n-1.
std::vector<int64_t> iotaDevices(const IotaTileAssignment& iota);

}  // namespace hilo
