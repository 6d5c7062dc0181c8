// PTX as plain data: what a text says, without its scopes. Registers, labels and names of inner scopes are
// made distinct by the reader, so that a function is a list of instructions over one list of registers.
// Source: PTX ISA 9.0.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/runtime/ptx/ptx_ops.h"

namespace hilo {

enum class PtxTypeKind : uint8_t { Bits, Unsigned, Signed, Float, Brain, Tensor, Predicate, Opaque };

// ".f16x2" is Float, 16 bits, 2 lanes; ".tf32" is Tensor; a texture reference is Opaque.
struct PtxType {
  PtxTypeKind kind = PtxTypeKind::Bits;
  uint16_t bits = 32;  // of one lane
  uint8_t lanes = 1;

  bool isFloat() const {
    return kind == PtxTypeKind::Float || kind == PtxTypeKind::Brain || kind == PtxTypeKind::Tensor;
  }
  bool isSigned() const { return kind == PtxTypeKind::Signed; }
  // In memory and in a register.
  uint32_t totalBits() const { return uint32_t{bits} * lanes; }
  friend bool operator==(const PtxType&, const PtxType&) = default;
};

// Of "f32", without the dot; false where the word is no type.
bool readPtxType(std::string_view word, PtxType& type);
std::string toString(const PtxType& type);

enum class PtxSpace : uint8_t { Generic, Const, Global, Local, Param, Shared, Register };
std::string_view ptxSpaceName(PtxSpace space);  // "shared"

enum class PtxLinkage : uint8_t { Internal, Visible, Extern, Weak, Common };

// Where a name's address stands in initial bytes: 8 or 4 of them at `offset`.
struct PtxSymbolAt {
  uint32_t offset = 0;
  uint32_t bytes = 8;
  std::string name;
  int64_t addend = 0;
  bool isGeneric = false;  // generic(name): its generic address
};

struct PtxVariable {
  PtxSpace space = PtxSpace::Global;
  PtxLinkage linkage = PtxLinkage::Internal;
  PtxType type;
  uint32_t vector = 1;     // 2 or 4: .v2, .v4
  uint64_t alignment = 0;  // as written; 0: that of the type
  std::string name;
  bool isArray = false;
  uint64_t elements = 1;             // 0: an array without a size ([])
  std::vector<std::byte> initial;    // shorter than the variable: the rest is zero
  std::vector<PtxSymbolAt> symbols;  // in `initial`
  bool isPointer = false;            // of a parameter: .ptr, and what it says of it
  PtxSpace pointee = PtxSpace::Generic;
  uint64_t pointeeAlignment = 0;
  uint32_t line = 0;

  uint64_t elementBytes() const { return (uint64_t{type.totalBits()} * vector + 7) / 8; }
  uint64_t bytes() const { return elementBytes() * elements; }
  uint64_t alignedTo() const { return alignment != 0 ? alignment : std::max<uint64_t>(1, elementBytes()); }
};

struct PtxOperand {
  enum class Kind : uint8_t {
    Register,  // index
    Special,   // name: "%tid.x"
    Integer,   // bits
    Float,     // bits of an f32 (wide: f64): 0f3F800000
    Name,      // of a variable, a function, a label or a prototype, plus `bits`
    Address,   // [parts[0] + bits], with a vector of coordinates as parts[1]
    Vector,    // {parts}
    Pair,      // parts[0]|parts[1]
    List,      // (parts), of a call
    Sink       // _
  };
  Kind kind = Kind::Sink;
  bool negated = false;  // !%p1
  bool wide = false;
  uint32_t index = 0;
  uint64_t bits = 0;
  std::string name;
  std::vector<PtxOperand> parts;
};

struct PtxInstruction {
  static constexpr uint32_t kNone = ~uint32_t{0};

  PtxOp op = PtxOp::Unknown;
  std::string opcode;                  // as written, with modifiers: "ld.global.nc.v4.u32"
  std::vector<std::string> modifiers;  // after the family's name, in order: "global", "nc", "v4", "u32"
  uint32_t guard = kNone;              // the register of @%p1
  bool guardNegated = false;
  std::vector<PtxOperand> operands;
  uint32_t line = 0, column = 0;
  uint32_t source = kNone;  // in PtxFunction::sources

  bool has(std::string_view modifier) const;
};

struct PtxRegister {
  std::string name;
  PtxType type;
};
struct PtxLabel {
  std::string name;
  uint32_t at = 0;  // of the instruction it stands before; the number of instructions at the end
};
// .loc
struct PtxSource {
  uint32_t file = 0, line = 0, column = 0;
  std::string inlined;  // the rest of the directive: "function_name $L__info_string0, inlined_at 1 23 0"
  friend bool operator==(const PtxSource&, const PtxSource&) = default;
};
// .callprototype, .calltargets and .branchtargets, each with a label.
struct PtxPrototype {
  std::string name;
  std::vector<PtxVariable> returns, params;
};
struct PtxTargets {
  std::string name;
  bool areBranches = true;
  std::vector<std::string> targets;
};
// .maxntid 128, 1, 1
struct PtxAttribute {
  std::string name;
  std::vector<uint64_t> values;
};

struct PtxFunction {
  std::string name;
  bool isEntry = false, hasBody = false;
  PtxLinkage linkage = PtxLinkage::Internal;
  std::vector<PtxVariable> returns, params;
  std::vector<PtxAttribute> attributes;
  std::vector<PtxRegister> registers;  // those that are used
  std::vector<PtxVariable> variables;  // declared in the body
  std::vector<PtxLabel> labels;        // by place
  std::vector<PtxPrototype> prototypes;
  std::vector<PtxTargets> targets;
  std::vector<PtxSource> sources;
  std::vector<PtxInstruction> instructions;
  uint32_t line = 0;

  // Null where there is none of this name.
  const PtxAttribute* attribute(std::string_view name) const;
};

struct PtxModule {
  int majorVersion = 0, minorVersion = 0;
  std::vector<std::string> target;  // "sm_90a", "debug"
  int addressBits = 64;
  std::vector<std::pair<uint32_t, std::string>> files;  // .file
  std::vector<PtxVariable> variables;
  std::vector<PtxFunction> functions;  // declarations too

  // The one with a body before one without; null where there is none of this name.
  const PtxFunction* function(std::string_view name) const;
  const PtxVariable* variable(std::string_view name) const;
};

}  // namespace hilo
