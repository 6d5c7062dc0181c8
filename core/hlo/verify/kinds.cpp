#include "core/hlo/verify/kinds.h"

namespace hilo {

std::string_view verifyKindText(VerifyKind kind) {
  static constexpr std::string_view kTexts[kVerifyKindCount] = {
#define KIND(name, text) text,
#include "core/hlo/verify/kinds.def"
  };
  return kTexts[static_cast<size_t>(kind)];
}

}  // namespace hilo
