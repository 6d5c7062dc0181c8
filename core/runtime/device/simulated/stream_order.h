// Private to the room: who used which bytes on which stream, and whether events order them. Each stream
// counts its work; a clock says up to where the work of every stream is done when something begins.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"

namespace hilo {

class StreamClock {
 public:
  uint64_t of(uint32_t stream) const { return stream < times_.size() ? times_[stream] : 0; }
  void set(uint32_t stream, uint64_t time);
  void join(const StreamClock& other);

 private:
  std::vector<uint64_t> times_;
};

class StreamOrder {
 public:
  struct User {
    uint32_t stream = 0;
    uint64_t time = 0;  // by the stream's own count
    std::string name;
  };

  // `user`, whose work begins when `before` is done, reads or writes [begin, begin + bytes). Kind
  // "missing-dependency", once for each two names.
  void use(const User& user, const StreamClock& before, uint64_t begin, uint64_t bytes, bool writes,
           const std::string& what);
  // Memory that is allocated anew was used by nobody.
  void forget(uint64_t begin, uint64_t bytes);
  Diagnostics take() { return std::move(findings_); }

 private:
  struct Piece {
    uint64_t end = 0;
    User writer;                // time 0: nobody
    std::vector<User> readers;  // since
  };
  void split(uint64_t at);
  void usePiece(Piece& piece, uint64_t begin, const User& user, const StreamClock& before, bool writes,
                const std::string& what);
  void find(const User& earlier, const char* did, const User& later, bool writes, uint64_t begin,
            uint64_t end, const std::string& what);

  std::map<uint64_t, Piece> pieces_;  // by the first byte; disjoint
  std::vector<std::pair<std::string, std::string>> told_;
  Diagnostics findings_;
};

}  // namespace hilo
