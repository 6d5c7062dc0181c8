// The kernels that read one value, and what is saved by computing the value in each: kept reader by reader,
// so that of many only one that is another than before is asked again.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace hilo {

class KernelReaders {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  // One that was there already must have been erased before, where its members are others.
  void insert(uint32_t reader);
  void erase(uint32_t reader);
  // The value is made in another way.
  void askAgain();

  size_t size() const { return saved_.size(); }
  // In their order; the pairs start with the reader.
  auto begin() const { return saved_.begin(); }
  auto end() const { return saved_.end(); }

  // `first`, and what all save added to it in their order; nullopt: one cannot. `savedIn` tells what a reader
  // saves, in nanoseconds; kNever: the value cannot be computed in it.
  std::optional<double> savedNs(double first, absl::FunctionRef<double(uint32_t)> savedIn);

 private:
  absl::btree_map<uint32_t, std::optional<double>> saved_;  // nullopt: to be asked
  std::vector<uint32_t> open_;       // those to be asked, and some that are none any more
  std::optional<uint32_t> refuses_;  // one that cannot
};

}  // namespace hilo
