// An HLO computation: a list of instructions with a root. Owned by its module's arena.
#pragma once

#include <iterator>

#include "core/hlo/ir/instruction.h"

namespace hilo {

// Iterates a computation's instructions in order. Removing the instruction just visited is allowed;
// instructions inserted right after it are then not visited.
class InstructionRange {
 public:
  class Iterator {
   public:
    using value_type = Instruction*;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(Instruction* at = nullptr) : at_(at), next_(at ? at->next() : nullptr) {}
    Instruction* operator*() const { return at_; }
    Iterator& operator++() {
      at_ = next_;
      next_ = at_ ? at_->next() : nullptr;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    Instruction* at_;
    Instruction* next_;
  };
  explicit InstructionRange(Instruction* first) : first_(first) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(); }

 private:
  Instruction* first_;
};

class Computation {
 public:
  ComputationId id() const { return id_; }
  std::string_view name() const { return name_; }
  Module& module() const { return *module_; }
  bool isEntry() const;
  uint32_t sourceOffset() const { return sourceOffset_; }
  void setSourceOffset(uint32_t offset) { sourceOffset_ = offset; }
  void setName(std::string_view name);

  InstructionRange instructions() const { return InstructionRange(first_); }
  Instruction* first() const { return first_; }
  Instruction* last() const { return last_; }
  size_t instructionCount() const { return count_; }
  Instruction* root() const { return root_; }  // null only in a broken module the verifier rejects
  void setRoot(Instruction* root) { root_ = root; }
  // Parameters in number order; null where a broken module lacks one.
  std::span<Instruction* const> parameters() const { return parameters_.span(); }
  Instruction* find(std::string_view name) const;  // linear

  // execution_thread and the like.
  const AttributeList& attributes() const { return attributes_; }
  AttributeList& attributes() { return attributes_; }

  // Makes an instruction before `before` (default: at the end). `name` empty: a unique one from the opcode.
  // A given name is taken as it is (copied unless it lies in the source text): readers keep what was written,
  // duplicates are the verifier's to report.
  Instruction* create(Opcode opcode, Shape shape, std::span<Instruction* const> operands,
                      std::string_view name = {}, Instruction* before = nullptr);
  Instruction* create(Opcode opcode, Shape shape, std::initializer_list<Instruction*> operands,
                      std::string_view name = {}, Instruction* before = nullptr) {
    return create(opcode, shape, std::span<Instruction* const>(operands.begin(), operands.size()), name,
                  before);
  }
  Instruction* createParameter(int64_t number, Shape shape, std::string_view name = {});
  Instruction* createConstant(Literal literal, Instruction* before = nullptr, std::string_view name = {});
  // Tells parameters() about a parameter made by create and numbered by its attribute.
  void registerParameter(Instruction* parameter, int64_t number);
  // A copy of `original` (any computation of any module that shares storage with this one, or is deep-copied
  // by the caller) with other operands: attributes but control predecessors are kept, id and name are new.
  Instruction* createLike(const Instruction& original, std::span<Instruction* const> operands,
                          Instruction* before = nullptr);

  // Every use of `from` becomes a use of `to`, the root included; control predecessors stay.
  // Provenance is recorded.
  void replaceAllUses(Instruction* from, Instruction* to);
  // Unlinks an instruction without users that is not the root. Its control predecessors are handed to its
  // control successors. Its id stays known but maps to nothing.
  void remove(Instruction* instruction) { removeAll({&instruction, 1}); }
  // The same for many; each must have no users but those before it in the list. Looks through the computation
  // once where one of them was a control predecessor.
  void removeAll(std::span<Instruction* const> instructions);
  void moveBefore(Instruction* instruction, Instruction* before);
  // Puts the instructions in this order, which must hold each exactly once.
  void reorder(std::span<Instruction* const> order);

 private:
  friend class Module;
  friend class Arena;
  Computation() = default;
  void link(Instruction* instruction, Instruction* before);
  void unlink(Instruction* instruction);

  Module* module_ = nullptr;
  ComputationId id_;
  std::string_view name_;
  Instruction* first_ = nullptr;
  Instruction* last_ = nullptr;
  Instruction* root_ = nullptr;
  size_t count_ = 0;
  ArenaList<Instruction*> parameters_;
  AttributeList attributes_;
  uint32_t sourceOffset_ = Instruction::kNoOffset;
};

}  // namespace hilo
