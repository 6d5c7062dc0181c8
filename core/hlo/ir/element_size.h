// Types by the size of an element.
#pragma once

#include <cstdint>

#include "core/base/check.h"

namespace hilo {

// For code that only moves elements: calls f.template operator()<T>() with an unsigned-like type
// of that size.
struct Bytes16 {
  uint64_t words[2];
};
template <typename F>
decltype(auto) visitElementSize(int bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    case 8:
      return f.template operator()<uint64_t>();
    case 16:
      return f.template operator()<Bytes16>();
    default:
      checkFailed(__FILE__, __LINE__, "element size", {});
  }
}

}  // namespace hilo
