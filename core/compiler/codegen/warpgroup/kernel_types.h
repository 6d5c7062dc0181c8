// Element types of kernels as those of HLO, which the scalar code knows.
#pragma once

#include <optional>
#include <string_view>

#include "core/hlo/ir/element_type.h"

namespace hilo::warpgroup {

// "bf16", "i32" (signed), "index" (64 bits), "i1" (a predicate), "!llvm.ptr" (64 bits); nothing of others.
std::optional<ElementType> elementTypeNamed(std::string_view name);

// The same bits, with and without sign; floats and predicates as they are.
ElementType asSigned(ElementType type);
ElementType asUnsigned(ElementType type);

}  // namespace hilo::warpgroup
