// How a list of instructions that is too long to be looked at is divided into groups: by what repeats in it,
// else into pages.
#pragma once

#include <string>

#include "core/analysis/grouping/grouping.h"

namespace hilo {

struct ListPart {
  GroupKind kind = GroupKind::Instruction;  // of Instruction: the items stand by themselves
  std::string label;                        // "" of Instruction
  uint32_t begin = 0;                       // range of the list
  uint32_t end = 0;
  std::vector<ListPart> parts;  // of what is a group: what it holds, in order, all of its range
};

// Parts in order, together the whole list. Null stands for an item that is no instruction. Runs of repeated
// structure become a group of GroupKind::Repeats that holds one of GroupKind::Repeat each; what is before or
// after them is a page when it is more than a few. Without repeats, a list of more than twice `pageSize` is
// cut into pages, at places where few values pass. Deterministic.
std::vector<ListPart> divideList(std::span<const Instruction* const> list, uint32_t pageSize);

// The list's indices in an order in which what values larger than one number join comes together, parts in
// the order of their firsts: of an optimizer, the update of one parameter after that of another, however they
// were interleaved. Null items are parts of their own. Near-linear.
std::vector<uint32_t> orderByPart(std::span<const Instruction* const> list);

}  // namespace hilo
