// Cases of tile_cases.txt: a fusion, and what has to hold of its tiles.
#pragma once

#include <string>
#include <vector>

namespace hilo {

struct TileCase {
  std::string file;                // of XLA's tests
  std::vector<std::string> tests;  // of that file, whose property it has
  std::string module;              // without its head; the fusion is the entry's root
  std::vector<std::string> checks;
};

// Empty where there is no such file.
std::vector<TileCase> readTileCases(const std::string& path);

}  // namespace hilo
