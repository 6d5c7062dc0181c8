// How well a name fits what was typed: the typed letters in order, case aside.
#pragma once

#include <string_view>

namespace hilo {

// -1: does not fit. Higher is better: a name that starts with the text, then one that holds it, then letters
// at the starts of words, then letters close together; shorter names first among equals.
int fuzzyScore(std::string_view typed, std::string_view name);

}  // namespace hilo
