// A candidate while moves change it. Private to the room.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <vector>

#include "core/base/cancel.h"
#include "core/hlo/ir/literal.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Of instructions of the entry, by id, as the module had them when a move began.
using EntryValues = absl::flat_hash_map<InstructionId, Literal>;

struct Draft {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments;  // one a parameter of the entry
  const EntryValues* values = nullptr;

  // What it had; made up where that is not known. Arrays and tuples of arrays.
  Literal valueOf(const Instruction& instruction) const;
  // A parameter of the entry that stands for the instruction, with its value as argument.
  Instruction* addParameterFor(const Instruction& instruction);
};

// Whether a value of this shape can be handed in.
bool isValueShape(Shape shape);

// The values on these arguments, as far as the evaluator gives them, and no more than fit `roomBytes`.
EntryValues entryValues(const Module& module, std::span<const Literal> arguments, int64_t roomBytes,
                        const CancelToken& cancel);

// Removes what nothing uses, and what the header says of parameters and results, which are others now.
void tidy(Draft& draft);

}  // namespace hilo
