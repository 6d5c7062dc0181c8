#include "core/hlo/ir/element_type.h"

#include <array>

#include "core/base/check.h"

namespace hilo {
namespace {

struct Row {
  std::string_view name;
  int number;
  int bits;
  ElementClass elementClass;
};

constexpr std::array<Row, kElementTypeCount> kRows = {{
#define ELEMENT_TYPE(enumerator, name, number, bits, klass) {name, number, bits, ElementClass::klass},
#include "core/hlo/ir/element_types.def"
}};

const Row& row(ElementType type) { return kRows[static_cast<size_t>(type)]; }

}  // namespace

std::string_view elementTypeName(ElementType type) { return row(type).name; }

std::optional<ElementType> elementTypeFromName(std::string_view name) {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

int elementTypeNumber(ElementType type) { return row(type).number; }

std::optional<ElementType> elementTypeFromNumber(int number) {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].number == number) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

ElementClass elementClass(ElementType type) { return row(type).elementClass; }

int elementBits(ElementType type) { return row(type).bits; }

int elementStorageBytes(ElementType type) { return (row(type).bits + 7) / 8; }

ElementType complexComponent(ElementType type) {
  CHECK(isComplex(type));
  return type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
}

}  // namespace hilo
