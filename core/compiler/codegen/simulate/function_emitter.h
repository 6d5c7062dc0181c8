// Private to the room: LLVM IR of a PTX function for one thread. Registers are integers of their width, which
// LLVM turns into values; what an instruction means is written by the functions of translations.def.
//
// Addresses of global, constant, local and parameter memory are the host's; shared ones are places in the
// window of the block, at SimThread::shared.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>

#include "core/base/result.h"
#include "core/runtime/ptx/ptx_module.h"

namespace hilo {

// What all functions of a kernel share.
struct KernelContext {
  const PtxModule& ptx;
  llvm::Module& out;
  bool isChecked = false;
  absl::flat_hash_map<std::string, uint32_t> sharedPlaces;  // of variables in the window
  absl::flat_hash_map<std::string, uint32_t> paramOffsets;  // of the kernel
  std::map<std::string, llvm::Function*> functions;
};

class FunctionEmitter {
 public:
  using Value = llvm::Value*;

  FunctionEmitter(KernelContext& context, const PtxFunction& ptx, llvm::Function* function);
  // Problems are those of single instructions; the function is whole without them only where there are none.
  void emit(Diagnostics& problems);

  llvm::IRBuilder<>& b() { return b_; }
  KernelContext& context() { return context_; }
  const PtxFunction& function() const { return ptx_; }
  const PtxInstruction& at() const { return *at_; }
  const PtxOperand& operand(size_t i) const { return at_->operands[i]; }
  size_t operands() const { return at_->operands.size(); }
  Value thread() { return function_->getArg(0); }
  Value line() { return b_.getInt32(at_->line); }
  std::unexpected<Diagnostic> unsupported(std::string why = "");

  // The types among the instruction's modifiers, in order; `type` is that in the given place, of those there
  // are.
  const std::vector<PtxType>& types() const { return types_; }
  Result<PtxType> type(size_t i = 0);

  // Values: i1 of a predicate, iN, float, double; of narrower floats and of several lanes their bits.
  llvm::Type* valueType(const PtxType& type);
  Value read(const PtxOperand& operand, const PtxType& type);
  Value read(size_t i, const PtxType& type) { return read(operand(i), type); }
  Value readBits(size_t i, unsigned bits) { return read(operand(i), {PtxTypeKind::Bits, uint16_t(bits), 1}); }
  Value predicate(const PtxOperand& operand);
  // To a register wider than the type the value is extended, with its sign where the type has one.
  void write(const PtxOperand& operand, Value value, const PtxType& type);
  void write(Value value, const PtxType& type) { write(operand(0), value, type); }
  void writeBits(const PtxOperand& operand, Value value);
  Value bitsOf(Value value);  // an integer of as many bits

  // Lanes of a float type as float or double each, and back, rounded to nearest.
  std::vector<Value> lanes(Value value, const PtxType& type);
  Value join(const std::vector<Value>& lanes, const PtxType& type);
  Value widen(Value bits, const PtxType& lane);
  Value narrow(Value value, const PtxType& lane);
  Value roundToOdd(Value wide);
  Value flush(Value value);  // subnormals to zero, keeping the sign

  // Where [base + offset] lies.
  Value pointer(const PtxOperand& address, PtxSpace space, bool inCluster = false);
  // Of a name: the address of a variable as an instruction sees it, 64 bits.
  Value addressOf(const std::string& name, uint64_t offset);
  Value sharedPointer(Value place, bool inCluster);
  // Tells check mode of an access.
  void tellAccess(Value pointer, uint64_t bytes, uint32_t kind);

  // A field of SimThread.
  Value field(size_t offset, unsigned bits = 32);
  void setField(size_t offset, Value value);
  Value special(const std::string& name);
  // A function of sim_functions.def, after the thread: "warp".
  Value call(const std::string& name, llvm::Type* result, llvm::ArrayRef<Value> arguments);
  Value callPlain(const std::string& name, llvm::Type* result, llvm::ArrayRef<Value> arguments);
  Value intrinsic(llvm::Intrinsic::ID id, Value a) { return b_.CreateUnaryIntrinsic(id, a); }
  Value intrinsic(llvm::Intrinsic::ID id, Value a, Value b) { return b_.CreateBinaryIntrinsic(id, a, b); }
  // A place on the stack, made once.
  Value room(llvm::Type* type, uint64_t count = 1, uint64_t alignment = 8);
  Value carry();                            // where add.cc leaves its carry
  Value variable(const std::string& name);  // where a local or parameter of this function lies; null: none

  // Control.
  llvm::BasicBlock* target(const std::string& label);
  llvm::BasicBlock* targetAt(uint32_t instruction);
  void ret();
  // What a loop does each time round, where threads may wait in it.
  void countTurn(uint32_t targetInstruction);
  void endBlock() { ended_ = true; }
  const PtxTargets* targetsOf(const std::string& name) const;

 private:
  void declareVariables();
  void makeBlocks();
  void emitInstruction(uint32_t i, Diagnostics& problems);
  Value constant(const PtxOperand& operand, const PtxType& type);

  KernelContext& context_;
  const PtxFunction& ptx_;
  llvm::Function* function_;
  llvm::IRBuilder<> b_;
  std::vector<llvm::AllocaInst*> registers_;
  absl::flat_hash_map<std::string, Value> variables_;
  absl::flat_hash_map<std::string, uint32_t> labels_;
  std::vector<llvm::BasicBlock*> blocks_;  // by the instruction they begin at; null: none does
  const PtxInstruction* at_ = nullptr;
  uint32_t place_ = 0;  // of at_
  std::vector<PtxType> types_;
  bool ended_ = false;
  Value carry_ = nullptr;
  std::string problem_;  // of what the instruction reads
};

// What kernels take for the address of a function: a number, the same in all kernels of a module; 0 where there is
// none of this name.
uint64_t functionAddress(const PtxModule& module, const std::string& name);

// Whether threads may wait in this loop for what others write: it reads memory that others change.
bool mayWait(const PtxFunction& function, uint32_t from, uint32_t to);
// Of an instruction that threads do together, so that each must be a fiber.
bool isTogether(PtxOp op);

}  // namespace hilo
