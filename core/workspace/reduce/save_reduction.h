// What a reduction came to, in a file.
#pragma once

#include "core/workspace/reduce/reduce.h"

namespace hilo {

// A path that ends in .hilo: a document of the module, its arguments, every step, and what is watched over
// which passes; reduced again it goes on from there. Else the module as text ("-" is standard output) with
// its arguments beside it in PATH.npz. Kinds: those of saveDocument() and writeOutput().
Status saveReduction(const std::string& path, const ReduceRequest& request, const Reduction& reduction);

// Adds to a document that saveReduction() wrote what whoever opens it checks it against: a run labelled
// "expected", of the module before the passes by the reference evaluator, one labelled "after PASS,..." by
// the engine that is watched. Runs that cannot be made are left out: what is watched may be a crash. Does
// nothing for other files. Kinds: "cancelled", those of the store.
Status saveExpected(const std::string& path, const ReduceRequest& request, const Reduction& reduction,
                    const WatchOptions& options, const JobContext& context);

}  // namespace hilo
