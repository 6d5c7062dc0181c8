// Layouts kept between runs of the program: one small file each in a folder, named by the layout's key.
// Made by this program and checked when read; what is damaged, or does not fit the input, is as if it
// were not there.
#pragma once

#include <filesystem>
#include <optional>

#include "ui/canvas/layout/layout_cache.h"

namespace hilo {

class LayoutFiles {
 public:
  // Makes the folder when something is kept; while there are more than `limit` files the oldest go.
  explicit LayoutFiles(std::filesystem::path folder, size_t limit = 2'000);

  std::optional<LayoutResult> read(const LayoutKey& key, const LayoutInput& input) const;
  // A layout that cannot be written (no room, no right) is made again the next time.
  void write(const LayoutKey& key, const LayoutResult& result) const;

 private:
  std::filesystem::path pathOf(const LayoutKey& key) const;
  void removeOldest() const;

  std::filesystem::path folder_;
  size_t limit_;
};

}  // namespace hilo
