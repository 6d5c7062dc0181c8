#include "core/runtime/thunk/host/widened.h"

#include "core/base/float_formats.h"
#include "core/runtime/thunk/host/library.h"

namespace hilo {
namespace {

// By the description of a small product.
bool multipliesBf16() {
  const auto array = stridedArray(ElementType::BF16, {16, 16}, {16, 1});
  try {
    const dnnl::matmul::primitive_desc product(dnnl::matmul::desc(array, array, array), libraryEngine());
    return true;
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented) throw;
    return false;
  }
}

template <typename Move>
void forEachElement(const std::array<int64_t, 3>& sizes, const std::array<int64_t, 3>& strides, Move move) {
  int64_t dense = 0;
  for (int64_t i = 0; i < sizes[0]; ++i) {
    for (int64_t j = 0; j < sizes[1]; ++j) {
      const int64_t line = i * strides[0] + j * strides[1];
      for (int64_t k = 0; k < sizes[2]; ++k) move(dense++, line + k * strides[2]);
    }
  }
}

// The arrays of a thunk as allocations of their own, by the number that their slice gets.
class OwnArrays {
 public:
  // The whole slice in f32; `type` is what it holds.
  BufferSlice add(const BufferSlice& slice, ElementType type, const ThunkContext& context, bool isRead) {
    const int64_t count = slice.sizeBytes / elementStorageBytes(type);
    const auto number = static_cast<uint32_t>(bases_.size());
    if (type == ElementType::F32) {
      bases_.push_back(context.at(slice));
    } else {
      const std::byte* from = context.at(slice);
      arrays_.push_back(isRead ? widened(from, {1, 1, count}, {0, 0, 1})
                               : std::make_unique_for_overwrite<float[]>(static_cast<size_t>(count)));
      bases_.push_back(reinterpret_cast<std::byte*>(arrays_.back().get()));
    }
    return {
        .allocation = number, .offsetBytes = 0, .sizeBytes = count * elementStorageBytes(ElementType::F32)};
  }
  std::span<std::byte* const> bases() const { return bases_; }

 private:
  std::vector<std::unique_ptr<float[]>> arrays_;
  std::vector<std::byte*> bases_;
};

}  // namespace

bool libraryHas(ElementType type) {
  if (type == ElementType::F32) return true;
  static const bool has = multipliesBf16();
  return has;
}

std::unique_ptr<float[]> widened(const std::byte* from, const std::array<int64_t, 3>& sizes,
                                 const std::array<int64_t, 3>& strides) {
  auto to = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(sizes[0] * sizes[1] * sizes[2]));
  const auto* elements = reinterpret_cast<const uint16_t*>(from);
  forEachElement(sizes, strides, [&](int64_t dense, int64_t strided) {
    to[static_cast<size_t>(dense)] = std::bit_cast<float>(uint32_t{elements[strided]} << 16);
  });
  return to;
}

void narrow(const float* from, const std::array<int64_t, 3>& sizes, const std::array<int64_t, 3>& strides,
            std::byte* to) {
  auto* elements = reinterpret_cast<BF16*>(to);
  forEachElement(sizes, strides,
                 [&](int64_t dense, int64_t strided) { elements[strided] = BF16(from[dense]); });
}

void inF32(const ConvolutionThunk& thunk, const ThunkContext& context,
           const std::function<void(const ConvolutionThunk&, const ThunkContext&)>& work) {
  OwnArrays arrays;
  ConvolutionThunk wide = thunk;
  wide.lhs = ReadSlice(arrays.add(thunk.lhs, thunk.type, context, true));
  wide.rhs = ReadSlice(arrays.add(thunk.rhs, thunk.type, context, true));
  wide.result = WriteSlice(arrays.add(thunk.result, thunk.resultType, context, false));
  wide.type = wide.resultType = ElementType::F32;
  ThunkContext own = context;
  own.bases = arrays.bases();
  own.begins = {};
  work(wide, own);
  if (thunk.resultType == ElementType::F32) return;
  const int64_t count = thunk.result.sizeBytes / elementStorageBytes(thunk.resultType);
  narrow(reinterpret_cast<const float*>(own.at(wide.result)), {1, 1, count}, {0, 0, 1},
         context.at(thunk.result));
}

}  // namespace hilo
