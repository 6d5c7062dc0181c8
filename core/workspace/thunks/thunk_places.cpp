#include "core/workspace/thunks/thunk_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hilo {
namespace {

// "kAllReduceStart" as an opcode is written: "all-reduce-start".
std::string opcodeNameOf(std::string_view kind) {
  std::string name;
  for (const char c : kind.substr(kind.starts_with('k') ? 1 : 0)) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !name.empty()) name += '-';
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

// What a custom call's thunk is called after the library it calls.
struct LibraryKind {
  std::string_view kind;
  std::string_view target;  // a part of the custom call's
};
// A target is that of the first that fits.
constexpr LibraryKind kLibraryKinds[] = {{"kTriangularSolve", "triangular"},
                                         {"kCublasLtMatmulF8", "cublas$lt$matmul$f8"},
                                         {"kCublasLtMatmul", "cublas$lt"},
                                         {"kGemm", "cublas"},
                                         {"kConvolution", "cudnn$conv"},
                                         {"kNorm", "cudnn$norm"},
                                         {"kCuDnn", "cudnn"},
                                         {"kCholesky", "cholesky"}};

bool callsLibrary(const DumpedThunk& thunk) {
  return std::ranges::find(kLibraryKinds, thunk.kind, &LibraryKind::kind) != std::end(kLibraryKinds);
}

// Of a library call that something is copied for, one after the other, the call's.
std::string_view kindOf(const DumpedThunk& thunk) {
  if (thunk.kind != "kSequential" || thunk.groups.size() != 1) return thunk.kind;
  const std::vector<DumpedThunk>& inside = thunk.groups[0].thunks;
  const auto call = std::ranges::find_if(inside, callsLibrary);
  return call == inside.end() ? thunk.kind : call->kind;
}

// XLA puts what is recorded into one graph of the device into a computation of its own, which is called.
bool callsCommandBuffer(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Call && !instruction.calledComputations().empty() &&
         instruction.calledComputations()[0]->name().starts_with("command_buffer");
}

// Whether a thunk of this kind may have been made of the instruction.
bool fits(std::string_view kind, const Instruction& instruction) {
  if (kind == "kCommandBuffer") return callsCommandBuffer(instruction);
  if (instruction.opcode() == Opcode::CustomCall) {
    const auto target = std::string_view(instruction.get<Attr::CustomCallTarget>());
    const auto library = std::ranges::find(kLibraryKinds, kind, &LibraryKind::kind);
    return library != std::end(kLibraryKinds) ? target.find(library->target) != std::string_view::npos
                                              : kind == "kCustomCall";
  }
  const std::string name = opcodeNameOf(kind);
  if (instruction.opcodeText() == name) return true;
  const bool isStart = instruction.opcode() == Opcode::AsyncStart;
  if (!isStart && instruction.opcode() != Opcode::AsyncDone) return false;
  const Instruction* start = &instruction;
  while (start->opcode() != Opcode::AsyncStart && start->operandCount() > 0) start = start->operand(0);
  if (start->calledComputations().empty()) return false;
  const Instruction* wrapped = start->calledComputations()[0]->root();
  return name == fmt::format("{}-{}", wrapped->opcodeText(), isStart ? "start" : "done");
}

// How many copies of memory a fusion is that does nothing else: of a tuple one an element.
size_t copiesIn(const Instruction& fusion) {
  const Instruction* root = fusion.calledComputations()[0]->root();
  const auto isCopy = [](const Instruction* at) {
    while (at->opcode() == Opcode::Bitcast || at->opcode() == Opcode::Reshape ||
           at->opcode() == Opcode::Slice)
      at = at->operand(0);
    return at->opcode() == Opcode::Copy || at->opcode() == Opcode::Concatenate;
  };
  if (root->opcode() != Opcode::Tuple) return isCopy(root) ? 1 : 0;
  return std::ranges::all_of(root->operands(), isCopy) ? root->operandCount() : 0;
}

// How many thunks of this kind may have been made of the instruction.
size_t countFor(std::string_view kind, const Instruction& instruction) {
  if (kind == "kCopy" && instruction.opcode() == Opcode::Fusion) return copiesIn(instruction);
  return fits(kind, instruction) ? 1 : 0;
}

std::string placeText(const ThunkUse& use) {
  return fmt::format("allocation {} [{}, {})", use.allocation, use.offsetBytes, use.endBytes());
}

using Joined = std::vector<std::vector<const Instruction*>>;

// Thunks [begin, end) lie between two that are known, and come of instructions [from, to). Of each kind the
// instructions are taken in order where there are as many.
void joinBetween(const std::vector<DumpedThunk>& thunks, size_t begin, size_t end,
                 const std::vector<const Instruction*>& instructions, size_t from, size_t to,
                 Joined& joined) {
  std::map<std::string_view, std::vector<size_t>> kinds;
  for (size_t i = begin; i < end; ++i) {
    if (joined[i].empty()) kinds[kindOf(thunks[i])].push_back(i);
  }
  for (const auto& [kind, places] : kinds) {
    std::vector<const Instruction*> candidates;
    for (size_t i = from; i < to; ++i)
      candidates.insert(candidates.end(), countFor(kind, *instructions[i]), instructions[i]);
    if (candidates.size() != places.size()) continue;
    for (size_t i = 0; i < places.size(); ++i) joined[places[i]] = {candidates[i]};
  }
}

}  // namespace

