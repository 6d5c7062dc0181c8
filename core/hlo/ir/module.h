// An HLO module: computations, header attributes, source tables, and the storage everything in it lives in.
//
// Threads: a module is built and changed by one thread; once handed out as shared_ptr<const Module> it is not
// changed any more and may be read from any thread. A pass works on a clone.
// Ownership: instructions, computations, names and payloads live in arenas that clones share, so a clone
// costs only its instructions. Anything reachable from a module is valid as long as that module is.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/ir/instruction.h"
#include "core/hlo/ir/provenance.h"
#include "core/hlo/ir/stack_frames.h"
#include "core/hlo/ir/text_style.h"

namespace hilo {

class Module {
 public:
  explicit Module(std::string_view name);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::string_view name() const { return name_; }
  void setName(std::string_view name);

  // In the order read: called before caller, the entry usually last.
  std::span<Computation* const> computations() const { return computations_; }
  Computation* entry() const { return entry_; }
  void setEntry(Computation* entry) { entry_ = entry; }
  Computation* createComputation(std::string_view name, Computation* before = nullptr);
  // Unlinks a computation that nothing calls and that is not the entry, with its instructions.
  void removeComputation(Computation* computation);
  Computation* findComputation(std::string_view name) const;  // linear

  // By id; null when the id is unknown here or its instruction was removed.
  Instruction* instruction(InstructionId id) const {
    return id.value < instructions_.size() ? instructions_[id.value] : nullptr;
  }
  Computation* computation(ComputationId id) const;
  // Linear over the whole module. With or without a leading '%'.
  Instruction* findInstruction(std::string_view name) const;
  size_t instructionCount() const;
  // One past the largest instruction id ever given: the size of a table indexed by id.
  uint32_t idLimit() const { return static_cast<uint32_t>(instructions_.size()); }

  // Header attributes (is_scheduled, input_output_alias, num_partitions, frontend_attributes, ...).
  const AttributeList& attributes() const { return attributes_; }
  AttributeList& attributes() { return attributes_; }
  template <Attr A>
  auto get() const {
    return attributes_.get<A>();
  }
  template <Attr A>
  void set(const typename AttrTraits<A>::Type& value) {
    const auto rank = [](const void*, Attr attr) { return static_cast<int>(attr); };
    attributes_.put(arena(), packAttribute<A>(arena(), value), rank, nullptr);
  }
  bool isScheduled() const { return get<Attr::IsScheduled>().value_or(false); }
  int64_t partitionCount() const { return get<Attr::NumPartitions>().value_or(1); }
  int64_t replicaCount() const { return get<Attr::ReplicaCount>().value_or(1); }

  StackFrameTables& stackFrames() { return stackFrames_; }
  const StackFrameTables& stackFrames() const { return stackFrames_; }
  TextStyle& textStyle() { return textStyle_; }
  const TextStyle& textStyle() const { return textStyle_; }

  // The text this module was parsed from, if it was; names may be views into it.
  const std::shared_ptr<const std::string>& sourceText() const { return sourceText_; }
  void setSourceText(std::shared_ptr<const std::string> text);

  Arena& arena();
  // `text` itself when it lies in the source text, else a copy in the arena: a view that lives
  // with the module.
  std::string_view keep(std::string_view text);
  // Keeps a literal for the life of the module and its clones.
  const Literal* own(Literal literal);
  // A name not yet used in this module: `base`, or `base.N`.
  std::string_view uniqueName(std::string_view base);

  // A deep copy with the same ids, names and order that shares storage with this one.
  std::unique_ptr<Module> clone() const;

  // Provenance. While a pass name is set, create() and replaceAllUses() record it.
  void beginPass(std::string_view passName);
  void endPass() { recording_ = false; }
  std::span<const std::string> passNames() const { return passNames_; }
  const Provenance* provenance(InstructionId id) const;
  void recordProvenance(InstructionId made, InstructionId from);

 private:
  friend class Computation;
  struct Storage;
  InstructionId registerInstruction(Instruction* instruction);

  std::string_view name_;
  std::vector<Computation*> computations_;
  std::vector<Computation*> computationsById_;
  std::vector<Instruction*> instructions_;
  Computation* entry_ = nullptr;
  AttributeList attributes_;
  StackFrameTables stackFrames_;
  TextStyle textStyle_;
  std::shared_ptr<const std::string> sourceText_;
  std::shared_ptr<Storage> storage_;
  std::vector<std::shared_ptr<const Storage>> inherited_;
  std::unique_ptr<absl::flat_hash_map<std::string, uint32_t>> usedNames_;  // built at the first uniqueName
  std::vector<std::string> passNames_;
  absl::flat_hash_map<InstructionId, Provenance> provenance_;
  bool recording_ = false;
};

}  // namespace hilo

#include "core/hlo/ir/computation.h"
