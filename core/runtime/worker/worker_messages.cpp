#include "core/runtime/worker/worker_messages.h"

#include <cstring>

#include "core/runtime/program/literal_buffers.h"

namespace hilo {

SentLiteral toSent(const Literal& literal) {
  SentLiteral sent{.shape = literal.shape(), .arrays = {}};
  for (const Literal* array : arrayLeaves(std::span(&literal, 1)))
    sent.arrays.emplace_back(array->bytes().begin(), array->bytes().end());
  return sent;
}

namespace {

Result<Literal> toLiteral(const SentLiteral& sent) {
  TRY(Literal literal, Literal::tryMake(sent.shape));
  const auto arrays = mutableArrayLeaves(literal);
  const bool fits = std::ranges::equal(arrays, sent.arrays, [](const Literal* array, const auto& bytes) {
    return array->bytes().size() == bytes.size();
  });
  if (!fits) return fail("bad-message", "a literal has other bytes than its shape");
  for (size_t i = 0; i < arrays.size(); ++i)
    std::ranges::copy(sent.arrays[i], arrays[i]->mutableBytes().begin());
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
