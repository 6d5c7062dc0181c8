// Attributes of kernel_text.h.
#pragma once

#include <string_view>

#include "core/analysis/kernel_layouts/inference/kernel_description.h"

namespace hilo::inference {

// Parts between the commas that no bracket encloses, without space around them; empty text has none.
std::vector<std::string_view> partsOf(std::string_view text);
std::string_view trimmed(std::string_view text);

// "64x?x8": sizes; nothing when it is no such list.
Result<int64_t> parseSize(std::string_view text);
Result<KernelAttribute> parseAttribute(std::string_view name, std::string_view text);
// What parseAttribute reads of that name.
std::string attributeText(std::string_view name, const KernelAttribute& attribute);

}  // namespace hilo::inference
