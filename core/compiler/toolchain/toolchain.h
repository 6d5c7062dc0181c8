// NVIDIA's tools on this machine: what there is, where, of which version, and what brings what is missing.
// PTX is written without any of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hilo {

enum class ToolId : uint8_t {
#define TOOL(id, name, form, purpose, install) id,
#include "core/compiler/toolchain/tools.def"
};

struct Tool {
  ToolId id = ToolId::Ptxas;
  std::string name, purpose, install;
  std::string path;  // "": it was not found
  int version = 0;   // of the CUDA release, 13.0 is 130; 0 where it did not say, or has versions of its own
  std::string own;   // a library's own version: "9.19.0"
  std::string problem;  // why what was found is of no use; "" where it is

  bool isUsable() const { return !path.empty() && problem.empty(); }
};

// Where to look. Folders of programs and of libraries come before those the system searches itself.
struct ToolSearch {
  std::vector<std::string> programFolders, libraryFolders;
  bool asksSystem = true;  // libraries by name alone, as the loader finds them
};
// Of this process: PATH, CUDA_HOME and CUDA_PATH, the usual folders.
ToolSearch toolSearchHere();

// Every tool of tools.def, in its order, each asked for its version. A program takes 5 seconds at most. A
// library is loaded into this process for it and stays there.
std::vector<Tool> findTools(const ToolSearch& search);
// One of them.
Tool findTool(ToolId id, const ToolSearch& search);

// "13.0", "9.19.0"; "unknown version".
std::string versionText(const Tool& tool);
// 130 of "Cuda compilation tools, release 13.0, V13.0.88"; 0 where it says none.
int releaseIn(std::string_view text);

}  // namespace hilo
