// NVIDIA's tools on this machine, as people are shown them.
#pragma once

#include <string>
#include <vector>

namespace hilo {

struct ToolRow {
  std::string name, purpose;
  std::string path;       // "": not found
  std::string version;    // "13.0"; "" where it did not say
  std::string newestPtx;  // "9.0": the newest PTX it reads; "" where that is not known
  std::string problem;    // why what was found is of no use
  std::string install;    // what brings it
};
// Looks and asks every time: a second or so. Any thread.
std::vector<ToolRow> toolsHere();

}  // namespace hilo
