// A directory of what PJRT was given to compile: module.mlir, compile_options and topology, written by a PJRT
// client that dumps its compile inputs. It opens as its module, with the devices the options ask for: a
// reproduction. Source: XLA's pjrt/dump/dump.cc.
#pragma once

#include "core/workspace/open/opened.h"

namespace hilo {

// Whether a directory holds module.mlir and compile_options.pb or .textproto.
bool isCompileInputs(const std::string& directory);

// The module, its replica_count and num_partitions those of the options. What lies there besides is named in
// the diagnostics (kind "compile-inputs"). Errors: those of the module and of the options.
Result<std::shared_ptr<const OpenedFile>> openCompileInputs(const std::string& directory,
                                                            const CancelToken& cancel);

}  // namespace hilo
