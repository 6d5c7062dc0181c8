#include "core/compiler/passes/fusion/kernel_readers.h"

namespace hilo {

void KernelReaders::insert(uint32_t reader) {
  if (saved_.try_emplace(reader).second) open_.push_back(reader);
}

void KernelReaders::erase(uint32_t reader) {
  const auto found = saved_.find(reader);
  if (found == saved_.end()) return;
  saved_.erase(found);
  if (refuses_ == reader) refuses_.reset();
}

void KernelReaders::askAgain() {
  refuses_.reset();
  open_.clear();
  for (auto& [reader, ns] : saved_) {
    ns.reset();
    open_.push_back(reader);
  }
}

std::optional<double> KernelReaders::savedNs(double first, absl::FunctionRef<double(uint32_t)> savedIn) {
  while (!refuses_ && !open_.empty()) {
    const uint32_t reader = open_.back();
    open_.pop_back();
    const auto found = saved_.find(reader);
    if (found == saved_.end() || found->second) continue;
    const double ns = savedIn(reader);
    if (ns == kNever) refuses_ = reader;
    found->second = ns;
  }
  if (refuses_) return std::nullopt;
  for (const auto& [reader, ns] : saved_) first += *ns;
  return first;
}

}  // namespace hilo
