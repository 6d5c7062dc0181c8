// The printer proper: one pass over a module with the options and what the pass remembers.
// Internal to hlo/text.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/hlo/text/print.h"

namespace hilo {

class Printer {
 public:
  Printer(std::string& out, const PrintOptions& options, TextIndex* index = nullptr)
      : out_(out), options_(options), index_(index) {}

  void printModule(const Module& module);
  // `indent` in steps of two spaces. A nested one has no name.
  void printComputation(const Computation& computation, int indent, bool nested, bool close = true);
  // From its name to its last attribute.
  void printInstruction(const Instruction& instruction, int indent, bool nested);
  void printAttributeValue(const Attribute& attribute);

 private:
  // print_module.cpp
  void printHeader(const Module& module);
  void printHeaderAttribute(const Attribute& attribute);
  void printStackFrameTables(const StackFrameTables& tables);
  void printSignature(const Computation& computation);

  // print_instruction.cpp
  void printName(std::string_view name);
  void printInstructionName(const Instruction& instruction);
  void printOpcode(const Instruction& instruction);
  void printOperands(const Instruction& instruction);
  void printOperandList(const Instruction& instruction);
  void printOperand(const Instruction* operand);
  void printAttributes(const Instruction& instruction);
  bool isPrinted(const Attribute& attribute) const;
  void printAttribute(const Attribute& attribute);
  void printWrappedAttributes(const Instruction& start);
  void printShape(Shape shape);

  // print_attribute.cpp
  void printScalar(const Attribute& attribute);
  void printComputationReference(const Computation* computation);
  void printComputationList(std::span<Computation* const> list);
  void printMetadata(const OpMetadata& metadata);
  void printConfig(std::string_view text);
  void printFrontendAttributes(std::span<const FrontendAttribute> attributes);
  void printProgramShape(const ProgramShape& shape);

  std::string& out_;
  const PrintOptions& options_;
  TextIndex* index_;
  int indent_ = 0;
  bool nested_ = false;
  const Module* module_ = nullptr;
  // Text of the shapes met, by identity; with layouts or without as the options say.
  absl::flat_hash_map<const void*, std::string> shapes_;
  absl::flat_hash_map<const Instruction*, uint32_t> canonicalNames_;
};

// The operation a sugared async instruction wraps: found from the start of its chain. Null when the chain is
// broken or the computation holds more than parameters and one operation.
const Instruction* asyncWrapped(const Instruction& instruction);
// Whether a computation is only what a sugared async start implies.
bool isOneOperation(const Computation& computation);

}  // namespace hilo
