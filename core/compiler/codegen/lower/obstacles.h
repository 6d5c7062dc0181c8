// What keeps an instruction from being lowered. A line of a lowerings.def names the function that knows.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/diagnostic.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Whether a plug-in takes custom calls of this target.
using HasHandler = std::function<bool(std::string_view target)>;
// nullopt: nothing does.
using FindObstacle = std::optional<Diagnostic> (*)(const Instruction& instruction,
                                                   const HasHandler& hasHandler);

inline std::optional<Diagnostic> noObstacle(const Instruction&, const HasHandler&) { return std::nullopt; }
// A computation it applies to single elements has operations on whole arrays.
std::optional<Diagnostic> appliedObstacle(const Instruction& instruction, const HasHandler&);
// Its first operand is neither of floats nor of complex numbers.
std::optional<Diagnostic> integerObstacle(const Instruction& instruction, const HasHandler&);
// Its first operand is of complex numbers.
std::optional<Diagnostic> complexObstacle(const Instruction& instruction, const HasHandler&);

// A Diagnostic of the instruction.
Diagnostic obstacle(const Instruction& instruction, std::string kind, std::string message);
// The operation has no meaning for the element type.
Diagnostic typeObstacle(const Instruction& instruction, ElementType type);

}  // namespace hilo
