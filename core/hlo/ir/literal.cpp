#include "core/hlo/ir/literal.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/base/large_pages.h"

namespace hilo {

namespace {

// Large arrays come from the system as zeros, whose pages nobody need touch before they are written. Where a
// line of the cache begins, so that kernels may write there as they do elsewhere.
std::shared_ptr<std::byte[]> zeroedBytes(size_t count) {
  constexpr size_t kAlignment = 64;
  const std::shared_ptr<void> room(std::calloc(count + kAlignment, 1), std::free);
  if (room == nullptr) return nullptr;
  preferLargePages(room.get(), count);
  const auto address = reinterpret_cast<uintptr_t>(room.get());
  const size_t before = (kAlignment - address % kAlignment) % kAlignment;
  return {room, static_cast<std::byte*>(room.get()) + before};
}

int64_t bytesOfArrays(const Literal& literal) {
  auto bytes = static_cast<int64_t>(literal.bytes().size());
  for (const Literal& element : literal.elements()) bytes += bytesOfArrays(element);
  return bytes;
}

}  // namespace

Result<Literal> Literal::tryMake(Shape shape, int64_t limitBytes) {
  return tryMakeIn(zeroedBytes, shape, limitBytes);
}

Result<Literal> Literal::tryMakeIn(const ArrayMemory& memory, Shape shape, int64_t limitBytes) {
  Literal literal;
  literal.shape_ = shape;
  if (shape.isTuple()) {
    for (Shape element : shape.tupleShapes()) {
      TRY(Literal made, tryMakeIn(memory, element, limitBytes));
      limitBytes -= bytesOfArrays(made);
      literal.elements_.push_back(std::move(made));
    }
    return literal;
  }
  if (shape.isToken()) return literal;
  if (!shape.isArray())
    return fail("unsupported-type", fmt::format("no literal can have shape {}", toString(shape)));
  if (shape.hasUnboundedDimension()) {
    return fail("unbounded-shape",
                fmt::format("no literal can have the unbounded shape {}", toString(shape)));
  }
  const int64_t elementBytes = elementStorageBytes(shape.elementType());
  if (shape.elementCount() > limitBytes / elementBytes) {
    return fail("literal-too-large",
                fmt::format("a literal of shape {} would take over {} bytes", toString(shape), limitBytes));
  }
  literal.byteCount_ = static_cast<size_t>(shape.elementCount() * elementBytes);
  literal.bytes_ = memory(literal.byteCount_);
  if (literal.bytes_ == nullptr)
    return fail("out-of-memory",
                fmt::format("there is no memory for a literal of shape {}", toString(shape)));
  return literal;
}

Literal::Literal(Shape shape) {
  auto made = tryMake(shape);
  CHECK(made.has_value(), made.error().message);
  *this = *std::move(made);
}

Literal Literal::tuple(std::vector<Literal> elements) {
  Literal literal;
  std::vector<Shape> shapes;
  for (const Literal& element : elements) shapes.push_back(element.shape());
  literal.shape_ = Shape::tuple(shapes);
  literal.elements_ = std::move(elements);
  return literal;
}

Literal Literal::elided(Shape shape) {
  Literal literal;
  literal.shape_ = shape;
  literal.elided_ = true;
  return literal;
}

bool Literal::isElided() const { return elided_ || std::ranges::any_of(elements_, &Literal::isElided); }

std::span<std::byte> Literal::mutableBytes() {
  if (bytes_.use_count() > 1) {
    auto own = std::make_shared_for_overwrite<std::byte[]>(byteCount_);
    std::memcpy(own.get(), bytes_.get(), byteCount_);
    bytes_ = std::move(own);
  }
  return {bytes_.get(), byteCount_};
}

Literal Literal::withShape(Shape shape) const {
  CHECK(shape.isTuple() == isTuple() && shape.elementType() == shape_.elementType());
  Literal copy = *this;
  copy.shape_ = shape;
  if (isTuple()) {
    CHECK(shape.tupleShapes().size() == elements_.size());
    for (size_t i = 0; i < elements_.size(); ++i)
      copy.elements_[i] = elements_[i].withShape(shape.tupleShapes()[i]);
  } else {
    CHECK(shape.elementCount() == shape_.elementCount());
  }
  return copy;
}

bool operator==(const Literal& a, const Literal& b) {
  return a.shape_.withoutLayout() == b.shape_.withoutLayout() && a.elided_ == b.elided_ &&
         std::ranges::equal(a.bytes(), b.bytes()) && a.elements_ == b.elements_ &&
         a.dynamicSizes_ == b.dynamicSizes_;
}

}  // namespace hilo
