#include "core/analysis/scalar_integer.h"

namespace hilo {

std::optional<int64_t> scalarInteger(const Literal& literal) {
  const Shape shape = literal.shape();
  if (!shape.isArray() || shape.elementCount() != 1 || literal.isElided()) return std::nullopt;
  const ElementType type = shape.elementType();
  const bool isSignedType = isSigned(type);
  if (!isIntegral(type)) return std::nullopt;
  switch (elementStorageBytes(type)) {
    case 1:
      return isSignedType ? static_cast<int64_t>(literal.data<int8_t>()[0])
                          : static_cast<int64_t>(literal.data<uint8_t>()[0]);
    case 2:
      return isSignedType ? static_cast<int64_t>(literal.data<int16_t>()[0])
                          : static_cast<int64_t>(literal.data<uint16_t>()[0]);
    case 4:
      return isSignedType ? static_cast<int64_t>(literal.data<int32_t>()[0])
                          : static_cast<int64_t>(literal.data<uint32_t>()[0]);
    case 8: {
      const int64_t value = literal.data<int64_t>()[0];
      return isSignedType || value >= 0 ? std::optional(value) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace hilo
