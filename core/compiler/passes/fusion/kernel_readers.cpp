#include "core/compiler/passes/fusion/kernel_readers.h"

#include <cmath>

namespace hilo {
namespace {

// Their sums do not depend on the order, and a part can be taken away again: up to 2^43 ns they are exact.
double rounded(double ns) { return std::round(ns * 1024) / 1024; }

}  // namespace

void KernelReaders::insert(uint32_t reader) {
  if (saved_.try_emplace(reader).second) open_.push_back(reader);
}

void KernelReaders::erase(uint32_t reader) {
  const auto found = saved_.find(reader);
  if (found == saved_.end()) return;
  sum_ -= found->second.value_or(0);
  saved_.erase(found);
  if (refuses_ == reader) refuses_.reset();
}

void KernelReaders::askAgain() {
  refuses_.reset();
  sum_ = 0;
  open_.clear();
  for (auto& [reader, ns] : saved_) {
    ns.reset();
    open_.push_back(reader);
  }
}

std::optional<double> KernelReaders::savedNs(absl::FunctionRef<double(uint32_t)> savedIn) {
  while (!refuses_ && !open_.empty()) {
    const uint32_t reader = open_.back();
    open_.pop_back();
    const auto found = saved_.find(reader);
    if (found == saved_.end() || found->second) continue;
    const double ns = savedIn(reader);
    if (ns == kNever) {
      refuses_ = reader;
    } else {
      sum_ += found->second.emplace(rounded(ns));
    }
  }
  return refuses_ ? std::nullopt : std::optional(sum_);
}

}  // namespace hilo
