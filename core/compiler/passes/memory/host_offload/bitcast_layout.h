// Layouts seen through a bitcast.
#pragma once

#include "core/hlo/ir/shape.h"

namespace hilo {

// The layout that an array of shape `to` has where an array of shape `from` has layout `other`, and the array
// is the other renamed: as `from` lies, element by element, so lies `to`. Dimensions of size 1 come and go,
// and are the slowest. nullopt where dimensions are split or merged, or one of the shapes states no layout.
std::optional<Layout> layoutBehindBitcast(Shape from, Shape to, const Layout& other);

}  // namespace hilo
