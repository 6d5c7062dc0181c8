#include "core/workspace/text/source_tree.h"

#include <filesystem>

namespace hilo {
namespace {

namespace fs = std::filesystem;

// Hostile dumps may record any number of folders.
constexpr size_t kMostFolders = 64;

}  // namespace

SourceTree::SourceTree(const std::vector<std::string>& roots) {
  for (const std::string& root : roots) {
    std::error_code error;
    const fs::path real = fs::canonical(root, error);
    if (!error && fs::is_directory(real, error)) roots_.push_back(real.string());
  }
}

std::string SourceTree::inRoots(std::string_view ending) const {
  for (const std::string& root : roots_) {
    std::error_code error;
    const fs::path real = fs::canonical(fs::path(root) / ending, error);
    if (error || !fs::is_regular_file(real, error)) continue;
    const std::string inside = root.ends_with('/') ? root : root + "/";
    if (real.string().starts_with(inside)) return real.string();
  }
  return {};
}

std::string SourceTree::find(std::string_view recorded) const {
  if (roots_.empty() || recorded.find('\0') != std::string_view::npos) return {};
  // On this very machine the path may be inside a root as it is.
  for (const std::string& root : roots_) {
    if (!recorded.starts_with(root + "/")) continue;
    if (std::string found = inRoots(recorded.substr(root.size() + 1)); !found.empty()) return found;
  }
  for (size_t n = 0; n < kMostFolders && !recorded.empty(); ++n) {
    if (recorded[0] != '/') {
      if (std::string found = inRoots(recorded); !found.empty()) return found;
    }
    const size_t slash = recorded.find('/');
    if (slash == std::string_view::npos) return {};
    recorded.remove_prefix(slash + 1);
  }
  return {};
}

}  // namespace hilo
