// Opcodes and what is known of each from the table alone (ops.def).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/hlo/ir/attribute.h"

namespace hilo {

enum class Opcode : uint8_t {
#define OP(name, ...) name,
#include "core/hlo/ir/ops.def"
};
inline constexpr int kOpcodeCount = 0
#define OP(...) +1
#include "core/hlo/ir/ops.def"
    ;

// A coarse class: colouring, histograms, and the families that verifier and evaluator are split by.
enum class OpcodeClass : uint8_t {
  ElementwiseUnary,
  ElementwiseBinary,
  ElementwiseTernary,
  DataMovement,
  Contraction,
  Reduction,
  Collective,
  Communication,
  ControlFlow,
  Fusion,
  CustomCall,
  Async,
  Random,
  Tuple,
  Leaf,
  Ordering,
};
inline constexpr int kOpcodeClassCount = 16;

// XLA's text name ("" for Opaque).
std::string_view opcodeName(Opcode opcode);
std::optional<Opcode> opcodeFromName(std::string_view name);
std::optional<int> opcodeArity(Opcode opcode);  // nullopt: varies
OpcodeClass opcodeClass(Opcode opcode);
std::string_view opcodeClassName(OpcodeClass opcodeClass);
// The opcode's own attributes, in print order.
std::span<const Attr> opcodeAttributes(Opcode opcode);
// Where an attribute is printed among all that an instruction of this opcode may have: its own first, then
// the common ones. Attributes the opcode does not list come between.
int attributeRank(Opcode opcode, Attr attr);
inline bool isElementwise(Opcode opcode) { return opcodeClass(opcode) <= OpcodeClass::ElementwiseTernary; }

}  // namespace hilo
