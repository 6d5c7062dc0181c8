// How Triton makes the kernel of a fusion: with the tiling that an estimate says is the quickest
// (analysis/tiling/tiling_estimate.h) of those that stay in registers, as XLA's
// service/gpu/model/gpu_indexing_performance_model.cc has it.
#pragma once

#include <string>

#include "core/compiler/passes/fusion/fusion_cost.h"

namespace hilo {

struct BlockTiles {
  std::string config;  // block_level_fusion_config: sizes of the results' tiles, and warps
  double ns = 0;       // estimated, without the launch
};

// Error kinds: "not-tileable", or that of a GPU that is not known. Some hundred tilings are looked at; where
// the fusion is to read once, not those by which blocks read again what others read.
Result<BlockTiles> quickestTiles(const Instruction& fusion, const GpuRates& rates, bool readsOnce = false);

// Kind __triton with these tiles.
void setBlockTiles(Instruction& fusion, const BlockTiles& tiles);

}  // namespace hilo