std::string_view libraryKindOf(std::string_view target) {
  const auto found = std::ranges::find_if(kLibraryKinds, [&](const LibraryKind& library) {
    return target.find(library.target) != std::string_view::npos;
  });
  return found == std::end(kLibraryKinds) ? "" : found->kind;
}

ThunkPlaces::ThunkPlaces(const Module& module) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions())
      named_[kernelNameOf(instruction->name())].push_back(instruction);
  }
}

// Names are told apart by more than letters and digits: the one in the computation goes first.
std::vector<const Instruction*> ThunkPlaces::named(const DumpedThunk& thunk,
                                                   const Computation* computation) const {
  for (const std::string* name : {&thunk.profileAnnotation, &thunk.kernelName}) {
    const auto found = named_.find(kernelNameOf(*name));
    if (name->empty() || found == named_.end()) continue;
    std::vector<const Instruction*> instructions;
    for (const bool isHere : {true, false}) {
      std::ranges::copy_if(found->second, std::back_inserter(instructions),
                           [&](const Instruction* i) { return (&i->parent() == computation) == isHere; });
    }
    return instructions;
  }
  return {};
}

Joined ThunkPlaces::instructionsOf(const std::vector<DumpedThunk>& thunks, const Computation* computation,
                                   const Instruction* call) const {
  Joined joined;
  if (call != nullptr) {
    for (const DumpedThunk& thunk : thunks)
      joined.push_back(fits(thunk.kind, *call) ? std::vector{call} : std::vector<const Instruction*>());
    return joined;
  }
  for (const DumpedThunk& thunk : thunks) joined.push_back(named(thunk, computation));
  if (computation == nullptr) return joined;
  std::vector<const Instruction*> order;
  absl::flat_hash_map<const Instruction*, size_t> placeOf;
  for (const Instruction* instruction : computation->instructions()) {
    placeOf[instruction] = order.size();
    order.push_back(instruction);
  }
  size_t begin = 0, from = 0;
  for (size_t i = 0; i < thunks.size(); ++i) {
    const auto place = joined[i].empty() ? placeOf.end() : placeOf.find(joined[i][0]);
    // A kernel that serves several instructions says nothing of where they stand.
    if (place == placeOf.end() || place->second < from) continue;
    joinBetween(thunks, begin, i, order, from, place->second, joined);
    begin = i + 1;
    from = place->second + 1;
  }
  joinBetween(thunks, begin, thunks.size(), order, from, order.size(), joined);
  return joined;
}

ThunkPlaces::Origin ThunkPlaces::originOf(const ThunkGroup& group, const std::vector<const Instruction*>& of,
                                          const Computation* around) const {
  const bool isForOne = !of.empty() && of[0]->opcode() == Opcode::CustomCall && group.label.empty();
  return {computationOf(group, of, around), isForOne ? of[0] : nullptr};
}

