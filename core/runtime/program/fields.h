// What may be in a thunk or a Program, for those who visit its fields: T::visit(value, visitor) calls
// visitor(name, field) for each.
#pragma once

#include <type_traits>
#include <utility>

namespace hilo {

template <typename T>
concept NumberField = std::is_arithmetic_v<T>;
template <typename T>
concept PlainField = NumberField<T> || std::is_enum_v<T>;
template <typename T, typename Visitor>
concept FieldsOf = std::is_void_v<decltype(T::visit(std::declval<T&>(), std::declval<Visitor&>()))>;

}  // namespace hilo
