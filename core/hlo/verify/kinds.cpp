#include "core/hlo/verify/kinds.h"

#include "core/base/enum_table.h"

namespace hilo {

std::string_view verifyKindText(VerifyKind kind) {
  static constexpr EnumTable<VerifyKind, std::string_view> kTexts({
#define KIND(name, text, effect) text,
#include "core/hlo/verify/kinds.def"
  });
  return kTexts[kind];
}

bool breaksReaders(std::string_view kindText) {
  enum class Effect : uint8_t { Breaks, Stands };
  static constexpr EnumTable<VerifyKind, Effect> kEffects({
#define KIND(name, text, effect) Effect::effect,
#include "core/hlo/verify/kinds.def"
  });
  for (size_t i = 0; i < enumCount<VerifyKind>(); ++i) {
    const auto kind = static_cast<VerifyKind>(i);
    if (verifyKindText(kind) == kindText) return kEffects[kind] == Effect::Breaks;
  }
  return true;
}

}  // namespace hilo
