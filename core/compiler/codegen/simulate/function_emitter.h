// Private to the room: LLVM IR of a PTX function for one thread. Registers are integers of their width, which
// LLVM turns into values; what an instruction means is written by the functions of translations.def.
#pragma once

#include "core/compiler/codegen/simulate/operand_emitter.h"

namespace hilo {

class FunctionEmitter : public OperandEmitter {
 public:
  using OperandEmitter::OperandEmitter;

  // Problems are those of single instructions; the function is whole only where there are none.
  void emit(Diagnostics& problems);

  // Null of a name that is no label.
  llvm::BasicBlock* target(const std::string& label);
  void ret();
  // What a loop does each time round, where threads may wait in it.
  void countTurn(uint32_t targetInstruction);
  // The block that is written has its end.
  void endBlock() { ended_ = true; }
  const PtxTargets* targetsOf(const std::string& name) const;
  Value carry();  // where add.cc leaves its carry

 private:
  void declareVariables();
  void makeBlocks();
  void beginBlock(uint32_t i);
  void emitInstruction(uint32_t i, Diagnostics& problems);
  llvm::BasicBlock* beginGuard();
  Value counted();
  void countInstruction();

  absl::flat_hash_map<std::string, uint32_t> labels_;
  std::vector<llvm::BasicBlock*> blocks_;  // by the instruction they begin at; null: none does
  uint32_t place_ = 0;                     // of at_
  Value carry_ = nullptr, counted_ = nullptr;
  bool ended_ = false;
};

// Whether threads may wait in this loop for what others write: it reads memory that others change.
bool mayWait(const PtxFunction& function, uint32_t from, uint32_t to);

}  // namespace hilo
