// The files of the corpus that HILO_CORPUS names.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace hilo {

inline constexpr const char* kNoCorpus = "HILO_CORPUS is not set, or has not what this test reads";
// `below` of the folder that HILO_CORPUS names; nullopt where the test skips with kNoCorpus.
inline std::optional<std::filesystem::path> corpusPath(const std::filesystem::path& below = {}) {
  const char* root = std::getenv("HILO_CORPUS");
  if (root == nullptr) return std::nullopt;
  const auto path = below.empty() ? std::filesystem::path(root) : root / below;
  return std::filesystem::exists(path) ? std::optional(path) : std::nullopt;
}

// Prints how many files, modules or programs a test looked at, which packaging/checks.sh adds up.
inline void printRows(size_t rows) { fmt::print("rows: {}\n", rows); }

inline std::string readCorpusFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Reports of a dump directory are text too, but no HLO.
inline bool isHloText(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  for (const char* report :
       {"-buffer-assignment.txt", "-memory-usage-report.txt", "thunk_sequence.txt", "live-ranges.txt"}) {
    if (name.ends_with(report)) return false;
  }
  return name.ends_with(".txt") || name.ends_with(".hlo");
}

// Every HLO text below `root`, sorted.
inline std::vector<std::filesystem::path> hloTexts(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file() && isHloText(entry.path())) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace hilo
