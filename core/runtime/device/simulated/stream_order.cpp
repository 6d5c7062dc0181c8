#include "core/runtime/device/simulated/stream_order.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo {

void StreamClock::set(uint32_t stream, uint64_t time) {
  if (stream >= times_.size()) times_.resize(stream + 1);
  times_[stream] = std::max(times_[stream], time);
}

void StreamClock::join(const StreamClock& other) {
  for (uint32_t s = 0; s < other.times_.size(); ++s) set(s, other.times_[s]);
}

void StreamOrder::split(uint64_t at) {
  auto piece = pieces_.upper_bound(at);
  if (piece == pieces_.begin()) return;
  --piece;
  if (piece->first == at || piece->second.end <= at) return;
  Piece rest = piece->second;
  piece->second.end = at;
  pieces_.emplace(at, std::move(rest));
}

void StreamOrder::use(const User& user, const StreamClock& before, uint64_t begin, uint64_t bytes,
                      bool writes, const std::string& what) {
  if (bytes == 0) return;
  const uint64_t end = begin + bytes;
  split(begin);
  split(end);
  auto piece = pieces_.lower_bound(begin);
  for (uint64_t at = begin; at < end; ++piece) {
    if (piece == pieces_.end() || piece->first > at) {
      const uint64_t gapEnd = piece == pieces_.end() ? end : std::min(end, piece->first);
      piece = pieces_.emplace_hint(piece, at, Piece{.end = gapEnd, .writer = {}, .readers = {}});
    }
    usePiece(piece->second, at, user, before, writes, what);
    at = piece->second.end;
  }
}

void StreamOrder::usePiece(Piece& piece, uint64_t begin, const User& user, const StreamClock& before,
                           bool writes, const std::string& what) {
  const auto isOrdered = [&](const User& earlier) {
    return earlier.stream == user.stream || before.of(earlier.stream) >= earlier.time;
  };
  if (piece.writer.time != 0 && !isOrdered(piece.writer))
    find(piece.writer, "writes", user, writes, begin, piece.end, what);
  if (!writes) {
    // Of one stream the latest says all.
    std::erase_if(piece.readers, [&](const User& reader) { return reader.stream == user.stream; });
    piece.readers.push_back(user);
    return;
  }
  for (const User& reader : piece.readers) {
    if (!isOrdered(reader)) find(reader, "reads", user, writes, begin, piece.end, what);
  }
  piece.readers.clear();
  piece.writer = user;
}

void StreamOrder::find(const User& earlier, const char* did, const User& later, bool writes, uint64_t begin,
                       uint64_t end, const std::string& what) {
  const std::pair names(earlier.name, later.name);
  if (std::ranges::find(told_, names) != told_.end()) return;
  told_.push_back(names);
  findings_.push_back(
      {.kind = "missing-dependency",
       .message = fmt::format(
           "{} on stream {} {} {} bytes of {}, which {} on stream {} {}, and no event orders them",
           later.name, later.stream, writes ? "writes" : "reads", end - begin, what, earlier.name,
           earlier.stream, did),
       .place = {.instruction = later.name}});
}

void StreamOrder::forget(uint64_t begin, uint64_t bytes) {
  split(begin);
  split(begin + bytes);
  pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(begin + bytes));
}

}  // namespace hilo
