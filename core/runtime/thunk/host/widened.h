// oneDNN multiplies bf16 on processors with AVX-512 only. Elsewhere arrays of bf16 are widened to f32 for it,
// and what it makes of them is rounded once, as it does itself.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>

#include "core/hlo/ir/element_type.h"
#include "core/runtime/program/thunks.h"
#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

// Whether oneDNN multiplies this type, f32 or bf16, on this processor. Asked once.
bool libraryHas(ElementType type);

// An array of three dimensions, row-major and dense, from bf16 at `from` with these strides, in elements.
std::unique_ptr<float[]> widened(const std::byte* from, const std::array<int64_t, 3>& sizes,
                                 const std::array<int64_t, 3>& strides);
// The way back, rounded to nearest even.
void narrow(const float* from, const std::array<int64_t, 3>& sizes, const std::array<int64_t, 3>& strides,
            std::byte* to);

// Runs `work` on the convolution with every array of bf16 in f32.
void inF32(const ConvolutionThunk& thunk, const ThunkContext& context,
           const std::function<void(const ConvolutionThunk&, const ThunkContext&)>& work);

}  // namespace hilo
