// Compiled kernels on disk, by a key that says all they depend on. Processes may share the folder. A cache
// that cannot be used is no error: it holds nothing, and says why. Any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>

namespace hilo {

class KernelCache {
 public:
  // Makes the folder; "" keeps nothing.
  explicit KernelCache(std::string folder);

  // Nothing for a file that is damaged.
  std::optional<std::string> find(const std::string& key) const;
  void keep(const std::string& key, const std::string& object);
  // The first reason why a kernel was not kept: "/cache: Permission denied". "" for none.
  std::string problem() const;

 private:
  std::string pathOf(const std::string& key) const { return folder_ + "/" + key + ".o"; }

  std::string folder_;
  mutable std::mutex mutex_;
  std::string problem_;
};

}  // namespace hilo
