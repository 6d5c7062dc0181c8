#include "core/runtime/pjrt/pjrt_types.h"

#include <utility>

namespace hilo {
namespace {

constexpr std::pair<PjrtType, ElementType> kTypes[] = {
#define TYPE(name) {PjrtType::name, ElementType::name}
    TYPE(Pred),       TYPE(S1),
    TYPE(S2),         TYPE(S4),
    TYPE(S8),         TYPE(S16),
    TYPE(S32),        TYPE(S64),
    TYPE(U1),         TYPE(U2),
    TYPE(U4),         TYPE(U8),
    TYPE(U16),        TYPE(U32),
    TYPE(U64),        TYPE(F4E2M1FN),
    TYPE(F6E2M3FN),   TYPE(F6E3M2FN),
    TYPE(F8E3M4),     TYPE(F8E4M3),
    TYPE(F8E4M3FN),   TYPE(F8E4M3B11FNUZ),
    TYPE(F8E4M3FNUZ), TYPE(F8E5M2),
    TYPE(F8E5M2FNUZ), TYPE(F8E8M0FNU),
    TYPE(F16),        TYPE(BF16),
    TYPE(F32),        TYPE(F64),
    TYPE(C64),        TYPE(C128),
    TYPE(Token),
#undef TYPE
};

constexpr const char* kFunctionNames[] = {
#define PJRT_FUNCTION(name, arguments) #name,
#include "core/runtime/pjrt/pjrt_functions.def"
};
static_assert(std::size(kFunctionNames) == kPjrtFunctionCount);

}  // namespace

const char* pjrtFunctionName(PjrtFunction function) { return kFunctionNames[static_cast<size_t>(function)]; }

std::optional<PjrtType> pjrtTypeOf(ElementType type) {
  for (const auto& [number, known] : kTypes) {
    if (known == type) return number;
  }
  return std::nullopt;
}

std::optional<ElementType> elementTypeOf(PjrtType type) {
  for (const auto& [number, known] : kTypes) {
    if (number == type) return known;
  }
  return std::nullopt;
}

}  // namespace hilo
