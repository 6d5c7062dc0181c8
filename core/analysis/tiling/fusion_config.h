// The tile sizes that XLA wrote into a fusion's backend_config: block_level_fusion_config of "__triton" and
// "__triton_nested_gemm_fusion", triton_gemm_config of "__triton_gemm", sizes of a dot. Source:
// xla/service/gpu/backend_configs.proto and xla/autotuning.proto (TritonGemmKey).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/tiling/tiling_space.h"

namespace hilo {

struct GemmBlocks {
  int64_t m = 0, n = 0, k = 0, splitK = 1;
};

struct FusionConfig {
  std::string kind;                               // "__triton_gemm"; "" where none is said
  std::vector<std::vector<int64_t>> outputTiles;  // one for each result; empty: none are said
  std::optional<GemmBlocks> gemm;
  int64_t warps = 1, ctas = 1, stages = 1;
};

// nullopt: the fusion has no such configuration. The error ("bad-fusion-config") says which field is wrong.
Result<std::optional<FusionConfig>> fusionConfig(const Instruction& fusion);

// {"sizes":["32"]} in the backend_config of a dot or a reduce: of each dimension that it folds. Empty where
// it has none.
Result<std::vector<int64_t>> foldedSizes(const Instruction& instruction);

// One size for each of TilingSpace::tiled(), as the configuration says; what it does not say is whole. The
// error ("bad-fusion-config") says what does not fit: a rank, a block that no dimension takes, a tile or a
// launch that is too large. Whether the sizes are legal, tilingWith says.
Result<std::vector<int64_t>> sizesOf(const FusionConfig& config, const TilingSpace& space);

}  // namespace hilo
