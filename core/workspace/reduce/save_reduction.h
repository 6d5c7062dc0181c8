// What a reduction came to, in a file.
#pragma once

#include "core/workspace/reduce/reduce.h"

namespace hilo {

// A path that ends in .hilo: a document of the module, its arguments and every step; reduced again it goes on
// from there. Else the module as text ("-" is standard output) with its arguments beside it in PATH.npz.
// Kinds: those of saveDocument() and writeOutput().
Status saveReduction(const std::string& path, const ReduceRequest& request, const Reduction& reduction);

}  // namespace hilo
