// Modules as commands write them. On a terminal a person reads: there a large constant is "{...}", as in
// XLA's short text, and a note says so. Files, pipes and every form but plain text hold all values.
#pragma once

#include "core/workspace/open/convert.h"

namespace hilo::cli {

// For ConvertOptions::largeConstants of what goes to `path`; nullopt: as the kind says.
std::optional<bool> largeConstantsOn(const std::string& path, OutputKind kind);
// Says that `text` leaves values out, where largeConstantsOn() made it so.
void noteElided(const std::string& path, OutputKind kind, std::string_view text);

// Writes a module to a path, compressed where that ends in .gz, or, with "-", to standard output.
Status writeResult(const std::string& path, const Module& module, OutputKind kind);

}  // namespace hilo::cli
