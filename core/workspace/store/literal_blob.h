// A literal as bytes for the store: shape as HLO text, then the raw leaves. Private format of the run store,
// read back only through literalFromBlob, which trusts nothing in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/hlo/ir/literal.h"

namespace hilo {

// nullopt when it would take more than `limitBytes`, or when a leaf is elided.
std::optional<std::string> literalToBlob(const Literal& literal, size_t limitBytes);
// Kind "corrupt-literal".
Result<Literal> literalFromBlob(std::string_view blob);

}  // namespace hilo
