#include "core/compiler/codegen/simulate/translations.h"

namespace hilo {

Status (*translationOf(PtxOp op))(FunctionEmitter& f) {
  static const auto& kTranslations = *new absl::flat_hash_map<PtxOp, Status (*)(FunctionEmitter&)>{
#define TRANSLATION(op, function) {PtxOp::op, function},
#include "core/compiler/codegen/simulate/translations.def"
  };
  const auto found = kTranslations.find(op);
  return found == kTranslations.end() ? nullptr : found->second;
}

Status emitNothing(FunctionEmitter&) { return {}; }

}  // namespace hilo
