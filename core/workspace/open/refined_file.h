// Files whose module leaves sizes open, with sizes.
#pragma once

#include <string_view>

#include "core/workspace/open/opened.h"

namespace hilo {

// The file with its module refined for arguments of these shapes, "3,f32[3,2],_" (parseArgumentSpecs;
// "none" where it takes none); it is no longer what was read. Error kinds: those of
// parseArgumentSpecs and refineShapes.
Result<std::shared_ptr<const OpenedFile>> refinedFile(const OpenedFile& file, std::string_view shapes);

}  // namespace hilo
