// Writes bitcast-converts between elements of different widths as shifts of unsigned integers, since no
// bitcast of layouts can be made of them: a wide element is the ones beside each other in the last dimension,
// the lowest bits first. Of arrays in row-major order. As XLA's
// hlo/transforms/expanders/bitcast_dtypes_expander.cc; complex numbers stay, as no integer has
// their bits.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandBitcastTypes(Module& module, PassContext& context);

}  // namespace hilo
