// HLO's sharding text, `{devices=[2,1]<=[2]}`, as its message.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

#include "core/hlo/proto/schema/hlo.pb.h"

namespace hilo::stablehlo {

// Text in braces, or (as older exports have it) a serialized OpSharding. Nothing when it is neither.
std::optional<pb::OpSharding> parseSharding(llvm::StringRef text);
// The text; nothing for named shardings, which it cannot say.
std::optional<std::string> shardingText(const pb::OpSharding& sharding);

}  // namespace hilo::stablehlo
