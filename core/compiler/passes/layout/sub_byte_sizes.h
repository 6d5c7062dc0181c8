// Says in the layout of every array of a type of less than a byte how many bits an element takes, so that
// elements lie packed. As xla/hlo/transforms/simplifiers/sub_byte_normalization.cc where it sets sizes.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> setSubByteSizes(Module& module, PassContext& context);

}  // namespace hilo
