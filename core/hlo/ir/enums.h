// The enumerations of instruction attributes. The table is enums.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hilo {

#define ENUM_BEGIN(type) enum class type : int64_t {
#define ENUM_VALUE(enumerator, text, number) enumerator = number,
#define ENUM_END(type) \
  }                    \
  ;
#include "core/hlo/ir/enums.def"

// XLA's text of a value, and back; numbers are the proto's. Unknown text or number: nullopt.
template <typename E>
std::string_view enumText(E value);
template <typename E>
std::optional<E> enumFromText(std::string_view text);
template <typename E>
std::optional<E> enumFromNumber(int64_t number);

#define ENUM_BEGIN(type)                                         \
  template <>                                                    \
  std::string_view enumText<type>(type value);                   \
  template <>                                                    \
  std::optional<type> enumFromText<type>(std::string_view text); \
  template <>                                                    \
  std::optional<type> enumFromNumber<type>(int64_t number);
#define ENUM_VALUE(...)
#define ENUM_END(type)
#include "core/hlo/ir/enums.def"

}  // namespace hilo
