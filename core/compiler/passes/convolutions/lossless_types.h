// Whether values written in one type are all values of a narrower one, so that a library can read them there.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// True of what has the type, is converted from it without loss, is a constant whose numbers the type has, or
// moves or repeats one of these.
bool isLosslessAs(const Instruction& value, ElementType type);
// The value in that type, in front of `before`, without the conversion behind it.
Instruction* narrowedTo(Instruction* value, ElementType type, Instruction& before);
// The type has the number.
bool hasNumber(ElementType type, double number);

}  // namespace hilo
