// The element types of HLO, with what everything else asks of them. The table is element_types.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hilo {

enum class ElementType : uint8_t {
#define ELEMENT_TYPE(name, ...) name,
#include "core/hlo/ir/element_types.def"
};

enum class ElementClass : uint8_t { Pred, Signed, Unsigned, Float, Complex, Other };

inline constexpr int kElementTypeCount = 0
#define ELEMENT_TYPE(...) +1
#include "core/hlo/ir/element_types.def"
    ;

// XLA's text name: "f32", "pred", "tuple".
std::string_view elementTypeName(ElementType type);
std::optional<ElementType> elementTypeFromName(std::string_view name);

// XLA's PrimitiveType number (xla_data.proto).
int elementTypeNumber(ElementType type);
std::optional<ElementType> elementTypeFromNumber(int number);

ElementClass elementClass(ElementType type);
// Bits of one element by XLA's own count (pred is 8, s4 is 4, tuple, token and opaque are 0).
int elementBits(ElementType type);
// Bytes one element takes in a Literal here: sub-byte types are unpacked to a byte each.
int elementStorageBytes(ElementType type);

inline bool isFloat(ElementType type) { return elementClass(type) == ElementClass::Float; }
inline bool isComplex(ElementType type) { return elementClass(type) == ElementClass::Complex; }
inline bool isSigned(ElementType type) { return elementClass(type) == ElementClass::Signed; }
inline bool isUnsigned(ElementType type) { return elementClass(type) == ElementClass::Unsigned; }
inline bool isIntegral(ElementType type) { return isSigned(type) || isUnsigned(type); }
// An element type an array may have: everything but tuple, token, opaque and buffer.
inline bool isArrayElement(ElementType type) { return elementClass(type) != ElementClass::Other; }
// F32 of C64, F64 of C128.
ElementType complexComponent(ElementType type);

}  // namespace hilo
