// Asking about constants and making them, for rules that look for a zero or a one.
#pragma once

#include <optional>

#include "core/hlo/ir/module.h"

namespace hilo::algebra {

// Every element of the value is `number` (a constant, or a broadcast of one). False for elided constants, and
// for types that cannot hold the number exactly. Zeros of either sign are 0.
bool isAll(const Instruction& value, double number);
// Every bit of every element is one (pred: true).
bool isAllOnes(const Instruction& value);
// The one number every element of a real float or integer constant has; nullopt when there is none, or it
// is no double.
std::optional<double> splatValue(const Instruction& value);
// A scalar integer constant's value.
std::optional<int64_t> scalarInteger(const Instruction& value);

// Element `k`, in row-major order, of a constant of real numbers; nullopt where it is not known.
std::optional<double> numberAt(const Instruction& constant, int64_t k);
// The scalar constant that every element of this constant is, made in front of it; null where they differ.
Instruction* splatScalar(Instruction& constant);

// A value of `shape` with every element `number`, in front of `before`: a constant, broadcast if need be.
Instruction* makeSplat(Instruction& before, Shape shape, double number);

}  // namespace hilo::algebra
