#include "core/runtime/program/literal_buffers.h"
#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

Status execute(const OutfeedThunk& thunk, const ThunkContext& context) {
  TRY(Literal value, Literal::tryMake(thunk.shape.withoutLayout()));
  const auto shapes = arrayLeaves(thunk.shape);
  const auto arrays = mutableArrayLeaves(value);
  for (size_t i = 0; i < shapes.size(); ++i)
    copyFromBuffer(arrays[i]->mutableBytes().data(), context.at(thunk.operands[i]), shapes[i]);
  return context.link.host.give(std::move(value), context.thunk->name);
}

}  // namespace hilo
