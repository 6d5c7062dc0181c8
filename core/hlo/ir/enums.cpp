#include "core/hlo/ir/enums.h"

#include <algorithm>

namespace hilo {

namespace {

// What XLA writes in lower case it reads in any: "HIGH" is "high".
bool isNameOf(std::string_view name, std::string_view text) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return name == text || std::ranges::equal(name, text, {}, lower);
}

}  // namespace

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
  if (isNameOf(name, text)) return enumerator;
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
