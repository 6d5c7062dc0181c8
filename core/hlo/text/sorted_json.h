// JSON with the keys of every object in order, so that two configs that mean the same print the same.
#pragma once

#include <string>
#include <string_view>

namespace hilo {

// `text` itself when it is no JSON.
std::string sortedJson(std::string_view text);

}  // namespace hilo
