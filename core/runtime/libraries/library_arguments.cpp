#include "core/runtime/libraries/library_arguments.h"

#include <cstring>
#include <utility>

#include "core/base/check.h"

namespace hilo {

Result<Workspace> Workspace::take(Stream& stream, int64_t bytes) {
  if (bytes <= 0) return Workspace(stream, DeviceAddress{});
  TRY(const DeviceAddress at, stream.allocate(bytes));
  return Workspace(stream, at);
}

Workspace::Workspace(Workspace&& other) noexcept
    : stream_(other.stream_), at_(std::exchange(other.at_, DeviceAddress{})) {}

// What a stream that broke does not take back is gone with it.
Workspace::~Workspace() {
  if (at_ != DeviceAddress{}) (void)stream_.free(at_);
}

LibraryScalar::LibraryScalar(ElementType type, double value) {
  if (type == ElementType::F64 || type == ElementType::C128) {
    std::memcpy(bytes_, &value, sizeof(value));
    return;
  }
  const auto narrow = static_cast<float>(value);
  std::memcpy(bytes_, &narrow, sizeof(narrow));
}

int dataTypeNumber(ElementType type) {
  switch (type) {
    case ElementType::F32:
      return 0;
    case ElementType::F64:
      return 1;
    case ElementType::F16:
      return 2;
    case ElementType::C64:
      return 4;
    case ElementType::C128:
      return 5;
    case ElementType::BF16:
      return 14;
    default:
      CHECK(false, elementTypeName(type));
      return 0;
  }
}

}  // namespace hilo
