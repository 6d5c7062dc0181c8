// Splits the search for the largest of very many elements among parts that lie behind each other, so that
// many blocks of a GPU take part, and sorts what these find. As XLA's
// backends/gpu/transforms/topk_splitter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct TopKParts {
  int64_t longest = int64_t{1} << 20;  // elements searched at once
};

Result<bool> splitTopKs(Module& module, PassContext& context, const TopKParts& parts = {});

}  // namespace hilo
