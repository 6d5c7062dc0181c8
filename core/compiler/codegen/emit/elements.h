// The functions of elements.def, each in the element_*.cpp of its family. Private to this folder.
#pragma once

#include "core/compiler/codegen/emit/element_emitter.h"

namespace hilo {

#define ELEMENT(opcode, function) \
  Scalar function(const Instruction& instruction, ElementIndex& index, ElementEmitter& e);
#include "core/compiler/codegen/emit/elements.def"

Scalar elementwiseElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e);
// Of all results.
std::vector<Scalar> conditional(const Instruction& instruction, ElementEmitter& e);
std::vector<Scalar> reduceWindow(const Instruction& instruction, ElementIndex& index, ElementEmitter& e);

}  // namespace hilo