const Computation* ThunkPlaces::computationOf(const ThunkGroup& group,
                                              const std::vector<const Instruction*>& of,
                                              const Computation* around) const {
  if (group.label.empty()) return around;
  if (!of.empty()) {
    const Instruction& caller = *of[0];
    if (caller.opcode() == Opcode::While)
      return group.label == "condition" ? caller.get<Attr::Condition>() : caller.get<Attr::Body>();
    const auto called = caller.calledComputations();
    const size_t digit = group.label.find_first_of("0123456789");
    if ((group.label == "called" || group.label == "recorded") && !called.empty()) return called[0];
    if (group.label.starts_with("true") && !called.empty()) return called[0];
    if (group.label.starts_with("false") && called.size() > 1) return called[1];
    if (digit != std::string::npos) {
      const size_t number = std::strtoul(group.label.c_str() + digit, nullptr, 10);
      if (number < called.size()) return called[number];
    }
  }
  // The one its first kernel is in.
  for (const DumpedThunk& thunk : group.thunks) {
    if (const auto found = named(thunk, nullptr); !found.empty()) return &found[0]->parent();
  }
  const bool isOfOne = group.label == "async" || group.label == "slices";
  return isOfOne ? around : nullptr;
}

AssignedValues::AssignedValues(const Module& module, const ModuleBuffers& buffers)
    : module_(module), buffers_(buffers), dataflow_(DataflowAnalysis::run(module, {.ssaForm = true})) {
  for (size_t i = 0; i < buffers.slices.size(); ++i) {
    const ValueSlice& slice = buffers.slices[i];
    byBytes_[{buffers.allocations[slice.allocation].index, slice.offsetBytes, slice.sizeBytes}].push_back(i);
  }
}

std::string AssignedValues::nameOf(const ValueSlice& slice) const {
  const bool isWhole = slice.shapeIndex == "{}";
  return fmt::format("{}{}", module_.instruction(slice.instruction)->name(), isWhole ? "" : slice.shapeIndex);
}

ThunkUse useOfSlice(const ThunkSlice& slice) {
  ThunkUse use{.allocation = static_cast<uint32_t>(slice.allocation),
               .offsetBytes = slice.offsetBytes,
               .sizeBytes = slice.sizeBytes,
               .writes = slice.writes};
  use.place = placeText(use);
  return use;
}

ThunkUse AssignedValues::useOf(const ThunkSlice& slice, const Instruction* instruction) const {
  ThunkUse use = useOfSlice(slice);
  const auto found = byBytes_.find({slice.allocation, slice.offsetBytes, slice.sizeBytes});
  if (found == byBytes_.end()) return use;
  const auto isIts = [&](size_t i) {
    const InstructionId id = buffers_.slices[i].instruction;
    if (instruction == nullptr || id == instruction->id()) return instruction != nullptr;
    return !slice.writes &&
           std::ranges::find(instruction->operands(), id, &Instruction::id) != instruction->operands().end();
  };
  const auto its = std::ranges::find_if(found->second, isIts);
  use.value = nameOf(buffers_.slices[its == found->second.end() ? found->second.front() : *its]);
  return use;
}

bool AssignedValues::add(const Instruction& instruction, bool writes, std::vector<ThunkUse>& uses) const {
  for (const ValueId id : dataflow_->flattenedValues(instruction)) {
    const HloValue& value = dataflow_->value(id);
    if (!value.shape.isArray() || (writes && &value.instruction() != &instruction)) continue;
    const auto& slices = buffers_.slicesOfInstruction(value.instruction().id());
    const std::string index = toString(value.index());
    const auto found =
        std::ranges::find(slices, index, [&](size_t slice) { return buffers_.slices[slice].shapeIndex; });
    if (found == slices.end()) return false;
    const ValueSlice& slice = buffers_.slices[*found];
    const auto allocation = static_cast<uint32_t>(buffers_.allocations[slice.allocation].index);
    uses.push_back({.allocation = allocation,
                    .offsetBytes = slice.offsetBytes,
                    .sizeBytes = slice.sizeBytes,
                    .writes = writes,
                    .value = nameOf(slice)});
    uses.back().place = placeText(uses.back());
  }
  return true;
}

std::vector<ThunkUse> AssignedValues::usesOf(const Instruction& instruction) const {
  std::vector<ThunkUse> uses;
  if (!dataflow_ || buffers_.slices.empty()) return uses;
  bool known = true;
  for (const Instruction* operand : instruction.operands()) known = known && add(*operand, false, uses);
  known = known && add(instruction, true, uses);
  if (!known) uses.clear();
  return uses;
}

}  // namespace hilo
