#include <cstring>

#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

Status execute(const CopyThunk& thunk, const ThunkContext& context) {
  constexpr int64_t kPiece = 1 << 20;
  context.threads.parallelFor(thunk.source.sizeBytes, kPiece, [&](int64_t begin, int64_t end) {
    std::memmove(context.at(thunk.destination) + begin, context.at(thunk.source) + begin,
                 static_cast<size_t>(end - begin));
  });
  return {};
}

}  // namespace hilo
