#include "core/compiler/passes/memory/special_copies.h"

#include "core/analysis/async_chain.h"
#include "core/analysis/async_op.h"
#include "core/analysis/dataflow/operand_sharing.h"
#include "core/analysis/dataflow/overwritten_values.h"
#include "core/compiler/pass/replace_uses.h"
#include "core/compiler/passes/memory/deep_copy.h"

namespace hilo {
namespace {

// What to copy of each instruction, in the order found.
class CopyList {
 public:
  explicit CopyList(const CallGraph& calls) : calls_(calls) {}

  void add(const Instruction& instruction, const ShapeIndex& index, std::string reason) {
    const auto part = subshapeAt(instruction.shape(), index);
    if (!part || part->isBuffer() || isWrapped(instruction.parent())) return;
    if (isInLoopWithoutCopies(instruction.parent())) return;
    auto& parts = parts_[instruction.id()];
    if (parts == nullptr) {
      parts = std::make_unique<PartsToCopy>(instruction.shape());
      order_.push_back(instruction.id());
    }
    const uint32_t ordinal = parts->table().find(index);
    parts->mark(ordinal);
    why_[{instruction.id().value, ordinal}] = std::move(reason);
  }

  bool apply(Module& module, CopyReasons& reasons) {
    for (const InstructionId id : order_) {
      Instruction* instruction = module.instruction(id);
      Computation& computation = instruction->parent();
      const std::vector<Instruction*> users(instruction->users().begin(), instruction->users().end());
      std::vector<Instruction*> copies;
      Instruction* copied = deepCopy(instruction, *parts_.at(id), instruction->next(), copies);
      for (Instruction* user : users) replaceUsesBy(user, instruction, copied);
      if (computation.root() == instruction) computation.setRoot(copied);
      for (uint32_t i = 0; i < copies.size(); ++i) {
        if (copies[i] != nullptr) reasons[copies[i]->id()] = why_[{id.value, i}];
      }
    }
    return !order_.empty();
  }

 private:
  // Copies around an asynchronous operation belong outside it.
  bool isWrapped(const Computation& computation) const {
    return std::ranges::any_of(calls_.node(computation).callers,
                               [](const Instruction* caller) { return isAsyncLink(*caller); });
  }

  bool isInLoopWithoutCopies(const Computation& computation) const {
    return std::ranges::any_of(calls_.node(computation).callers, [&](const Instruction* caller) {
      return (caller->opcode() == Opcode::While &&
              hasFrontendAttribute(*caller, kDisableLoopCopies, "true")) ||
             isInLoopWithoutCopies(caller->parent());
    });
  }

