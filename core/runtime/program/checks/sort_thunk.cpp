#include "core/runtime/program/checks/check_thunk.h"

namespace hilo {
namespace {

// An array of lines: `length` elements of `bytes` each a line.
Status checkLines(const SortThunk& thunk, int64_t length, int64_t bytes, const BufferSlice& slice,
                  const CheckedThunk& at) {
  const bool isSize = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
  if (isSize && static_cast<__int128>(thunk.lines) * length * bytes == slice.sizeBytes) return {};
  return at.malformed("does not fit an array");
}

Status checkArrays(const SortThunk& thunk, const CheckedThunk& at) {
  for (size_t i = 0; i < thunk.elementBytes.size(); ++i) {
    TRY_STATUS(checkLines(thunk, thunk.length, thunk.elementBytes[i], thunk.inputs[i], at));
    TRY_STATUS(checkLines(thunk, thunk.kept, thunk.elementBytes[i], thunk.outputs[i], at));
  }
  for (size_t i = 0; i < thunk.keys.size(); ++i) {
    if (thunk.keyBytes[i] > 8) return at.malformed("has a key too wide");
    TRY_STATUS(checkLines(thunk, thunk.length, thunk.keyBytes[i], thunk.keys[i], at));
  }
  for (const WriteSlice& places : thunk.places)
    TRY_STATUS(checkLines(thunk, thunk.kept, sizeof(int32_t), places, at));
  return {};
}

}  // namespace

Status check(const SortThunk& thunk, const CheckedThunk& at) {
  const size_t comparators = thunk.comparator.size(), arrays = thunk.elementBytes.size();
  if (comparators > 1 || (comparators == 0 && (thunk.keys.empty() || thunk.onesAreUnordered)))
    return at.malformed("names no comparator");
  if (arrays == 0 || thunk.inputs.size() != arrays || thunk.outputs.size() != arrays ||
      thunk.keys.size() != thunk.keyBytes.size() || thunk.places.size() > 1)
    return at.malformed("has unequal lists of arrays");
  // No more elements than there are bytes of the first array, so that products stay small.
  const int64_t most = thunk.inputs[0].sizeBytes;
  if (thunk.lines < 1 || thunk.lines > most || thunk.length < 1 || thunk.length > most || thunk.kept < 1 ||
      thunk.kept > thunk.length || thunk.stride < 1 || thunk.lines % thunk.stride != 0)
    return at.malformed("has odd lines");
  return checkArrays(thunk, at);
}

}  // namespace hilo
