// Reductions that leave the fastest varying dimension.
#include "core/compiler/codegen/gpu/lowerings.h"
namespace hilo::gpu {
Result<bool> lowerColumns(const Instruction&, LoweringContext&) { return false; }
}  // namespace hilo::gpu
