// Makes the instructions of one device's program in front of the instruction that is being partitioned, with
// its metadata and frontend attributes. Each collective gets a remark that says what made it necessary.
#pragma once

#include "core/compiler/spmd/spmd_remarks.h"
#include "core/compiler/spmd/tiling.h"

namespace hilo {

// Devices that meet: each run of `size` is a group.
struct DeviceGroups {
  DeviceOrder devices;
  int64_t size = 1;
};

class LocalBuilder {
 public:
  LocalBuilder(Module& module, PassContext& context);

  Module& module() const { return module_; }
  PassContext& context() const { return context_; }
  int64_t partitions() const { return partitions_; }

  // What is made from now on stands in front of `instruction` and is made for it.
  void moveTo(Instruction& instruction) { at_ = &instruction; }
  Instruction& at() const { return *at_; }
  // Why the collectives made from now on are needed.
  void setCause(MoveRemark cause) { cause_ = std::move(cause); }
  const MoveRemark& cause() const { return cause_; }
  void remark(std::string_view kind, std::string message, RemarkFacts facts = {});

  Instruction* make(Opcode opcode, Shape shape, std::initializer_list<Instruction*> operands);
  Instruction* makeLike(const Instruction& original, std::span<Instruction* const> operands, Shape shape);
  Instruction* constant(Literal literal);
  Instruction* integer(int64_t value);  // s32
  // The same scalar in every element of a shape like `like`.
  Instruction* splat(Instruction* scalar, Shape like);
  Instruction* zeros(Shape shape);
  Instruction* slice(Instruction* array, std::span<const int64_t> sizes);  // from the origin
  Instruction* padHigh(Instruction* array, std::span<const int64_t> sizes);
  Instruction* reshape(Instruction* array, std::span<const int64_t> sizes);
  Instruction* transpose(Instruction* array, std::span<const int64_t> order);
  // A scalar that is numbers[partition] on each device: s32. Made once a computation.
  Instruction* byPartition(const DeviceNumbers& numbers);
  // Whether the number is 0, by partition, in every element of a shape like `like`: pred.
  Instruction* whereZero(const DeviceNumbers& numbers, Shape like);

  Instruction* allGather(Instruction* array, int64_t dimension, const DeviceGroups& groups);
  Instruction* allToAll(Instruction* array, int64_t dimension, const DeviceGroups& groups);
  Instruction* allReduce(Instruction* array, Opcode combiner, const DeviceGroups& groups);
  Instruction* permute(Instruction* array, std::span<const std::pair<int64_t, int64_t>> pairs);

 private:
  Instruction* collective(Instruction* made, const DeviceGroups& groups, bool byGlobalId);
  void mark(Instruction* made);
  Instruction* makeAtStart(Opcode opcode, ElementType type, std::initializer_list<Instruction*> operands);
  Instruction* integerAtStart(int64_t value);
  Instruction* partitionId();
  Instruction* digit(const DeviceNumbers::Term& term);
  Instruction* tableLookup(const std::vector<int64_t>& numbers);
  Computation* combinerOf(Opcode opcode, ElementType type);

  Module& module_;
  PassContext& context_;
  int64_t partitions_;
  int64_t nextChannel_ = 1;
  Instruction* at_ = nullptr;
  MoveRemark cause_;
  struct PartitionNumbers {
    Instruction* id = nullptr;   // s32
    Instruction* end = nullptr;  // behind all of them
    std::vector<std::pair<DeviceNumbers, Instruction*>> known;
  };
  absl::flat_hash_map<const Computation*, PartitionNumbers> partitionNumbers_;
};

// The element type of `like` with other sizes: its layout where the rank is the same, else row-major.
Shape shapeLike(Shape like, std::span<const int64_t> sizes);
// Where an instruction comes from in its program: "model.py:12", or "".
std::string sourceLineOf(const Instruction& instruction);

}  // namespace hilo
