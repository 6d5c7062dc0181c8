// Which layouts a value can have in registers and in memory, so that the kernel's code can copy it between
// the two: the rules are those of the lowering in JAX (fragmented_array.py, transfer_tiled; tcgen05.py).
#pragma once

#include "core/analysis/kernel_layouts/inference/layout_constant.h"

namespace hilo::inference {

// What an operation asks of its copy: Optimized without bank conflicts; Downgradable that, or any copy where
// memory is not tiled.
enum class MoveKind : uint8_t { Optimized, Unoptimized, Downgradable };

// An array in shared memory as its type says it lies before transforms.
struct SharedArray {
  Sizes shape;
  Sizes strides;
  int64_t elementBits = 32;
  bool operator==(const SharedArray&) const = default;
};

// `smMajor` is the architecture's (9 of sm_90): the transposing copies of bytes begin with 10.
bool canMoveShared(const SharedArray& array, const SharedTransforms& transforms,
                   const RegisterLayout& registers, MoveKind kind, int64_t smMajor);

// Of matrices; their elements have at most 32 bits.
bool canMoveTensor(const Sizes& shape, int64_t elementBits, const TiledLayout& tensor,
                   const RegisterLayout& registers);

// Registers of one layout made those of another by the threads; `isStrict`: only a splat becomes another one.
bool canRelayout(const RegisterLayout& from, const RegisterLayout& to, int64_t elementBits, bool isStrict);

// A strided layout's dimensions are those of the other's last ones, and only leading ones are repeated.
bool canBroadcastStrided(const StridedLayout& from, const StridedLayout& to, const Sizes& dimensions);

}  // namespace hilo::inference
