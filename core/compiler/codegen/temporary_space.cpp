#include "core/compiler/codegen/temporary_space.h"

#include <algorithm>

namespace hilo {
namespace {

int64_t rounded(int64_t bytes) {
  constexpr int64_t a = TemporarySpace::kAlignment;
  return std::max<int64_t>(1, (bytes + a - 1) / a) * a;
}

}  // namespace

int64_t TemporarySpace::take(int64_t bytes) {
  bytes = rounded(bytes);
  for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
    if (piece->second < bytes) continue;
    const int64_t offset = piece->first, rest = piece->second - bytes;
    free_.erase(piece);
    if (rest > 0) free_[offset + bytes] = rest;
    return offset;
  }
  // The last free piece grows when it reaches the end.
  int64_t offset = size_;
  if (!free_.empty()) {
    const auto last = std::prev(free_.end());
    if (last->first + last->second == size_) {
      offset = last->first;
      free_.erase(last);
    }
  }
  size_ = offset + bytes;
  return offset;
}

void TemporarySpace::giveBack(int64_t offset, int64_t bytes) {
  bytes = rounded(bytes);
  const auto after = free_.lower_bound(offset);
  if (after != free_.end() && offset + bytes == after->first) {
    bytes += after->second;
    free_.erase(after);
  }
  const auto next = free_.lower_bound(offset);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  free_[offset] = bytes;
}

}  // namespace hilo
