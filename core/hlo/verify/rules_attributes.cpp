// Attributes that an opcode has no meaning without, and that say nothing about its shape: what its shape
// follows from is the shape rules' to demand. The list is that of the attributes which XLA's parser
// (hlo/parser/hlo_parser.cc) requires.
#include <fmt/format.h>

#include "core/hlo/verify/rules.h"

namespace hilo {

namespace {

struct Need {
  Opcode opcode;
  Attr attribute;
};

constexpr Need kNeeds[] = {
    {Opcode::AllReduce, Attr::ToApply},
    {Opcode::AllReduceStart, Attr::ToApply},
    {Opcode::CollectivePermute, Attr::SourceTargetPairs},
    {Opcode::CollectivePermuteStart, Attr::SourceTargetPairs},
    {Opcode::Compare, Attr::Direction},
    {Opcode::CustomCall, Attr::CustomCallTarget},
    {Opcode::ReduceScatter, Attr::ToApply},
    {Opcode::RngBitGenerator, Attr::RandomAlgorithmKind},
};

}  // namespace

void verifyNeededAttributes(const Instruction& instruction, VerifyContext& context) {
  for (const Need& need : kNeeds) {
    if (need.opcode != instruction.opcode() || instruction.has(need.attribute)) continue;
    context.report.error(VerifyKind::AttributeMissing, instruction,
                         fmt::format("{} needs {}", instruction.opcodeText(), attrName(need.attribute)));
  }
}

}  // namespace hilo
