// An HLO instruction. Made by Computation::create, owned by its module's arena, freed with the module.
//
// Semantics every room relies on:
//  - Operands are in the same computation and come before their users in the computation's list; the list is
//    the schedule when the module is scheduled and a topological order always.
//  - users() names each user once, however often it uses the value, in no promised order.
//  - Names are unique in a module as XLA prints them; ids are unique in a module, never reused, and kept by
//    clones, so the same id in two snapshots of a pipeline is the same instruction.
//  - Control predecessors are an attribute (Attr::ControlPredecessors). Each of them knows that it was named,
//    so that an instruction nobody waited for is removed without a look at the others.
#pragma once

#include <absl/container/inlined_vector.h>

#include <span>
#include <string_view>

#include "core/base/typed_id.h"
#include "core/hlo/ir/attribute.h"
#include "core/hlo/ir/literal.h"
#include "core/hlo/ir/opcode.h"

namespace hilo {

class Module;
using InstructionId = TypedId<struct InstructionTag>;
using ComputationId = TypedId<struct ComputationTag>;

// A growing list in an arena; old room is left behind. Trivially destructible.
template <typename T>
struct ArenaList {
  T* data = nullptr;
  uint32_t count = 0;
  uint32_t capacity = 0;

  std::span<T> span() const { return {data, count}; }
  void push(Arena& arena, T item) {
    if (count == capacity) reserve(arena, capacity == 0 ? 2 : 2 * capacity);
    data[count++] = item;
  }
  void reserve(Arena& arena, uint32_t newCapacity) {
    if (newCapacity <= capacity) return;
    auto room = arena.allocateArray<T>(newCapacity);
    std::uninitialized_copy(data, data + count, room.data());
    data = room.data();
    capacity = newCapacity;
  }
};

class Instruction {
 public:
  InstructionId id() const { return id_; }
  Opcode opcode() const { return opcode_; }
  // XLA's text name; for an opcode Hilo does not know, the name as read.
  std::string_view opcodeText() const;
  Shape shape() const { return shape_; }
  std::string_view name() const { return name_; }
  Computation& parent() const { return *parent_; }
  Module& module() const;
  bool isRoot() const;
  // Whether an instruction has, or once had, this one among its control predecessors.
  bool wasControlPredecessor() const { return wasControlPredecessor_; }
  // Byte offset of the instruction's name in the text it was parsed from; kNoOffset when there is none.
  static constexpr uint32_t kNoOffset = 0xffffffff;
  uint32_t sourceOffset() const { return sourceOffset_; }

  std::span<Instruction* const> operands() const { return operands_.span(); }
  size_t operandCount() const { return operands_.count; }
  Instruction* operand(size_t index) const { return operands_.data[index]; }
  std::span<Instruction* const> users() const { return users_.span(); }

  // Attributes.
  std::span<const Attribute> attributes() const { return attributes_.all(); }
  bool has(Attr attr) const { return attributes_.has(attr); }
  const Attribute* find(Attr attr) const { return attributes_.find(attr); }
  // An optional for scalars, enums and Shape; a view, span or pointer, empty or null when absent,
  // for the rest.
  template <Attr A>
  auto get() const {
    return attributes_.get<A>();
  }
  // Copies the value into the module's storage; replaces or inserts at its print position.
  template <Attr A>
  void set(const typename AttrTraits<A>::Type& value);
  void erase(Attr attr) { attributes_.erase(attr); }

  // Shorthands; each CHECKs the opcode where the attribute belongs to one.
  int64_t parameterNumber() const;
  const Literal& literal() const;  // of a constant
  int64_t tupleIndex() const;
  std::span<const int64_t> dimensions() const { return get<Attr::Dimensions>(); }
  std::string_view opName() const;
  // Every computation an attribute names, in attribute order.
  absl::InlinedVector<Computation*, 2> calledComputations() const;

  void setName(std::string_view name);
  void setShape(Shape shape) { shape_ = shape; }
  void setSourceOffset(uint32_t offset) { sourceOffset_ = offset; }
  void setOperand(size_t index, Instruction* operand);
  void appendOperand(Instruction* operand);
  // Turns this into another operation in place: opcode, operands; attributes are dropped except
  // the common ones.
  void become(Opcode opcode, std::span<Instruction* const> operands);

  // For readers that fill an instruction as they go (text, proto): payloads already in the module's storage.
  AttributeList& attributeList() { return attributes_; }
  const AttributeList& attributeList() const { return attributes_; }

  Instruction* next() const { return next_; }
  Instruction* previous() const { return previous_; }

 private:
  friend class Computation;
  friend class Module;
  friend class Arena;
  friend class AttributeList;
  Instruction() = default;
  Arena& arena() const;
  void addUser(Instruction* user);
  void removeUserUnlessOperandOf(Instruction* user);

  Opcode opcode_ = Opcode::Opaque;
  bool wasControlPredecessor_ = false;
  InstructionId id_;
  Shape shape_;
  std::string_view name_;
  Computation* parent_ = nullptr;
  Instruction* previous_ = nullptr;
  Instruction* next_ = nullptr;
  ArenaList<Instruction*> operands_;
  ArenaList<Instruction*> users_;
  AttributeList attributes_;
  uint32_t sourceOffset_ = kNoOffset;
};

template <Attr A>
void Instruction::set(const typename AttrTraits<A>::Type& value) {
  Arena& arena = this->arena();
  const auto rank = [](const void* context, Attr attr) {
    return attributeRank(*static_cast<const Opcode*>(context), attr);
  };
  attributes_.put(arena, packAttribute<A>(arena, value), rank, &opcode_);
}
}  // namespace hilo
