#include "core/runtime/program/checks/check_thunk.h"

namespace hilo {
namespace {

Status checkAttribute(const CustomCallAttribute& attribute, const CheckedThunk& at) {
  const bool fits = attribute.kind <= 1   ? attribute.integers.size() == 1
                    : attribute.kind == 2 ? attribute.floats.size() == 1
                                          : attribute.kind <= 5;
  if (!fits) return at.malformed("has an attribute without its value");
  return {};
}

Status checkArray(const CustomCallArray& array, const BufferSlice& slice, const CheckedThunk& at) {
  if (!isArrayElement(array.type) || array.minorToMajor.size() != array.dimensions.size())
    return at.malformed("has an array of no type");
  __int128 bytes = elementStorageBytes(array.type);
  for (const int64_t size : array.dimensions) {
    if (size < 0 || bytes > slice.sizeBytes) return at.malformed("has a wrong size");
    bytes *= size;
  }
  if (bytes != slice.sizeBytes) return at.malformed("has a wrong size");
  return {};
}

}  // namespace

Status check(const CustomCallThunk& thunk, const CheckedThunk& at) {
  if (thunk.operandArrays.size() != thunk.operands.size() ||
      thunk.resultArrays.size() != thunk.results.size())
    return at.malformed("has other arrays than buffers");
  for (const CustomCallAttribute& attribute : thunk.attributes) TRY_STATUS(checkAttribute(attribute, at));
  for (size_t i = 0; i < thunk.operands.size(); ++i)
    TRY_STATUS(checkArray(thunk.operandArrays[i], thunk.operands[i], at));
  for (size_t i = 0; i < thunk.results.size(); ++i)
    TRY_STATUS(checkArray(thunk.resultArrays[i], thunk.results[i], at));
  return {};
}

}  // namespace hilo
