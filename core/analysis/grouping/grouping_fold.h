// Which instructions the graph need not draw as boxes of their own: elements taken out of a tuple, small
// constants, and single values spread over a shape. They say what their users work on, not what is computed,
// so each is shown as a tag on its users.
#pragma once

#include <string>

#include "core/hlo/ir/module.h"

namespace hilo {

enum class FoldKind : uint8_t {
  None,
  TupleElement,  // get-tuple-element: its users are joined to where the tuple comes from
  Value,         // a small constant, or one number through broadcast, convert, reshape or copy
};

// None for roots, for what nobody uses, and for what takes part in control dependencies as the later one.
FoldKind foldKind(const Instruction& instruction);

// The tag: "#3", "0.5", "s32(0.5)" where it was converted, "f32[4]" for what is not one number.
std::string foldedText(const Instruction& instruction);

}  // namespace hilo
