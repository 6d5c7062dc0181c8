// One function an opcode or family, by the table handlers.def.
#pragma once

#include "core/hlo/eval/eval_context.h"

namespace hilo::eval {

#define HANDLER(opcode, function) \
  Result<Literal> function(const Instruction&, std::span<Literal>, EvalContext&);
#define EXPANDS(opcode, function) HANDLER(opcode, function)
#include "core/hlo/eval/handlers.def"

// Of the opcodes without a row: elementwise.cpp; and of those nobody evaluates, the error.
Result<Literal> elementwise(const Instruction&, std::span<Literal>, EvalContext&);
Result<Literal> unsupported(const Instruction&, std::span<Literal>, EvalContext&);

}  // namespace hilo::eval
