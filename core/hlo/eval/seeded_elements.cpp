#include "core/hlo/eval/seeded_elements.h"

#include <atomic>
#include <vector>

#include "core/hlo/eval/chunks.h"
#include "core/hlo/eval/kernel.h"
#include "core/hlo/eval/normal_elements.h"

namespace hilo {
namespace {

constexpr int64_t kSmallIntegers = 8;
constexpr int64_t kPiece = int64_t{1} << 15;  // elements

// What an array is filled with. Of a complex type an element is half of one.
struct Filling {
  int64_t count = 0, bytesEach = 0;
  int64_t drawsEach = 0;  // numbers an element takes
  std::function<void(std::byte* out, int64_t count, SeededNumbers& numbers)> fill;
};

// Matrices get the spread that keeps products of many of them of about unit size.
double spreadOf(Shape shape) {
  if (shape.rank() < 2) return 1;
  return 1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, shape.dimension(shape.rank() - 2))));
}

Filling floats(Shape shape, const ValueHint& hint) {
  const bool hasParts = isComplex(shape.elementType());
  const ElementType type = hasParts ? complexComponent(shape.elementType()) : shape.elementType();
  Filling filling{.count = shape.elementCount() * (hasParts ? 2 : 1), .bytesEach = elementStorageBytes(type)};
  if (hint.positive || type == ElementType::F8E8M0FNU) {
    filling.drawsEach = 1;
    filling.fill = [type](std::byte* out, int64_t count, SeededNumbers& numbers) {
      std::vector<double> values(static_cast<size_t>(count));
      for (double& value : values) value = 0.5 + numbers.fraction();
      convertElements(out, type, values.data(), ElementType::F64, count);
    };
  } else {
    filling.drawsEach = 2;
    filling.fill = [type, spread = spreadOf(shape)](std::byte* out, int64_t count, SeededNumbers& numbers) {
      fillNormals(out, type, count, spread, numbers);
    };
  }
  return filling;
}

struct IntegerRange {
  int64_t lowest = 0, limit = 0;
};

IntegerRange rangeOf(ElementType type, const ValueHint& hint) {
  const int bits = elementBits(type) - (isSigned(type) ? 1 : 0);
  const int64_t typeLimit = bits >= 62 ? std::numeric_limits<int64_t>::max() : int64_t{1} << bits;
  int64_t limit = std::min(hint.limit, typeLimit);
  if (hint.limit == std::numeric_limits<int64_t>::max())
    limit = std::min(limit, hint.isSortKey ? int64_t{1} << 20 : kSmallIntegers);
  return {std::min(hint.lowest, limit - 1), limit};
}

Filling integers(Shape shape, const ValueHint& hint) {
  const ElementType type = shape.elementType();
  const int64_t groups = shape.rank() > 0 ? std::max<int64_t>(1, shape.dimension(shape.rank() - 1)) : 1;
  return {.count = shape.elementCount(),
          .bytesEach = elementStorageBytes(type),
          .drawsEach = hint.isGroupSizes ? 0 : 1,
          .fill = [hint, type, range = rangeOf(type, hint), groups](std::byte* out, int64_t count,
                                                                    SeededNumbers& numbers) {
            std::vector<int64_t> values(static_cast<size_t>(count));
            for (int64_t& value : values) {
              if (hint.isGroupSizes) {
                value = hint.groupRows / groups;
              } else if (hint.isBits) {
                value = static_cast<int64_t>(numbers.bits());
              } else {
                value = range.lowest + numbers.below(range.limit - range.lowest);
              }
            }
            convertElements(out, type, values.data(), ElementType::S64, count);
          }};
}

Filling predicates(Shape shape) {
  return {.count = shape.elementCount(),
          .bytesEach = 1,
          .drawsEach = 1,
          .fill = [](std::byte* out, int64_t count, SeededNumbers& numbers) {
            for (int64_t i = 0; i < count; ++i) out[i] = std::byte(numbers.bits() >> 63);
          }};
}

Filling fillingOf(Shape shape, const ValueHint& hint) {
  const ElementType type = shape.elementType();
  if (isFloat(type) || isComplex(type)) return floats(shape, hint);
  return type == ElementType::Pred ? predicates(shape) : integers(shape, hint);
}

}  // namespace

Status fillSeeded(Literal& array, const ValueHint& hint, SeededNumbers& numbers,
                  const std::function<Status(int64_t bytes)>& poll) {
  constexpr int64_t kOperationsADraw = 4;
  const Filling filling = fillingOf(array.shape(), hint);
  const int64_t pieces = (filling.count + kPiece - 1) / kPiece;
  std::byte* out = array.mutableBytes().data();
  std::atomic<int64_t> bytesMade = 0;
  TRY_STATUS(inChunks(
      pieces, kPiece * kOperationsADraw * std::max<int64_t>(1, filling.drawsEach),
      [&] { return poll(bytesMade); },
      [&](int64_t piece) {
        const int64_t first = piece * kPiece, count = std::min(kPiece, filling.count - first);
        SeededNumbers own = numbers.after(first * filling.drawsEach);
        filling.fill(out + first * filling.bytesEach, count, own);
        bytesMade += count * filling.bytesEach;
      }));
  numbers = numbers.after(filling.count * filling.drawsEach);
  return {};
}

}  // namespace hilo
