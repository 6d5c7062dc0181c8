#include "core/runtime/worker/worker_messages.h"

#include <cstring>

#include "core/runtime/program/literal_buffers.h"

namespace hilo {

SentLiteral toSent(const Literal& literal) {
  SentLiteral sent{.shape = literal.shape()};
  for (const Literal* array : arrayLeaves(std::span(&literal, 1))) {
    sent.arrays.emplace_back(array->bytes().begin(), array->bytes().end());
    sent.sizes.emplace_back(array->dynamicSizes().begin(), array->dynamicSizes().end());
  }
  return sent;
}

namespace {

// Within the bounds of the shape, or none.
bool areSizesOf(Shape shape, std::span<const int64_t> sizes) {
  return sizes.empty() || std::ranges::equal(sizes, shape.dimensions(), [](int64_t size, int64_t most) {
           return size >= 0 && size <= most;
         });
}

Result<Literal> toLiteral(const SentLiteral& sent) {
  TRY(Literal literal, Literal::tryMake(sent.shape));
  const auto arrays = mutableArrayLeaves(literal);
  const bool fits = std::ranges::equal(arrays, sent.arrays, [](const Literal* array, const auto& bytes) {
    return array->bytes().size() == bytes.size();
  });
  if (!fits) return fail("bad-message", "a literal has other bytes than its shape");
  if (sent.sizes.size() != arrays.size())
    return fail("bad-message", "a literal has other arrays than its shape");
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!areSizesOf(arrays[i]->shape(), sent.sizes[i]))
      return fail("bad-message", "a literal's sizes lie outside of its shape");
    std::ranges::copy(sent.arrays[i], arrays[i]->mutableBytes().begin());
    arrays[i]->setDynamicSizes(sent.sizes[i]);
  }
  return literal;
}

}  // namespace

Result<std::vector<Literal>> toLiterals(const std::vector<SentLiteral>& sent) {
  std::vector<Literal> literals;
  for (const SentLiteral& one : sent) {
    TRY(Literal literal, toLiteral(one));
    literals.push_back(std::move(literal));
  }
  return literals;
}

}  // namespace hilo
