// Operations that take each element by itself.
#pragma once

#include <functional>
#include <span>

#include "core/compiler/codegen/warpgroup/kernel_lowering.h"

namespace hilo::warpgroup {

// All operands, laid out as the result is.
Result<std::vector<RegisterArray>> operandsOf(KernelLowering& lowering, OpId op, size_t count);

using OfElements = std::function<Scalar(std::span<const Scalar>)>;

// The result's element from those of the operands in the same place; a splat's is everywhere.
Status giveEach(KernelLowering& lowering, OpId op, std::span<const RegisterArray> operands, ElementType type,
                const OfElements& of);

}  // namespace hilo::warpgroup
