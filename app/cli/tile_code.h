// The tile programs of a fusion with chosen sizes, their code, and what they give when run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/hlo/ir/instruction.h"

namespace hilo::cli {

struct TileCodeOptions {
  bool program = false, llvm = false, run = false;
  std::string ptx;  // for this architecture; "": none

  bool wantsAny() const { return program || llvm || run || !ptx.empty(); }
};

// Prints what is asked for, or puts it into `out`. False where there is none, or where a run
// differs from the reference.
bool showTileCode(const Instruction& fusion, const std::vector<int64_t>& sizes,
                  const TileCodeOptions& options, bool json, nlohmann::json& out);

}  // namespace hilo::cli
