#include "core/compiler/codegen/warpgroup/kernel_types.h"

#include <algorithm>
#include <array>

namespace hilo::warpgroup {
namespace {

struct Named {
  std::string_view name;
  ElementType type;
};
constexpr Named kTypes[] = {{"i1", ElementType::Pred},       {"i4", ElementType::S4},
                            {"i8", ElementType::S8},         {"i16", ElementType::S16},
                            {"i32", ElementType::S32},       {"i64", ElementType::S64},
                            {"index", ElementType::S64},     {"barrier", ElementType::S64},
                            {"bf16", ElementType::BF16},     {"f16", ElementType::F16},
                            {"f32", ElementType::F32},       {"tf32", ElementType::F32},
                            {"f64", ElementType::F64},       {"f8E4M3FN", ElementType::F8E4M3FN},
                            {"f8E5M2", ElementType::F8E5M2}, {"f8E8M0FNU", ElementType::F8E8M0FNU},
                            {"!llvm.ptr", ElementType::S64}};

constexpr std::array kSigned = {ElementType::S4, ElementType::S8, ElementType::S16, ElementType::S32,
                                ElementType::S64};
constexpr std::array kUnsigned = {ElementType::U4, ElementType::U8, ElementType::U16, ElementType::U32,
                                  ElementType::U64};
static_assert(kSigned.size() == kUnsigned.size());

ElementType inOther(const auto& from, const auto& to, ElementType type) {
  const auto at = std::ranges::find(from, type);
  return at == from.end() ? type : to[static_cast<size_t>(at - from.begin())];
}

}  // namespace

std::optional<ElementType> elementTypeNamed(std::string_view name) {
  const auto at = std::ranges::find(kTypes, name, &Named::name);
  return at == std::end(kTypes) ? std::nullopt : std::optional(at->type);
}

ElementType asSigned(ElementType type) { return inOther(kUnsigned, kSigned, type); }
ElementType asUnsigned(ElementType type) { return inOther(kSigned, kUnsigned, type); }

}  // namespace hilo::warpgroup
