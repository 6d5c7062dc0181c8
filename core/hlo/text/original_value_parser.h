// origin={...}: which array of the unoptimised module a value stands for, as a tree of tuples. Grammar
// matched: XLA's hlo_parser.cc ParseOriginalValueImpl, and the older form with the array's name without
// quotes or braces of its own.
#pragma once

#include "core/hlo/ir/payloads.h"
#include "core/hlo/text/reader.h"

namespace hilo {

// "{{"add.1"}}", "{({"a" {0}}, {})}", "{[synthetic_call]}".
bool readOriginalValue(Reader& reader, OriginalValue& value);

}  // namespace hilo
