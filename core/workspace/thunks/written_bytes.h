// Who wrote which bytes last, as the thunks of a sequence go by.
#pragma once

#include <map>

#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

class WrittenBytes {
 public:
  void add(const ThunkUse& use, uint32_t thunk);
  // The thunk that wrote all these bytes; kNone: nobody did, or several, each a part.
  uint32_t writerOf(const ThunkUse& use) const;

 private:
  struct Piece {
    int64_t endBytes = 0;
    uint32_t thunk = 0;
  };
  using Pieces = std::map<std::pair<uint32_t, int64_t>, Piece>;  // by allocation and offset; none overlap
  // Makes a piece begin at this place, where one lies across it.
  void cut(uint32_t allocation, int64_t at);

  Pieces pieces_;
};

}  // namespace hilo
