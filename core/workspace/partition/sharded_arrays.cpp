// Each array of a module with how it lies on the devices.
#include "core/analysis/sharding_parts.h"
#include "core/hlo/text/print.h"
#include "core/workspace/partition/collectives.h"

namespace hilo {
namespace {

struct Lie {
  std::string axes;
  std::vector<int64_t> tiles;  // empty: whole
  int64_t copies = 0;
};

Lie lieOf(const DeviceMesh& mesh, const Sharding& sharding, size_t rank) {
  const auto parts = shardingParts(sharding, rank);
  if (!parts) return {.copies = static_cast<int64_t>(mesh.devices.size())};
  return {.axes = axesText(axesOfDimensions(mesh, sharding, rank)),
          .tiles = parts->tiles,
          .copies = static_cast<int64_t>(parts->devicesOf[0].size())};
}

int64_t partBytes(Shape shape, const std::vector<int64_t>& tiles) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  for (size_t d = 0; d < std::min(sizes.size(), tiles.size()); ++d)
    sizes[d] = sizes[d] / tiles[d] + (sizes[d] % tiles[d] != 0);
  return Shape::array(shape.elementType(), sizes).byteSize();
}

}  // namespace

std::vector<ShardedArray> shardedArrays(const Module& spread, const DeviceMesh& mesh) {
  std::vector<ShardedArray> rows;
  absl::flat_hash_map<std::pair<std::string, size_t>, Lie> known;  // many arrays have the same sharding
  for (const Computation* computation : spread.computations()) {
    for (const Instruction* i : computation->instructions()) {
      const Sharding* sharding = i->get<Attr::Sharding>();
      if (sharding == nullptr || !i->shape().isArray()) continue;
      ShardedArray row{.instruction = i->id(),
                       .name = std::string(i->name()),
                       .opcode = std::string(i->opcodeText()),
                       .shape = toString(i->shape().withoutLayout())};
      appendSharding(row.sharding, *sharding, false);
      const auto [found, isNew] = known.try_emplace(std::pair(row.sharding, i->shape().rank()));
      if (isNew) found->second = lieOf(mesh, *sharding, i->shape().rank());
      row.axes = found->second.axes;
      row.copies = found->second.copies;
      row.wholeBytes = i->shape().byteSize();
      row.partBytes = partBytes(i->shape(), found->second.tiles);
      rows.push_back(std::move(row));
    }
  }
  std::ranges::sort(rows, {},
                    [](const ShardedArray& row) { return std::pair(-row.partBytes, row.instruction); });
  return rows;
}

}  // namespace hilo
