// Tables with an entry for each value of an enum: names, colours, totals. A table that misses a value, or has
// one too many, does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/base/check.h"

namespace hilo {

// The compiler writes the name of a template argument that is an enumerator, and "(Enum)5" for
// any other value.
template <auto kValue>
consteval bool isEnumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const size_t cast = text.rfind(')');
  return cast == std::string_view::npos || cast + 1 >= text.size() || text[cast + 1] < '0' ||
         text[cast + 1] > '9';
}

// How many values an enum has, numbered 0, 1, 2 and so on.
template <typename Enum, size_t kFrom = 0>
consteval size_t enumCount() {
  if constexpr (isEnumerator<static_cast<Enum>(kFrom)>()) {
    return enumCount<Enum, kFrom + 1>();
  } else {
    return kFrom;
  }
}

// EnumTable<Severity, const char*> kNames({"note", "warning", "error"});
template <typename Enum, typename Entry>
class EnumTable {
 public:
  template <size_t kEntries>
  consteval explicit EnumTable(const Entry (&entries)[kEntries]) : entries_(std::to_array(entries)) {
    static_assert(kEntries == enumCount<Enum>(), "a table has one entry for each value of its enum");
  }

  constexpr const Entry& operator[](Enum value) const {
    CHECK(static_cast<size_t>(value) < entries_.size(), "a value its enum does not have");
    return entries_[static_cast<size_t>(value)];
  }

 private:
  std::array<Entry, enumCount<Enum>()> entries_;
};

}  // namespace hilo
