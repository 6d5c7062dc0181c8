#include <algorithm>

#include "core/runtime/program/checks/check_thunk.h"

namespace hilo {
namespace {

template <typename Slice>
Status checkFed(Shape shape, const std::vector<Slice>& slices, const CheckedThunk& at) {
  const auto leaves = arrayLeaves(shape);
  const bool fits = std::ranges::equal(leaves, slices, [](Shape leaf, const Slice& slice) {
    return !leaf.isDynamic() && bufferBytes(leaf) == slice.sizeBytes;
  });
  if (!fits) return at.malformed("has other arrays than buffers");
  return {};
}

}  // namespace

Status check(const InfeedThunk& thunk, const CheckedThunk& at) {
  return checkFed(thunk.shape, thunk.results, at);
}

Status check(const OutfeedThunk& thunk, const CheckedThunk& at) {
  if (!at.program.givesOutfeed) return at.malformed("gives what the program does not");
  return checkFed(thunk.shape, thunk.operands, at);
}

}  // namespace hilo
