#include "core/workspace/thunks/recorded_thunks.h"

#include <fmt/format.h>

#include <cctype>

#include "core/workspace/thunks/instruction_buffers.h"
#include "core/workspace/thunks/thunk_places.h"

namespace hilo {
namespace {

// Nothing of it runs: it names or orders what others made.
bool runsNothing(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::PartitionId || opcode == Opcode::ReplicaId) return false;
  const OpcodeClass group = opcodeClass(opcode);
  return group == OpcodeClass::Leaf || group == OpcodeClass::Tuple || group == OpcodeClass::Ordering ||
         opcode == Opcode::Bitcast;
}

// "all-reduce" as a thunk of it is called: "kAllReduce".
std::string kindOf(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::Fusion) return "kKernel";
  if (instruction.opcode() == Opcode::CustomCall) {
    const std::string_view library = libraryKindOf(instruction.get<Attr::CustomCallTarget>());
    return std::string(library.empty() ? "kCustomCall" : library);
  }
  std::string kind = "k";
  bool isFirst = true;
  for (const char c : instruction.opcodeText()) {
    if (c != '-') kind += isFirst ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    isFirst = c == '-';
  }
  return kind;
}

}  // namespace

std::vector<ThunkGroup> RecordedThunks::groupsOf(const Instruction& instruction) {
  const auto called = instruction.calledComputations();
  std::vector<ThunkGroup> groups;
  switch (instruction.opcode()) {
    case Opcode::While:
      groups.push_back({"condition", thunksOf(*instruction.get<Attr::Condition>())});
      groups.push_back({"body", thunksOf(*instruction.get<Attr::Body>())});
      return groups;
    case Opcode::Call:
      groups.push_back({"called", thunksOf(*called[0])});
      return groups;
    case Opcode::Conditional:
      for (const Computation* branch : called)
        groups.push_back({fmt::format("branch_{}", groups.size()), thunksOf(*branch)});
      return groups;
    default:
      return groups;
  }
}

std::vector<DumpedThunk> RecordedThunks::thunksOf(const Computation& computation) {
  std::vector<DumpedThunk> thunks;
  if (!taken_.insert(&computation).second) return thunks;
  for (const Instruction* instruction : computation.instructions()) {
    if (runsNothing(*instruction)) continue;
    DumpedThunk thunk;
    thunk.kind = kindOf(*instruction);
    thunk.description = fmt::format("not printed by XLA: an instruction of {}", computation.name());
    thunk.profileAnnotation = instruction->name();
    if (thunk.kind == "kKernel") thunk.kernelName = kernelNameOf(instruction->name());
    thunk.groups = groupsOf(*instruction);
    thunks.push_back(std::move(thunk));
  }
  return thunks;
}

const std::vector<ThunkGroup>& RecordedThunks::groupsOf(const DumpedThunk& thunk,
                                                        const std::vector<const Instruction*>& of) {
  const bool isSilent = thunk.kind == "kCommandBuffer" && thunk.groups.empty();
  if (!isSilent || of.empty() || of[0]->opcode() != Opcode::Call) return thunk.groups;
  return made_.emplace_back(std::vector<ThunkGroup>{{"recorded", thunksOf(*of[0]->calledComputations()[0])}});
}

}  // namespace hilo
