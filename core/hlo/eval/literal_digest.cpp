#include "core/hlo/eval/literal_digest.h"

#include <xxhash.h>

namespace hilo {
namespace {

struct FreeHash {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

void digestInto(XXH3_state_t* state, const Literal& literal) {
  const std::string shape = toString(literal.shape().withoutLayout());
  XXH3_64bits_update(state, shape.data(), shape.size());
  const auto sizes = literal.dynamicSizes();
  XXH3_64bits_update(state, sizes.data(), sizes.size_bytes());
  XXH3_64bits_update(state, literal.bytes().data(), literal.bytes().size());
  for (const Literal& element : literal.elements()) digestInto(state, element);
}

}  // namespace

uint64_t literalDigest(const Literal& literal) {
  const std::unique_ptr<XXH3_state_t, FreeHash> state(XXH3_createState());
  XXH3_64bits_reset(state.get());
  digestInto(state.get(), literal);
  return XXH3_64bits_digest(state.get());
}

}  // namespace hilo
