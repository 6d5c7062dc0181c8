// What a layout variable can stand for: how an array lies in registers, in tensor memory or in shared memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/analysis/kernel_layouts/register_layout.h"
#include "core/base/result.h"

namespace hilo::inference {

enum class MemorySpace : uint8_t { None, Registers, Shared, Tensor, Global };

struct TensorLayout {
  TiledLayout layout;  // canonical
  bool operator==(const TensorLayout&) const = default;
};

// Of an array in shared memory: cut into tiles along its last dimensions, chunks of 16 bytes exchanged.
struct SharedTransforms {
  Sizes tile;                // empty: not tiled
  int64_t swizzleBytes = 0;  // 32, 64 or 128; 0: none
  bool operator==(const SharedTransforms&) const = default;
};

// Tiled layouts are canonical, so that equal ones are the same map.
using LayoutConstant = std::variant<RegisterLayout, TensorLayout, SharedTransforms>;

// Of a constant in registers; nullptr for all others.
const TiledLayout* asTiled(const LayoutConstant& constant);
const StridedLayout* asStrided(const LayoutConstant& constant);
const SplatLayout* asSplat(const LayoutConstant& constant);
LayoutConstant inRegisters(const RegisterLayout& layout);
LayoutConstant inTensorMemory(const TiledLayout& layout);

MemorySpace spaceOf(const LayoutConstant& constant);

// "WGMMA", "WGStridedFragLayout(shape=(128,), vec_size=1)", "TMEM_DEFAULT(packing=2)",
// "tile(8, 64) swizzle(128)", "none": the name of a family where it has one.
std::string toString(const LayoutConstant& constant);
std::string toString(MemorySpace space);

// Reads what toString writes of shared memory; "kernel-text" otherwise.
Result<SharedTransforms> parseSharedTransforms(std::string_view text);

}  // namespace hilo::inference
