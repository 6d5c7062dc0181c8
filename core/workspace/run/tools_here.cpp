#include "core/workspace/run/tools_here.h"

#include <fmt/format.h>

#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/toolchain/toolchain.h"

namespace hilo {

std::vector<ToolRow> toolsHere() {
  std::vector<ToolRow> rows;
  for (const Tool& tool : findTools(toolSearchHere())) {
    const auto isa = ptxIsaOfCuda(tool.version);
    rows.push_back({.name = tool.name,
                    .purpose = tool.purpose,
                    .path = tool.path,
                    .version = tool.version == 0 && tool.own.empty() ? "" : versionText(tool),
                    .newestPtx = isa ? fmt::format("{}.{}", *isa / 10, *isa % 10) : "",
                    .problem = tool.problem,
                    .install = tool.install});
  }
  return rows;
}

}  // namespace hilo
