// The stable kinds of what the verifier finds. The table is kinds.def.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hilo {

enum class VerifyKind : uint8_t {
#define KIND(name, ...) name,
#include "core/hlo/verify/kinds.def"
};
inline constexpr int kVerifyKindCount = 0
#define KIND(...) +1
#include "core/hlo/verify/kinds.def"
    ;

std::string_view verifyKindText(VerifyKind kind);
// Whether what reads a module may trip over one with a finding of the kind that has this text.
bool breaksReaders(std::string_view kindText);

// The error branch of a rule's Result. The place is filled in by whoever knows the instruction.
inline std::unexpected<Diagnostic> refuse(VerifyKind kind, std::string message, std::string note = {}) {
  Diagnostic diagnostic{.kind = std::string(verifyKindText(kind)), .message = std::move(message)};
  if (!note.empty()) diagnostic.notes.push_back(std::move(note));
  return std::unexpected(std::move(diagnostic));
}

}  // namespace hilo
