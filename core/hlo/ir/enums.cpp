#include "core/hlo/ir/enums.h"

namespace hilo {

#define ENUM_BEGIN(type)                        \
  template <>                                   \
  std::string_view enumText<type>(type value) { \
    using enum type;                            \
    switch (value) {
#define ENUM_VALUE(enumerator, text, number) \
  case enumerator:                           \
    return text;
#define ENUM_END(type) \
  }                    \
  return "";           \
  }
#include "core/hlo/ir/enums.def"

#define ENUM_BEGIN(type)                                          \
  template <>                                                     \
  std::optional<type> enumFromText<type>(std::string_view name) { \
    using enum type;
#define ENUM_VALUE(enumerator, text, number) \
  if (name == text) return enumerator;
#define ENUM_END(type) \
  return std::nullopt; \
  }
#include "core/hlo/ir/enums.def"

#define ENUM_BEGIN(type)                                    \
  template <>                                               \
  std::optional<type> enumFromNumber<type>(int64_t value) { \
    using enum type;
#define ENUM_VALUE(enumerator, text, number) \
  if (value == number) return enumerator;
#define ENUM_END(type) \
  return std::nullopt; \
  }
#include "core/hlo/ir/enums.def"

}  // namespace hilo
