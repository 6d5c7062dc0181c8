// Which kind of processor a module is for, wherever XLA's rules are not the same for all: what may alias, how
// far buffers are aligned, how collectives are scheduled.
#pragma once

#include <cstdint>

#include "core/hlo/ir/module.h"

namespace hilo {

// Cpu stands for XLA's generic rules, which hold for every backend without rules of its own.
enum class Backend : uint8_t { Cpu, Gpu };

// What a compiled module was made for, by its backend configurations; Cpu when nothing tells.
Backend backendOf(const Module& module);

}  // namespace hilo
