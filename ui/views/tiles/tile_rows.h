// Rows of the tile view's table: each instruction on one tile.
#pragma once

#include "core/analysis/tiling/tile_region.h"
#include "ui/models/table_model.h"

namespace hilo {

struct TileRow {
  size_t number = 0;  // in TilingSpace::instructions
  QString name, opcode;
  QString offset, size, stride;  // "(d0, 0)", "(16, 32)", "(1, 1)"
  QString elements;              // "[16:32, 0:64]": of the tile that is shown
  int64_t count = 0, outside = 0;
  bool isRead = true;
};

std::vector<TableColumn<TileRow>> tileColumns();

// One row for each instruction, users first: as one reads from the result to what it is made of. Scalars, of
// which there is nothing to tile, are last.
std::vector<TileRow> tileRowsOf(const TilingSpace& space, const FusionTiling& tiling,
                                const std::vector<TileRegion>& regions);

// "[16:32, 0:64:2]", ends excluded; "one number" of a scalar; "[0:8] of device 1" below an all-gather.
QString regionText(const TileRegion& region);

}  // namespace hilo
