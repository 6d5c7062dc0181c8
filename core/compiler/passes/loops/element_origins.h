// Origins of tuples whose elements come, go or are flattened: an origin has a node for each element.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// `to` has the elements of `from` with `keep`. Nothing where `from` has no origin for each of its elements.
void takeOriginsOf(const Instruction& from, Instruction& to, const std::vector<bool>& keep);
// The tuple has one more element, of unknown origin.
void addUnknownOrigin(Instruction& tuple);
// `to` has the arrays of `from`, of tuples within tuples, in order.
void takeFlatOrigins(const Instruction& from, Instruction& to);

}  // namespace hilo
