// Private to the room: reads a module's directives, one after the other. A function's body has scopes, in
// which a name hides the same name outside.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/runtime/ptx/ptx_cursor.h"
#include "core/runtime/ptx/ptx_module.h"

namespace hilo {

class PtxReader {
 public:
  PtxReader(std::string_view text, const std::string& file) : in_(text, file) {}
  Result<PtxModule> readModule();

 private:
  // %r<10> declares %r0 to %r9; a register gets its number when it is first used.
  struct RegisterFamily {
    PtxType type;
    uint64_t count = 0;  // 0: one register of this very name
    absl::flat_hash_map<uint64_t, uint32_t> used;
  };
  struct Scope {
    absl::flat_hash_map<std::string, RegisterFamily> registers;
    absl::flat_hash_map<std::string, std::string> names;  // of labels and variables, and what they are called
    std::vector<uint32_t> uses;                           // instructions with names not found yet
  };

  // Of modules (read_ptx.cpp).
  Status readTopLevel();
  Status readHeader(std::string_view directive);
  Status skipSection();
  Status readFile();

  // Of variables (read_variable.cpp).
  Status readVariables(PtxSpace space, PtxLinkage linkage, std::vector<PtxVariable>& into);
  Result<PtxVariable> readVariable(PtxSpace space, PtxLinkage linkage);
  Status readVariableWords(PtxVariable& variable);
  Status readDimensions(PtxVariable& variable);
  Status readInitializer(PtxVariable& variable);
  Status readInitialValue(PtxVariable& variable, int depth);
  Status readParams(std::vector<PtxVariable>& params);

  // Of functions (read_function.cpp).
  Status readFunction(bool isEntry, PtxLinkage linkage);
  Status readAttributes(PtxFunction& function);
  Status readBody();
  Status readStatement();
  Status readBodyDirective(std::string_view directive);
  Status readRegisters();
  Status readLocation();
  Status readLabelled(std::string label);
  Status readInstruction();
  Status closeScope();
  Status findTargets();

  // Of operands (read_operand.cpp).
  Result<PtxOperand> readOperand(int depth);
  Result<PtxOperand> readSimple();
  Result<PtxOperand> readGroup(PtxOperand::Kind kind, std::string_view end, int depth);
  Result<PtxOperand> readAddress(int depth);
  Result<PtxOperand> readNamed();
  // The register's number, or kNone where none has this name.
  uint32_t findRegister(const std::string& name);
  Result<std::string> declare(const std::string& name);

  PtxCursor in_;
  PtxModule module_;
  PtxFunction* function_ = nullptr;
  std::vector<Scope> scopes_;                              // those open
  absl::flat_hash_map<std::string, uint32_t> givenNames_;  // of this function, and how often each
};

}  // namespace hilo
