// Shape inference: what shape an operation has, from its operands, attributes and called computations.
//
// Matches XLA's service/shape_inference.cc. Results have no layout, but where the result is an operand, an
// element of one or a computation's result, which is given as it is. Operands of different float widths are
// taken and the wider one is given. Dynamic dimensions are carried through.
//
// Not inferable (kind "shape-not-inferable") without a declared shape: parameter, custom-call, bitcast, iota,
// reshape, dynamic-reshape, broadcast of more than a scalar, rng, rng-bit-generator, recv, infeed, an unknown
// opcode; convert, bitcast-convert and stochastic-convert, which need an element type. With a declared shape
// these check what they can and give it back.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// The shape `instruction` should have; the one it has is not looked at. Fits ParseOptions::inferShape.
Result<Shape> inferShape(const Instruction& instruction);

// The same before there is an instruction. `declared` is for the ops above and for what a result says that
// its operands do not (the element type of a dot). `module` gives replica and partition counts; may be null.
Result<Shape> inferShape(Opcode opcode, std::span<const Shape> operands, const AttributeList& attributes,
                         std::optional<Shape> declared = std::nullopt, const Module* module = nullptr);

}  // namespace hilo
