// What dots and convolutions have in common. Private to the room.
#pragma once

#include <vector>

#include "core/runtime/program/checks/check_thunk.h"

namespace hilo {

// The types that the library multiplies, and what it makes of them.
Status checkLibraryTypes(ElementType type, ElementType result, const CheckedThunk& at);

// Matrices of `rows` by `columns`, one for each index of `batch`, whose elements of `bytes` lie `strides`
// apart within the slice: [batch..., rows, columns].
Status checkStridedMatrix(const std::vector<int64_t>& strides, std::vector<int64_t> batch, int64_t rows,
                          int64_t columns, const BufferSlice& slice, int bytes, const CheckedThunk& at);

}  // namespace hilo
