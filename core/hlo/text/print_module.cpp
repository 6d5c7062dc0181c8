// Modules and computations: the header, the stack frame tables, signatures and bodies.

#include "core/hlo/text/escape.h"
#include "core/hlo/text/print_values.h"
#include "core/hlo/text/printer.h"

namespace hilo {
namespace {

constexpr size_t kNameAfterBraceFrom = 6;

bool isWrappedByAsync(const Computation& computation,
                      const absl::flat_hash_set<const Computation*>& wrapped) {
  return wrapped.contains(&computation) && isOneOperation(computation);
}

absl::flat_hash_set<const Computation*> asyncComputations(const Module& module) {
  absl::flat_hash_set<const Computation*> wrapped;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::AsyncStart) continue;
      if (const Computation* called = instruction->get<Attr::Calls>()) wrapped.insert(called);
    }
  }
  return wrapped;
}

}  // namespace

void Printer::printHeaderAttribute(const Attribute& attribute) {
  if (attribute.key == Attr::UnknownFields || attribute.key == Attr::UniqueId ||
      attribute.key == Attr::CrossProgramPrefetches || attribute.key == Attr::HostProgramShape) {
    return;
  }
  out_ += attribute.key == Attr::DebugAttributes ? ",\n" : ", ";
  if (attribute.key == Attr::Opaque) {
    out_ += static_cast<const OpaqueAttribute*>(attribute.pointer)->name;
  } else {
    out_ += attrName(attribute.key);
  }
  out_ += '=';
  printAttributeValue(attribute);
  if (attribute.key == Attr::OriginRecoveryTable) out_ += '\n';
}

void Printer::printHeader(const Module& module) {
  out_ += "HloModule ";
  if (options_.ids) out_ += module.name();
  for (const Attribute& attribute : module.attributes().all()) printHeaderAttribute(attribute);
  const bool tables = !module.stackFrames().empty() || options_.emptyStackFrameTables;
  if (tables && options_.stackFrameTables && options_.metadata) printStackFrameTables(module.stackFrames());
  out_ += "\n\n";
}

void Printer::printStackFrameTables(const StackFrameTables& tables) {
  const auto strings = [&](std::string_view title, const std::vector<std::string_view>& rows) {
    out_ += title;
    for (size_t i = 0; i < rows.size(); ++i) {
      appendInt(out_, static_cast<int64_t>(i + 1));
      out_ += " \"";
      appendEscaped(out_, rows[i]);
      out_ += "\"\n";
    }
  };
  const auto back = std::back_inserter(out_);
  strings("\n\nFileNames\n", tables.fileNames);
  strings("\nFunctionNames\n", tables.functionNames);
  out_ += "\nFileLocations\n";
  for (size_t i = 0; i < tables.fileLocations.size(); ++i) {
    const FileLocation& location = tables.fileLocations[i];
    fmt::format_to(back,
                   "{} {{file_name_id={} function_name_id={} line={} end_line={} column={} end_column={}}}\n",
                   i + 1, location.fileNameId, location.functionNameId, location.line, location.endLine,
                   location.column, location.endColumn);
  }
  out_ += "\nStackFrames\n";
  for (size_t i = 0; i < tables.stackFrames.size(); ++i) {
    const StackFrame& frame = tables.stackFrames[i];
    fmt::format_to(back, "{} {{file_location_id={} parent_frame_id={}}}\n", i + 1, frame.fileLocationId,
                   int64_t{frame.parentFrameId} + 1);
  }
}

void Printer::printSignature(const Computation& computation) {
  out_ += '(';
  const auto parameters = computation.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (i != 0) out_ += ", ";
    if (parameters[i] == nullptr) {
      out_ += "null: ()";
      continue;
    }
    out_ += options_.ids ? parameters[i]->name() : std::string_view("(unknown)");
    out_ += ": ";
    appendShape(out_, parameters[i]->shape(), false);
  }
  out_ += ") -> ";
  appendShape(out_, computation.root() == nullptr ? Shape() : computation.root()->shape(), false);
  out_ += ' ';
}

void Printer::printComputation(const Computation& computation, int indent, bool nested, bool close) {
  out_.append(2 * static_cast<size_t>(indent), ' ');
  if (index_ != nullptr) index_->note(computation.id(), out_.size());
  if (options_.entryKeyword && !nested && computation.isEntry()) out_ += "ENTRY ";
  if (!nested) {
    if (options_.percent) out_ += '%';
    if (options_.ids) {
      out_ += computation.name();
      out_ += ' ';
    }
  }
  if (!close && !options_.unclosedSignature.empty()) {
    out_ += options_.unclosedSignature;
  } else if (options_.programShapes) {
    printSignature(computation);
  }
  out_ += "{\n";
  for (const Instruction* instruction : computation.instructions()) {
    if (options_.compactGte && instruction->opcode() == Opcode::GetTupleElement && !instruction->isRoot())
      continue;
    out_.append(2 * static_cast<size_t>(indent + 1), ' ');
    if (index_ != nullptr) index_->note(instruction->id(), out_.size());
    if (instruction->isRoot() && close) out_ += "ROOT ";
    printInstruction(*instruction, indent + 1, true);
    out_ += '\n';
  }
  if (!close) return;
  out_.append(2 * static_cast<size_t>(indent), ' ');
  out_ += '}';
  for (const Attribute& attribute : computation.attributes().all()) {
    if (options_.ids) printAttribute(attribute);
  }
  if (options_.nameAfterClosingBrace && computation.instructionCount() >= kNameAfterBraceFrom) {
    out_ += " // ";
    out_ += computation.name();
  }
}

void Printer::printModule(const Module& module) {
  module_ = &module;
  if (options_.header) printHeader(module);
  const auto wrapped =
      options_.syntaxSugarAsyncOps ? asyncComputations(module) : absl::flat_hash_set<const Computation*>();
  for (const Computation* computation : module.computations()) {
    if (isWrappedByAsync(*computation, wrapped)) continue;
    canonicalNames_.clear();
    const bool close = options_.closeLastComputation || computation != module.computations().back();
    printComputation(*computation, 0, false, close);
    if (close) out_ += "\n\n";
  }
  while (!out_.empty() && out_.back() == '\n') out_.pop_back();
  out_.append(options_.trailingNewlines, '\n');
}

std::string printModule(const Module& module, const PrintOptions& options) {
  std::string out;
  Printer(out, options).printModule(module);
  return out;
}

std::string printModule(const Module& module, const PrintOptions& options, TextIndex& index) {
  std::string out;
  Printer(out, options, &index).printModule(module);
  index.finish(out);
  return out;
}

std::string printComputation(const Computation& computation, const PrintOptions& options) {
  std::string out;
  Printer(out, options).printComputation(computation, 0, false);
  return out;
}

}  // namespace hilo
