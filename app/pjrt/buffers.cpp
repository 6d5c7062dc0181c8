#include <fmt/format.h>

#include "app/pjrt/functions.h"
#include "core/runtime/pjrt/pjrt_types.h"

namespace hilo {

PjrtBuffer* makeBuffer(Literal value, PjrtDevice* device) {
  const Shape shape = value.shape();
  return new PjrtBuffer{.value = std::move(value),
                        .device = device,
                        .type = pjrtTypeOf(shape.elementType()).value_or(PjrtType::Invalid),
                        .minorToMajor = Layout::descending(shape.rank()).minorToMajor};
}

Status checkAlive(const PjrtBuffer& buffer) {
  if (buffer.isDeleted) return fail("buffer-deleted", "the buffer was deleted or donated");
  return {};
}

namespace {

Status release(PjrtBufferArgs& in) {
  if (--in.buffer->references == 0) delete in.buffer;
  return {};
}
Status hold(PjrtBufferArgs& in) {
  ++in.buffer->references;
  return {};
}
Status remove(PjrtBufferArgs& in) {
  in.buffer->isDeleted = true;
  // Whoever holds it besides may still read.
  if (in.buffer->references == 1) in.buffer->value = Literal();
  return {};
}
Status isDeleted(PjrtBufferFlag& in) {
  in.value = in.buffer->isDeleted;
  return {};
}
Status isOnCpu(PjrtBufferFlag& in) {
  in.value = true;
  return {};
}
Status type(PjrtBufferType& in) {
  in.type = in.buffer->type;
  return {};
}
Status dimensions(PjrtBufferDimensions& in) {
  in.dimensions = in.buffer->value.shape().dimensions().data();
  in.rank = in.buffer->value.shape().rank();
  return checkAlive(*in.buffer);
}
Status dynamicDimensions(PjrtBufferDynamic& in) {
  in.indices = nullptr;
  in.count = 0;
  return {};
}
Status layout(PjrtBufferLayout& in) {
  in.layout.structBytes = sizeof(in.layout);
  in.layout.kind = PjrtLayoutKind::Tiled;
  in.layout.tiled = {};
  in.layout.tiled.structBytes = sizeof(in.layout.tiled);
  in.layout.tiled.minorToMajor = in.buffer->minorToMajor.data();
  in.layout.tiled.minorToMajorSize = in.buffer->minorToMajor.size();
  return {};
}
Status bytes(PjrtBufferBytes& in) {
  in.bytes = in.buffer->value.bytes().size();
  return {};
}
Status device(PjrtBufferDevice& in) {
  in.device = in.buffer->device;
  return {};
}
Status memory(PjrtBufferMemory& in) {
  in.memory = in.buffer->device->memory.get();
  return {};
}
Status ready(PjrtBufferEvent& in) {
  in.event = doneEvent();
  return {};
}
Status address(PjrtBufferAddress& in) {
  TRY_STATUS(checkAlive(*in.buffer));
  in.address = reinterpret_cast<uintptr_t>(in.buffer->value.bytes().data());
  return {};
}
Status pointer(PjrtBufferPointer& in) {
  TRY_STATUS(checkAlive(*in.buffer));
  in.data = const_cast<std::byte*>(in.buffer->value.bytes().data());
  return {};
}

}  // namespace

std::span<const PjrtFunctionRow> bufferRows() {
  using enum PjrtFunction;
  static constexpr PjrtFunctionRow kRows[] = {
      row<Buffer_Destroy, release>(),
      row<Buffer_IncreaseExternalReferenceCount, hold>(),
      row<Buffer_DecreaseExternalReferenceCount, release>(),
      row<Buffer_Delete, remove>(),
      row<Buffer_IsDeleted, isDeleted>(),
      row<Buffer_IsOnCpu, isOnCpu>(),
      row<Buffer_ElementType, type>(),
      row<Buffer_Dimensions, dimensions>(),
      row<Buffer_UnpaddedDimensions, dimensions>(),
      row<Buffer_DynamicDimensionIndices, dynamicDimensions>(),
      row<Buffer_GetMemoryLayout, layout>(),
      row<Buffer_OnDeviceSizeInBytes, bytes>(),
      row<Buffer_Device, device>(),
      row<Buffer_Memory, memory>(),
      row<Buffer_ReadyEvent, ready>(),
      row<Buffer_UnsafePointer, address>(),
      row<Buffer_OpaqueDeviceMemoryDataPointer, pointer>(),
  };
  return kRows;
}

}  // namespace hilo
