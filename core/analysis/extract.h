// Instructions of one computation as a module of their own, to run, to reduce or to put into a report.
#pragma once

#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// The entry holds the wanted instructions with the names they had; what they read from outside becomes
// parameters, what is read outside (or by nobody) the result, a tuple when there are several.
// Computations they call come along, and of an asynchronous operation start and done. Header attributes
// are left behind but for the number of partitions and replicas. Error kinds: "nothing-selected",
// "several-computations", "no-such-instruction".
Result<std::unique_ptr<Module>> extractModule(const Module& module, std::span<const InstructionId> wanted);

// Makes a computation of the module its entry and leaves behind what does not belong to it: computations it
// does not reach, and header attributes as above.
void makeEntry(Module& module, Computation& entry);

}  // namespace hilo
