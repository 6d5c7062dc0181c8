// The values of a literal, shortened for one line: "{1, 2, 3, ... 997 more}".
#pragma once

#include <QString>

#include "core/hlo/ir/literal.h"

namespace hilo {

QString literalText(const Literal& literal, int maxElements = 32);
// One element, counted in row-major order; empty when there is none.
std::string elementText(const Literal& literal, int64_t index);

}  // namespace hilo
