// Arrays from the host and to it, in whatever order their elements lie there.
#include <fmt/format.h>

#include "app/pjrt/functions.h"
#include "core/hlo/ir/element_type.h"
#include "core/runtime/pjrt/pjrt_types.h"

namespace hilo {
namespace {

// Bytes from one element to the next along each dimension of an array without gaps.
std::vector<int64_t> stridesOf(std::span<const int64_t> sizes, std::span<const int64_t> minorToMajor,
                               int64_t elementBytes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = elementBytes;
  for (const int64_t dimension : minorToMajor) {
    strides[static_cast<size_t>(dimension)] = stride;
    stride *= sizes[static_cast<size_t>(dimension)];
  }
  return strides;
}

// Calls `copy` with the distance of each element from the first, in row-major order.
template <typename Copy>
void eachElement(std::span<const int64_t> sizes, std::span<const int64_t> strides, Copy&& copy) {
  if (std::ranges::find(sizes, 0) != sizes.end()) return;
  std::vector<int64_t> index(sizes.size());
  int64_t distance = 0;
  while (true) {
    copy(distance);
    size_t d = sizes.size();
    for (; d > 0; --d) {
      distance += strides[d - 1];
      if (++index[d - 1] < sizes[d - 1]) break;
      distance -= strides[d - 1] * sizes[d - 1];
      index[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

bool isPermutation(std::span<const int64_t> minorToMajor, size_t rank) {
  std::vector<bool> seen(rank);
  for (const int64_t d : minorToMajor) {
    if (d < 0 || std::cmp_greater_equal(d, rank) || seen[static_cast<size_t>(d)]) return false;
    seen[static_cast<size_t>(d)] = true;
  }
  return minorToMajor.size() == rank;
}

// The strides a layout asks for; of no layout those of row-major order.
Result<std::vector<int64_t>> hostStrides(const PjrtLayout* layout, Shape shape) {
  const int64_t bytes = elementStorageBytes(shape.elementType());
  const Layout rowMajor = Layout::descending(shape.rank());
  if (layout == nullptr) return stridesOf(shape.dimensions(), rowMajor.minorToMajor, bytes);
  if (layout->kind == PjrtLayoutKind::Strides) {
    const std::span<const int64_t> given(layout->strides.byteStrides, layout->strides.count);
    if (given.size() != shape.rank())
      return fail("wrong-argument", "there are not as many strides as dimensions");
    return std::vector<int64_t>(given.begin(), given.end());
  }
  const std::span<const int64_t> order(layout->tiled.minorToMajor, layout->tiled.minorToMajorSize);
  if (layout->tiled.tileCount > 0) return fail("unsupported", "tiles in the layout of an array on the host");
  if (!isPermutation(order, shape.rank()))
    return fail("wrong-argument", "the layout is no order of the dimensions");
  return stridesOf(shape.dimensions(), order, bytes);
}

Result<Shape> shapeOf(PjrtType type, const int64_t* dimensions, size_t rank) {
  const auto element = elementTypeOf(type);
  if (!element || !isArrayElement(*element))
    return fail("unsupported", fmt::format("arrays of type {}", static_cast<int>(type)));
  const std::span<const int64_t> sizes(dimensions, rank);
  if (std::ranges::any_of(sizes, [](int64_t size) { return size < 0; }))
    return fail("wrong-argument", "a dimension is negative");
  return Shape::array(*element, sizes);
}

Result<PjrtDevice*> placeOf(const PjrtClient& client, PjrtDevice* device, PjrtMemory* memory) {
  if (memory != nullptr) return memory->device;
  return device != nullptr ? device : client.deviceList[0];
}

Status checkRowMajor(const PjrtLayout* layout, Shape shape) {
  TRY(const auto strides, hostStrides(layout, shape));
  TRY(const auto rowMajor, hostStrides(nullptr, shape));
  if (strides != rowMajor) return fail("unsupported", "arrays on a device in another than row-major order");
  return {};
}

Status fromHost(PjrtFromHost& in) {
  TRY(const Shape shape, shapeOf(in.type, in.dimensions, in.rank));
  TRY_STATUS(checkRowMajor(in.layout, shape));
  TRY(PjrtDevice* const device, placeOf(*in.client, in.device, in.memory));
  TRY(Literal literal, Literal::tryMake(shape));
  const auto bytes = literal.mutableBytes();
  TRY(std::vector<int64_t> strides, hostStrides(nullptr, shape));
  const bool isDense =
      in.strideCount == 0 || std::ranges::equal(strides, std::span(in.byteStrides, in.strideCount));
  if (in.strideCount != 0 && in.strideCount != in.rank)
    return fail("wrong-argument", "there are not as many strides as dimensions");
  if (isDense) {
    if (!bytes.empty()) std::memcpy(bytes.data(), in.data, bytes.size());
  } else {
    const auto size = static_cast<size_t>(elementStorageBytes(shape.elementType()));
    const auto* from = static_cast<const std::byte*>(in.data);
    std::byte* to = bytes.data();
    eachElement(shape.dimensions(), std::span(in.byteStrides, in.strideCount), [&](int64_t distance) {
      std::memcpy(to, from + distance, size);
      to += size;
    });
  }
  in.buffer = makeBuffer(std::move(literal), device);
  in.doneWithHost = doneEvent();
  return {};
}

Status uninitialized(PjrtUninitialized& in) {
  TRY(const Shape shape, shapeOf(in.type, in.dimensions, in.rank));
  TRY_STATUS(checkRowMajor(in.layout, shape));
  TRY(PjrtDevice* const device, placeOf(*in.client, in.device, in.memory));
  TRY(Literal literal, Literal::tryMake(shape));
  in.buffer = makeBuffer(std::move(literal), device);
  return {};
}

Status toHost(PjrtToHost& in) {
  TRY_STATUS(checkAlive(*in.buffer));
  const Literal& value = in.buffer->value;
  const auto bytes = value.bytes();
  if (in.data == nullptr) {
    in.size = bytes.size();
    return {};
  }
  if (in.size < bytes.size())
    return fail("wrong-argument", fmt::format("the array takes {} bytes", bytes.size()));
  TRY(const auto strides, hostStrides(in.layout, value.shape()));
  TRY(const auto rowMajor, hostStrides(nullptr, value.shape()));
  if (strides == rowMajor) {
    if (!bytes.empty()) std::memcpy(in.data, bytes.data(), bytes.size());
  } else {
    const auto size = static_cast<size_t>(elementStorageBytes(value.shape().elementType()));
    const std::byte* from = bytes.data();
    eachElement(value.shape().dimensions(), strides, [&](int64_t distance) {
      std::memcpy(static_cast<std::byte*>(in.data) + distance, from, size);
      from += size;
    });
  }
  in.event = doneEvent();
  return {};
}

Status rawToHost(PjrtRawToHost& in) {
  TRY_STATUS(checkAlive(*in.buffer));
  const auto bytes = in.buffer->value.bytes();
  if (in.offset < 0 || in.size < 0 || std::cmp_greater(in.offset, bytes.size()) ||
      std::cmp_greater(in.size, bytes.size() - static_cast<size_t>(in.offset)))
    return fail("wrong-argument", "the bytes asked for lie outside of the array");
  if (in.size > 0) std::memcpy(in.data, bytes.data() + in.offset, static_cast<size_t>(in.size));
  in.event = doneEvent();
  return {};
}

Status toDevice(PjrtCopyToDevice& in) {
  TRY_STATUS(checkAlive(*in.buffer));
  in.copy = makeBuffer(in.buffer->value, in.device);
  return {};
}
Status toMemory(PjrtCopyToMemory& in) {
  TRY_STATUS(checkAlive(*in.buffer));
  in.copy = makeBuffer(in.buffer->value, in.memory->device);
  return {};
}

}  // namespace

std::span<const PjrtFunctionRow> copyRows() {
  using enum PjrtFunction;
  static constexpr PjrtFunctionRow kRows[] = {
      row<Client_BufferFromHostBuffer, fromHost>(), row<Client_CreateUninitializedBuffer, uninitialized>(),
      row<Buffer_ToHostBuffer, toHost>(),           row<Buffer_CopyRawToHost, rawToHost>(),
      row<Buffer_CopyToDevice, toDevice>(),         row<Buffer_CopyToMemory, toMemory>(),
  };
  return kRows;
}

}  // namespace hilo
