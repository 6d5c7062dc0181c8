#include "ui/views/tiles/tile_rows.h"

#include "core/hlo/ir/instruction.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

QString inBrackets(const InstructionTile& tile, auto text) {
  QStringList parts;
  for (const TileDimension& d : tile.dimensions) parts << text(d);
  return "(" + parts.join(", ") + ")";
}

QString rangeText(const RegionDimension& d) {
  if (d.count == 1) return QString::number(d.first);
  const QString range = QString("%1:%2").arg(d.low()).arg(d.high() + 1);
  const int64_t step = std::abs(d.stride);
  return step == 1 ? range : QString("%1:%2").arg(range).arg(step);
}

}  // namespace

QString regionText(const TileRegion& region) {
  if (!region.isRead) return "not read";
  QString from;
  for (const int64_t device : region.devices) from += QString(" of device %1").arg(device);
  if (region.dimensions.empty()) return "one number" + from;
  QStringList parts;
  for (const RegionDimension& d : region.dimensions) parts << rangeText(d);
  return "[" + parts.join(", ") + "]" + (region.isPlaceKnown ? "" : " or later") + from;
}

std::vector<TableColumn<TileRow>> tileColumns() {
  using Row = TileRow;
  return {{"instruction", [](const Row& r) { return r.name; }},
          {"opcode", [](const Row& r) { return r.opcode; }},
          {"offset", [](const Row& r) { return r.offset; }},
          {"size", [](const Row& r) { return r.size; }},
          {"stride", [](const Row& r) { return r.stride; }},
          {"elements", [](const Row& r) { return countText(r.count); },
           [](const Row& r) { return static_cast<double>(r.count); }},
          {"masked", [](const Row& r) { return r.outside == 0 ? QString() : countText(r.outside); },
           [](const Row& r) { return static_cast<double>(r.outside); },
           [](const Row&) { return QString("Elements of this tile that lie outside of the array"); }},
          {"this tile", [](const Row& r) { return r.elements; }}};
}

std::vector<TileRow> tileRowsOf(const TilingSpace& space, const FusionTiling& tiling,
                                const std::vector<TileRegion>& regions) {
  const auto names = space.names();
  std::vector<TileRow> rows;
  for (size_t i = space.instructions.size(); i-- > 0;) {
    const Instruction& instruction = *space.instructions[i].instruction;
    const InstructionTile& tile = tiling.tiles[i];
    const TileRegion& region = regions[i];
    rows.push_back(
        {.number = i,
         .name = "%" + qs(instruction.name()),
         .opcode = qs(instruction.opcodeText()),
         .offset = inBrackets(tile, [&](const TileDimension& d) { return qs(d.offset.text(names)); }),
         .size = inBrackets(tile, [](const TileDimension& d) { return QString::number(d.size); }),
         .stride = inBrackets(tile, [](const TileDimension& d) { return QString::number(d.stride); }),
         .elements = regionText(region),
         .count = region.isRead ? region.elements() : 0,
         .outside = region.isRead ? region.elements() - region.inside() : 0,
         .isRead = region.isRead});
  }
  const auto isScalar = [](const TileRow& row) { return row.size == "()"; };
  std::ranges::stable_sort(rows, {}, isScalar);
  return rows;
}

}  // namespace hilo
