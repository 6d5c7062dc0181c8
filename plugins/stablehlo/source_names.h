// What the text of a module calls its values, and where they stand there.
#pragma once

#include <llvm/Support/SourceMgr.h>
#include <mlir/AsmParser/AsmParserState.h>
#include <mlir/IR/Operation.h>

#include <cstdint>
#include <string>

namespace hilo::stablehlo {

struct SourceName {
  std::string
      name;  // "%254", "%arg0"; of several results the one name they have; "" of an operation without any
  uint32_t line = 0, column = 0;  // from 1; 0: not known
};

// Both outlive it.
class SourceNames {
 public:
  SourceNames(const llvm::SourceMgr& sources, const mlir::AsmParserState& state)
      : sources_(sources), state_(state) {}
  // The place is that of the operation's own name.
  SourceName of(mlir::Operation* op) const;
  SourceName of(mlir::BlockArgument argument) const;

 private:
  SourceName at(llvm::SMLoc place, llvm::StringRef name) const;

  const llvm::SourceMgr& sources_;
  const mlir::AsmParserState& state_;
};

// `name` without its "%" where HLO's text can have it as the name of an instruction: "arg0" of
// "%arg0"; else "".
std::string hloNameOf(llvm::StringRef name);

}  // namespace hilo::stablehlo
