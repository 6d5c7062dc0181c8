#include "core/workspace/thunks/written_bytes.h"

namespace hilo {

void WrittenBytes::cut(uint32_t allocation, int64_t at) {
  auto before = pieces_.lower_bound({allocation, at});
  if (before == pieces_.begin()) return;
  --before;
  if (before->first.first != allocation || before->second.endBytes <= at) return;
  pieces_.insert_or_assign({allocation, at}, before->second);
  before->second.endBytes = at;
}

void WrittenBytes::add(const ThunkUse& use, uint32_t thunk) {
  if (use.sizeBytes == 0) return;
  cut(use.allocation, use.offsetBytes);
  cut(use.allocation, use.endBytes());
  pieces_.erase(pieces_.lower_bound({use.allocation, use.offsetBytes}),
                pieces_.lower_bound({use.allocation, use.endBytes()}));
  pieces_[{use.allocation, use.offsetBytes}] = {use.endBytes(), thunk};
}

uint32_t WrittenBytes::writerOf(const ThunkUse& use) const {
  auto piece = pieces_.upper_bound({use.allocation, use.offsetBytes});
  if (piece == pieces_.begin()) return StudiedThunk::kNone;
  --piece;
  const bool isAll = piece->first.first == use.allocation && piece->second.endBytes >= use.endBytes();
  return isAll ? piece->second.thunk : StudiedThunk::kNone;
}

}  // namespace hilo
