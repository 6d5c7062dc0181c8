// The passes of XLA's GPU pipeline by their names there (xla_passes.def), and which of ours do what they do.
#pragma once

#include <optional>

#include "core/compiler/pass/pass.h"

namespace hilo {

struct XlaPass {
  std::string_view name;
  char rank;              // 'A': changes most real modules, 'B' some, 'C' few
  std::string_view file;  // in XLA's tree, without ending
  int tests;              // that XLA has of it
  std::string_view ours;  // of passes.def; "" where it is not there yet
};

// Sorted by name.
std::span<const XlaPass> xlaPasses();
const XlaPass* findXlaPass(std::string_view name);

// Ours that does what it does, by XLA's name; of one that is not there yet a pass for which
// Pass::isThere is false.
ConfiguredPass configuredPass(const XlaPass& xla);

// One of ours by its own name, or else one of XLA's. nullopt: neither has such a pass.
std::optional<ConfiguredPass> passByName(std::string_view name);

}  // namespace hilo
