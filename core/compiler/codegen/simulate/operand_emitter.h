// Private to the room: the instruction that is written, and its operands as LLVM values.
//
// Addresses of global, constant, local and parameter memory are the host's; shared ones are places in the
// window of the block, at SimThread::shared.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <optional>

#include <map>
#include <string>

#include "core/base/result.h"
#include "core/compiler/codegen/simulate/register_values.h"
#include "core/runtime/device/simulated/simulated_code.h"
#include "core/runtime/ptx/ptx_module.h"

namespace hilo {

// What all functions of a kernel share.
struct KernelContext {
  const PtxModule& ptx;
  llvm::Module& out;
  bool isChecked = false, isCounted = false;
  absl::flat_hash_map<std::string, uint32_t> sharedPlaces;  // of variables in the window
  absl::flat_hash_map<std::string, uint32_t> paramOffsets;  // of the kernel
  std::map<std::string, llvm::Function*> functions;
  std::vector<SimulatedPoint> points = {{}};  // 0: the beginning
  std::vector<SimulatedAccess> accesses;      // where they are checked or counted
};

// A kernel for one thread of a warp: void(thread, params, warp, context, lane, is the warp a row, address 0).
// Functions that it calls: void(thread, a pointer a parameter and a result).
enum KernelArgument : unsigned {
  kThreadArgument,
  kParamsArgument,
  kWarpArgument,
  kContextArgument,
  kLaneArgument,
  kRowArgument,
  kOriginArgument
};

class OperandEmitter {
 public:
  using Value = llvm::Value*;

  OperandEmitter(KernelContext& context, const PtxFunction& ptx, llvm::Function* function)
      : context_(context), ptx_(ptx), function_(function), b_(context.out.getContext()), registers_(ptx) {}

  llvm::IRBuilder<>& b() { return b_; }
  KernelContext& context() { return context_; }
  const PtxFunction& function() const { return ptx_; }
  const PtxInstruction& at() const { return *at_; }
  // Where there are fewer the instruction is not simulated.
  const PtxOperand& operand(size_t i);
  // The i-th of a vector, or the operand itself where it is none.
  const PtxOperand& part(const PtxOperand& operand, size_t i);
  size_t operands() const { return at_->operands.size(); }
  Value thread() { return function_->getArg(0); }
  Value line() { return b_.getInt32(at_->line); }
  std::unexpected<Diagnostic> unsupported(std::string why = "");

  // The types among the instruction's modifiers, in order; `type` is the i-th, or the last.
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

  // Where [base + offset] lies.
  Value pointer(const PtxOperand& address, PtxSpace space, bool inCluster = false);
  Value sharedPointer(Value place, bool inCluster);
  // Tells check mode of an access, and counts it; `used`: what is wanted of it are the first so many bytes.
  void tellAccess(Value pointer, uint64_t bytes, uint32_t kind, std::optional<uint64_t> used = std::nullopt);
  Value field(size_t offset, unsigned bits = 32);  // of SimThread, alike in a warp
  Value laneId();
  Value toPointer(Value address);  // 64 bits
  // The thread waits here: what it lays down is at recordPlace(0) and on, what it takes back too.
  void wait(SimulatedPoint point);
  Value recordPlace(uint32_t i);

  // A function of sim_functions.def, "warp", called with the thread before the arguments, or without it.
  Value call(const std::string& name, llvm::Type* result, llvm::ArrayRef<Value> arguments);
  Value callPlain(const std::string& name, llvm::Type* result, llvm::ArrayRef<Value> arguments);
  Value intrinsic(llvm::Intrinsic::ID id, Value a) { return b_.CreateUnaryIntrinsic(id, a); }
  Value intrinsic(llvm::Intrinsic::ID id, Value a, Value b) { return b_.CreateBinaryIntrinsic(id, a, b); }
  // A place on the stack, made once.
  Value room(llvm::Type* type, uint64_t count = 1, uint64_t alignment = 8);
  Value variable(const std::string& name);  // where a local or parameter of this function lies; null: none

 protected:
  // Of a name: the address of a variable as an instruction sees it, 64 bits.
  Value addressOf(const std::string& name, uint64_t offset);
  Value special(const std::string& name);
  Value constant(const PtxOperand& operand, const PtxType& type);
  Value place(const std::string& name, size_t offset, unsigned dimension);

  KernelContext& context_;
  const PtxFunction& ptx_;
  llvm::Function* function_;
  llvm::IRBuilder<> b_;
  RegisterValues registers_;
  absl::flat_hash_map<std::string, Value> variables_;
  const PtxInstruction* at_ = nullptr;
  std::vector<PtxType> types_;
  std::string problem_;  // of what the instruction reads
};

// A load of what does not change while a kernel runs.
llvm::Value* unchanging(llvm::IRBuilder<>& b, llvm::Type* type, llvm::Value* pointer);

// What kernels take for the address of a function: a number, the same in all kernels of a module; 0 where
// there is none of this name.
uint64_t functionAddress(const PtxModule& module, const std::string& name);

}  // namespace hilo
