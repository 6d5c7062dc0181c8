// Fusions that are about a few instructions which a kernel computes in its own way: what goes before them and
// after them is computed element by element.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo::gpu {

// The instruction itself where it is one; or the ones of a fusion, all of `isHero`, of which none needs
// another, what is made of them is elementwise and of their sizes, and no other instruction is made of many
// elements. Empty: it is none such.
using IsHero = bool (*)(const Instruction& instruction);
std::vector<const Instruction*> heroesOf(const Instruction& instruction, IsHero isHero);

}  // namespace hilo::gpu