  const CallGraph& calls_;
  absl::flat_hash_map<InstructionId, std::unique_ptr<PartsToCopy>> parts_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, std::string> why_;
  std::vector<InstructionId> order_;
};

// What shares the buffer of a read-only value and writes it; null when nothing does.
const HloValue* writerOver(const DataflowAnalysis& dataflow, const HloBuffer& buffer, ValueId value) {
  const auto writer = std::ranges::find_if(
      buffer.values, [&](ValueId id) { return id != value && !dataflow.value(id).isPhi; });
  return writer == buffer.values.end() ? nullptr : &dataflow.value(*writer);
}

std::string whyReadOnly(const HloValue& value, const HloValue* writer, uint32_t firstNew) {
  const bool constant = value.instruction().opcode() == Opcode::Constant;
  const std::string name = "%" + toString(value.definition());
  if (writer == nullptr)
    return fmt::format("{} {} must stay as it is", constant ? "constant" : "parameter", name);
  const Instruction& by = writer->instruction();
  const std::string written = by.id().value < firstNew
                                  ? "%" + toString(writer->definition()) + " writes over it"
                                  : "the copy of " + nameBefore(by, firstNew) + " is written over it";
  return fmt::format("{}, and {} {} must stay as it is", written, constant ? "constant" : "parameter", name);
}

// Values that share a buffer where the one's user makes the other without being able to write
// over its operand.
void findForbiddenSharing(const AliasAnalysis& aliases, const HloBuffer& buffer, CopyList& list) {
  const DataflowAnalysis& dataflow = aliases.dataflow();
  absl::flat_hash_map<const Instruction*, std::vector<const HloValue*>> made;
  for (const ValueId id : buffer.values)
    made[&dataflow.value(id).instruction()].push_back(&dataflow.value(id));
  for (const ValueId id : buffer.values) {
    for (const HloUse& use : dataflow.value(id).uses) {
      const auto found = made.find(use.instruction);
      // Where a buffer value begins, its copy was made before.
      if (found == made.end() || use.instruction->get<Attr::CustomCallTarget>() == kPinTarget) continue;
      const bool laterLink =
          use.instruction->opcode() == Opcode::AsyncUpdate || use.instruction->opcode() == Opcode::AsyncDone;
      if (laterLink && use.operandNumber == 0) continue;
      const Instruction& operand = *use.instruction->operand(use.operandNumber);
      for (const HloValue* value : found->second) {
        if (value->id == id || canShareOperandBuffer(dataflow, operand, use.operandIndex, *use.instruction,
                                                     value->index(), aliases.backend()))
          continue;
        list.add(operand, use.operandIndex,
                 fmt::format("%{} cannot write its result over this operand", use.instruction->name()));
      }
    }
  }
}

bool conditionalMergesAt(const DataflowAnalysis& dataflow, const Computation& computation, uint32_t ordinal) {
  for (const Instruction* caller : dataflow.callGraph().node(computation).callers) {
    if (caller->opcode() != Opcode::Conditional) continue;
    const auto sets = dataflow.valueSetsOf(*caller);
    if (ordinal >= sets.size()) return true;
    if (std::ranges::any_of(sets[ordinal], [&](ValueId id) { return dataflow.value(id).isPhi; })) return true;
  }
  return false;
}

// Results of which one buffer would be given back twice, or that might be in one of several.
void findSharedResults(const Module& module, const AliasAnalysis& aliases, const Computation& computation,
                       CopyList& list) {
  const DataflowAnalysis& dataflow = aliases.dataflow();
  const Instruction& root = *computation.root();
  const auto parts = dataflow.subshapes(root).parts();
  absl::flat_hash_map<BufferId, ShapeIndex> seen;
  for (uint32_t i = 0; i < parts.size(); ++i) {
    const ShapeIndex& index = parts[i].index;
    const bool mustDiffer = computation.isEntry() || conditionalMergesAt(dataflow, computation, i);
    const auto buffers = aliases.buffersAt(root, index);
    bool again = false;
    for (const BufferId buffer : buffers) again |= !seen.emplace(buffer, index).second;
    const auto isAlias = [&](const AliasEntry& alias) {
      return std::ranges::equal(alias.outputIndex, index);
    };
    if (again && mustDiffer && computation.isEntry() && buffers.size() == 1 &&
        std::ranges::any_of(module.get<Attr::InputOutputAlias>(), isAlias)) {
      list.add(root, seen[buffers[0]],
               fmt::format("output {} is the one that takes the parameter's place", toString(index)));
    } else if (buffers.size() > 1) {
      list.add(root, index, "it may be in one of several places");
    } else if (again && mustDiffer) {
      list.add(root, index, fmt::format("output {} is the same buffer", toString(seen[buffers[0]])));
    }
  }
}

void findReadOnlyResults(const Module& module, const AliasAnalysis& aliases, CopyList& list) {
  const DataflowAnalysis& dataflow = aliases.dataflow();
  const Instruction& root = *module.entry()->root();
  const auto parts = dataflow.subshapes(root).parts();
  const auto sets = dataflow.valueSetsOf(root);
  for (uint32_t i = 0; i < parts.size(); ++i) {
    for (const ValueId id : sets[i]) {
      const HloValue& value = dataflow.value(id);
      if (!isReadOnly(module, value)) continue;
      const bool constant = value.instruction().opcode() == Opcode::Constant;
      list.add(root, parts[i].index,
               fmt::format("the result would be {} %{} itself", constant ? "constant" : "parameter",
                           value.instruction().name()));
    }
  }
}

}  // namespace

bool addSpecialCopies(Module& module, const AliasAnalysis& aliases, uint32_t firstNew, CopyReasons& reasons) {
  const DataflowAnalysis& dataflow = aliases.dataflow();
  CopyList list(dataflow.callGraph());
  for (const HloBuffer& buffer : aliases.buffers()) {
    if (buffer.values.size() < 2) continue;
    for (const ValueId id : buffer.values) {
      const HloValue& value = dataflow.value(id);
      if (isReadOnly(module, value))
        list.add(value.instruction(), value.index(),
                 whyReadOnly(value, writerOver(dataflow, buffer, id), firstNew));
    }
    const Computation& home = dataflow.value(buffer.values[0]).instruction().parent();
    if (dataflow.callGraph().node(home).context != CallContext::Embedded)
      findForbiddenSharing(aliases, buffer, list);
  }
  for (const Computation* computation : module.computations()) {
    if (dataflow.callGraph().node(*computation).context != CallContext::Embedded)
      findSharedResults(module, aliases, *computation, list);
  }
  findReadOnlyResults(module, aliases, list);
  return list.apply(module, reasons);
}

}  // namespace hilo
