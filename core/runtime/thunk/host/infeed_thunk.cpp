#include "core/runtime/program/literal_buffers.h"
#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

Status execute(const InfeedThunk& thunk, const ThunkContext& context) {
  TRY(const Literal value, context.link.host.take(thunk.shape, context.thunk->name));
  const auto shapes = arrayLeaves(thunk.shape);
  const auto arrays = arrayLeaves(std::span(&value, 1));
  for (size_t i = 0; i < shapes.size(); ++i)
    copyToBuffer(context.at(thunk.results[i]), arrays[i]->bytes().data(), shapes[i]);
  return {};
}

}  // namespace hilo
