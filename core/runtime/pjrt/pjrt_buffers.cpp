#include "core/runtime/pjrt/pjrt_buffers.h"

#include <fmt/format.h>

#include "core/runtime/pjrt/pjrt_types.h"

namespace hilo {

PjrtBufferOwner::~PjrtBufferOwner() {
  if (buffer_ == nullptr) return;
  PjrtBufferArgs arguments{};
  arguments.buffer = buffer_;
  (void)library_->call<PjrtFunction::Buffer_Destroy>(arguments);
}

Result<PjrtBufferOwner> PjrtBufferOwner::fromLiteral(const PjrtLibrary& library, PjrtClient* client,
                                                     PjrtDevice* device, const Literal& array) {
  const auto type = pjrtTypeOf(array.shape().elementType());
  if (!type) return fail("wrong-argument", fmt::format("PJRT has no type {}", toString(array.shape())));
  static constexpr std::byte kNothing{};
  PjrtFromHost arguments{};
  arguments.client = client;
  arguments.data = array.bytes().empty() ? &kNothing : array.bytes().data();
  arguments.type = *type;
  arguments.dimensions = array.shape().dimensions().data();
  arguments.rank = array.shape().rank();
  arguments.semantics = PjrtHostSemantics::UntilTransferred;
  arguments.device = device;
  TRY_STATUS(library.call<PjrtFunction::Client_BufferFromHostBuffer>(arguments));
  PjrtBufferOwner made(library, arguments.buffer);
  TRY_STATUS(library.await(arguments.doneWithHost));
  return made;
}

namespace {

Status checkShape(const PjrtLibrary& library, PjrtBuffer* buffer, Shape expected) {
  PjrtBufferType type{};
  type.buffer = buffer;
  TRY_STATUS(library.call<PjrtFunction::Buffer_ElementType>(type));
  PjrtBufferDimensions dimensions{};
  dimensions.buffer = buffer;
  TRY_STATUS(library.call<PjrtFunction::Buffer_Dimensions>(dimensions));
  const std::span<const int64_t> given(dimensions.dimensions, dimensions.rank);
  if (elementTypeOf(type.type) == expected.elementType() && std::ranges::equal(given, expected.dimensions()))
    return {};
  return fail("pjrt-result",
              fmt::format("a result of type {} and dimensions [{}] came where {} was expected",
                          static_cast<int>(type.type), fmt::join(given, ","), toString(expected)));
}

}  // namespace

Result<Literal> PjrtBufferOwner::toLiteral(Shape expected) const {
  TRY_STATUS(checkShape(*library_, buffer_, expected));
  TRY(Literal literal, Literal::tryMake(expected));
  const Layout rowMajor = Layout::descending(expected.rank());
  PjrtLayout layout{};
  layout.structBytes = sizeof(layout);
  layout.kind = PjrtLayoutKind::Tiled;
  layout.tiled = {};
  layout.tiled.structBytes = sizeof(layout.tiled);
  layout.tiled.minorToMajor = rowMajor.minorToMajor.data();
  layout.tiled.minorToMajorSize = rowMajor.minorToMajor.size();
  PjrtToHost arguments{};
  arguments.buffer = buffer_;
  arguments.layout = &layout;
  TRY_STATUS(library_->call<PjrtFunction::Buffer_ToHostBuffer>(arguments));
  const auto bytes = literal.mutableBytes();
  if (arguments.size != bytes.size())
    return fail("pjrt-result", fmt::format("a result {} takes {} bytes, and the library would write {}",
                                           toString(expected), bytes.size(), arguments.size));
  if (bytes.empty()) return literal;
  arguments.data = bytes.data();
  TRY_STATUS(library_->call<PjrtFunction::Buffer_ToHostBuffer>(arguments));
  TRY_STATUS(library_->await(arguments.event));
  return literal;
}

}  // namespace hilo
