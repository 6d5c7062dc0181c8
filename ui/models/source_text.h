// Where an instruction comes from in the user's program, as a cell of a table says it.
#pragma once

#include <QString>

#include "core/hlo/ir/instruction.h"

namespace hilo {

// ".../layers/model.py:420" of the innermost frame, cut at its left where the path has more folders; "" where
// the metadata has no line.
QString sourceText(const Instruction& instruction);
// The same, whole.
QString wholeSourceText(const Instruction& instruction);

}  // namespace hilo
