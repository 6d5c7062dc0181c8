// How one array lies over the partitions: every form of sharding (tiles, partly replicated, manual subgroups,
// one device, named meshes) as one table of devices (device_order.h). What is asked of shardings when they
// spread or are moved is asked of this form; hlo/ir/sharding.h is how they are stored.
//
// A dimension of size n in k tiles has parts of ceil(n / k) elements; the last ones may hold fewer, or none,
// and what is beyond the array holds any value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/compiler/spmd/device_order.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

struct Tiling {
  std::vector<int64_t> tiles;  // by dimension: in how many parts it is
  int64_t manual = 1;          // groups of devices that the program itself tells apart
  int64_t copies = 1;          // devices that hold the same part
  DeviceOrder devices;         // row-major over tiles, manual, copies; copies in ascending order
  bool isPartial = false;      // {unreduced}: the copies are parts of a sum
  bool isOneDevice = false;    // {maximal}: only devices[0] holds it, all others may as well

  size_t rank() const { return tiles.size(); }
  int64_t tileCount() const;
  bool isWhole() const { return tileCount() == 1; }
  bool isReplicated() const { return isWhole() && manual == 1 && !isPartial; }
  bool isManual() const { return isWhole() && manual > 1 && copies == 1; }
  friend bool operator==(const Tiling&, const Tiling&) = default;
};

using Tilings = std::vector<Tiling>;  // by leaf of a shape, in order

int64_t ceilDiv(int64_t a, int64_t b);
std::vector<Shape> leavesOf(Shape shape);
// The same with the sum in each copy.
Tiling summedUp(Tiling tiling);

Tiling replicatedTiling(size_t rank, int64_t partitions);
Tiling manualTiling(size_t rank, int64_t partitions);
// The sizes of the table of devices: tiles, manual, copies.
std::vector<int64_t> tableSizes(const Tiling& tiling);
// For each device its tile along one dimension; its manual group; its place among those of the same part.
DeviceNumbers tileOfDevice(const Tiling& tiling, size_t dimension);
DeviceNumbers manualOfDevice(const Tiling& tiling);
DeviceNumbers copyOfDevice(const Tiling& tiling);

// The tiling of one array, or of every leaf. Error kinds: "sharding-invalid" (numbers that do not fit shape
// and partitions; `owner` is named), "spmd-unsupported" (unreduced beside copies).
Result<Tiling> tilingOf(const Sharding& sharding, Shape leaf, int64_t partitions, const Instruction& owner);
Result<Tilings> tilingsOf(const Sharding& sharding, Shape shape, int64_t partitions,
                          const Instruction& owner);
// Back to the stored form, by an iota of devices where there is one.
Sharding toSharding(const Tiling& tiling, Arena& arena);
Sharding toSharding(const Tilings& tilings, Shape shape, Arena& arena);
// XLA's text: "{devices=[2,1]<=[2]}".
std::string toString(const Tiling& tiling);

// The part of an array that one device holds. Arrays keep their layout.
Shape localShape(Shape array, const Tiling& tiling);
Shape localShape(Shape shape, std::span<const Tiling> leaves);

}  // namespace hilo
