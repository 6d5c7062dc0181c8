#include <algorithm>
#include <span>

#include "core/runtime/program/checks/matrices.h"

namespace hilo {
namespace {

// Every size at least one and no element outside the slice: `sizes` elements of `elementBytes`, which lie
// dense, or at the strides given.
Status checkFits(const std::vector<int64_t>& sizes, std::span<const int64_t> strides, int64_t elementBytes,
                 const BufferSlice& slice, const CheckedThunk& at) {
  __int128 count = 1, last = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 1 || (!strides.empty() && strides[d] < 0))
      return at.malformed("has an array without elements");
    count *= sizes[d];
    if (!strides.empty()) last += static_cast<__int128>(sizes[d] - 1) * strides[d];
    if (count > slice.sizeBytes || last > slice.sizeBytes) return at.malformed("reaches outside an array");
  }
  const __int128 elements = strides.empty() ? count : std::max(count, last + 1);
  if (elements * elementBytes > slice.sizeBytes) return at.malformed("reaches outside an array");
  return {};
}

Status checkSpace(const ConvolutionThunk& c, const CheckedThunk& at) {
  const size_t rank = c.inputSizes.size();
  const auto is = [&](const std::vector<int64_t>& list) { return list.size() == rank; };
  if (rank < 1 || rank > 3 || !is(c.outputSizes) || !is(c.filterSizes) || !is(c.strides) ||
      !is(c.dilations) || !is(c.paddings) || c.filterStrides.size() != rank + 3)
    return at.malformed("has no space to go over");
  constexpr int64_t kMost = int64_t{1} << 31;
  for (size_t d = 0; d < rank; ++d) {
    for (const int64_t number : {c.inputSizes[d], c.outputSizes[d], c.filterSizes[d], c.strides[d],
                                 c.dilations[d], c.paddings[d] + 1}) {
      if (number < 1 || number > kMost) return at.malformed("has a wrong size");
    }
    const __int128 behind = static_cast<__int128>(c.outputSizes[d] - 1) * c.strides[d] +
                            static_cast<__int128>(c.filterSizes[d] - 1) * c.dilations[d] + 1 -
                            c.inputSizes[d] - c.paddings[d];
    if (behind <= -c.strides[d] || behind > kMost)
      return at.malformed("has sizes that do not belong together");
  }
  return {};
}

}  // namespace

Status check(const ConvolutionThunk& thunk, const CheckedThunk& at) {
  const ConvolutionThunk& c = thunk;
  TRY_STATUS(checkLibraryTypes(c.type, c.resultType, at));
  if (c.kind == ConvolutionKind::Unset) return at.malformed("is of no kind");
  TRY_STATUS(checkSpace(c, at));
  for (const int64_t size : {c.batch, c.groups, c.inputFeatures, c.outputFeatures}) {
    if (size < 1 || size > int64_t{1} << 31) return at.malformed("has a wrong size");
  }
  const auto joined = [](std::vector<int64_t> sizes, const std::vector<int64_t>& space) {
    sizes.insert(sizes.end(), space.begin(), space.end());
    return sizes;
  };
  const bool isInput = c.kind == ConvolutionKind::Dgrad, isFilter = c.kind == ConvolutionKind::Wgrad;
  const int64_t bytes = elementStorageBytes(c.type), resultBytes = elementStorageBytes(c.resultType);
  const BufferSlice& input = isInput ? static_cast<const BufferSlice&>(c.result) : c.lhs;
  const BufferSlice& output = isInput    ? static_cast<const BufferSlice&>(c.lhs)
                              : isFilter ? static_cast<const BufferSlice&>(c.rhs)
                                         : c.result;
  const BufferSlice& filter = isFilter ? static_cast<const BufferSlice&>(c.result) : c.rhs;
  TRY_STATUS(checkFits(joined({c.batch, c.groups, c.inputFeatures}, c.inputSizes), {},
                       isInput ? resultBytes : bytes, input, at));
  TRY_STATUS(checkFits(joined({c.batch, c.groups, c.outputFeatures}, c.outputSizes), {},
                       isInput || isFilter ? bytes : resultBytes, output, at));
  return checkFits(joined({c.groups, c.outputFeatures, c.inputFeatures}, c.filterSizes), c.filterStrides,
                   isFilter ? resultBytes : bytes, filter, at);
}

}  // namespace hilo
