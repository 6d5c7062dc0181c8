#include "plugins/stablehlo/import.h"

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <mlir/AsmParser/AsmParser.h>
#include <mlir/AsmParser/AsmParserState.h>
#include <mlir/Bytecode/BytecodeReader.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Quant/IR/Quant.h>
#include <mlir/Dialect/Shape/IR/Shape.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/Parser/Parser.h>

#include "plugins/stablehlo/bare_operations.h"
#include "plugins/stablehlo/contained.h"
#include "plugins/stablehlo/module_converter.h"
#include "plugins/stablehlo/source_text.h"
#include "plugins/stablehlo/table_dialect.h"

namespace hilo::stablehlo {
namespace {

std::string textOf(mlir::Diagnostic& diagnostic) {
  std::string text;
  llvm::raw_string_ostream(text) << diagnostic;
  return text;
}

// The innermost file position of a location.
mlir::FileLineColLoc placeOf(mlir::Location location) {
  mlir::FileLineColLoc found;
  location->walk([&](mlir::Location part) {
    if (!found) found = llvm::dyn_cast<mlir::FileLineColLoc>(part);
    return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return found;
}

// One MLIR module: parsed, then converted, its diagnostics collected.
class PieceImport {
 public:
  PieceImport(ImportResult& result, const std::string& path)
      : result_(result), path_(path), context_(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
    context_.printOpOnDiagnostic(false);
    context_.loadDialect<mlir::quant::QuantDialect>();  // VHLO makes its types
    context_.getDiagEngine().registerHandler([this](mlir::Diagnostic& diagnostic) { take(diagnostic); });
  }

  // `kind` is the diagnostics' kind while reading.
  void run(llvm::StringRef bytes, uint32_t firstLine, llvm::StringRef format) {
    firstLine_ = firstLine;
    kind_ = "mlir-syntax";
    mlir::ParserConfig config(&context_, /*verifyAfterParse=*/false);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(bytes, path_, /*RequiresNullTerminator=*/false), {});
    mlir::AsmParserState state;
    const SourceNames names(sources, state);
    const bool isText = !mlir::isBytecode(llvm::MemoryBufferRef(bytes, path_));
    const auto module =
        isText ? parseText(sources, config, state) : mlir::parseSourceFile<mlir::ModuleOp>(sources, config);
    if (!module) {
      if (!failed_) add({.kind = kind_, .message = "no module could be read"});
      return;
    }
    kind_ = "mlir-conversion";
    names_ = isText ? &names : nullptr;
    convertAll(*module, format);
  }

 private:
  mlir::OwningOpRef<mlir::ModuleOp> parseText(llvm::SourceMgr& sources, const mlir::ParserConfig& config,
                                              mlir::AsmParserState& state) {
    mlir::Block block;
    if (failed(mlir::parseAsmSourceFile(sources, &block, config, &state))) return nullptr;
    return mlir::detail::constructContainerOpForParserIfNecessary<mlir::ModuleOp>(
        &block, &context_, mlir::FileLineColLoc::get(&context_, path_, 0, 0));
  }

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    registry.insert<mlir::func::FuncDialect, mlir::quant::QuantDialect, mlir::arith::ArithDialect,
                    mlir::tensor::TensorDialect, mlir::shape::ShapeDialect>();
    return registry;
  }

  void take(mlir::Diagnostic& diagnostic) {
    Problem problem{.severity = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error     ? HILO_ERROR
                                : diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning ? HILO_WARNING
                                                                                                : HILO_NOTE,
                    .kind = kind_,
                    .message = textOf(diagnostic)};
    if (const auto place = placeOf(diagnostic.getLocation()); place && place.getFilename() == path_) {
      problem.line = place.getLine() + firstLine_ - 1;
      problem.column = place.getColumn();
    } else if (place) {
      problem.notes.push_back("at " + place.getFilename().str() + ":" + std::to_string(place.getLine()));
      if (current_ != nullptr && current_->current().line > 0) {
        problem.line = current_->current().line + firstLine_ - 1;
        problem.column = current_->current().column;
      }
    }
    for (mlir::Diagnostic& note : diagnostic.getNotes()) problem.notes.push_back(textOf(note));
    add(std::move(problem));
  }

  void add(Problem problem) {
    failed_ |= problem.severity == HILO_ERROR;
    if (result_.problems.size() < 100) result_.problems.push_back(std::move(problem));
  }

  // Modules inside modules (a caller's file may wrap them) are looked into.
  void convertAll(mlir::ModuleOp module, llvm::StringRef format) {
    llvm::SmallVector<mlir::Operation*> functions;
    for (mlir::Operation& op : module.getBody()->getOperations()) {
      if (auto inner = llvm::dyn_cast<mlir::ModuleOp>(op)) convertAll(inner, format);
      if (isFunction(&op) && isPublic(&op)) functions.push_back(&op);
    }
    const auto* main = llvm::find_if(functions, [](mlir::Operation* op) {
      return op->getAttrOfType<mlir::StringAttr>("sym_name").getValue() == "main";
    });
    if (main != functions.end()) functions = {*main};
    if (functions.empty() && module->getParentOp() == nullptr && result_.modules.empty())
      module.emitError() << "the module has no public function with a body";
    for (mlir::Operation* function : functions) convert(module, function, format);
  }

  static bool isPublic(mlir::Operation* function) {
    const auto visibility = function->getAttrOfType<mlir::StringAttr>("sym_visibility");
    return function->getAttrOfType<mlir::StringAttr>("sym_name") && !function->getRegion(0).empty() &&
           (!visibility || visibility.getValue() == "public" || visibility.getValue().empty());
  }

  void convert(mlir::ModuleOp module, mlir::Operation* function, llvm::StringRef format) {
    ModuleConverter converter(module, names_);
    current_ = &converter;
    auto proto = converter.convert(function);
    current_ = nullptr;
    if (!proto) {
      if (!failed_) add({.kind = kind_, .message = "the module could not be converted"});
      return;
    }
    const auto place = placeOf(function->getLoc());
    const bool here = place && place.getFilename() == path_;
    result_.modules.push_back({.hloModuleProto = proto->SerializeAsString(),
                               .format = format.str(),
                               .firstLine = here ? place.getLine() + firstLine_ - 1 : firstLine_,
                               .names = namesIn(converter)});
  }

  std::vector<NamedInstruction> namesIn(const ModuleConverter& converter) const {
    std::vector<NamedInstruction> names;
    for (const auto& [made, source] : converter.sources()) {
      names.push_back({made->name(), source});
      names.back().source.line += firstLine_ - 1;
    }
    return names;
  }

  ImportResult& result_;
  const std::string& path_;
  uint32_t firstLine_ = 1;
  std::string kind_;
  bool failed_ = false;
  const SourceNames* names_ = nullptr;
  const ModuleConverter* current_ = nullptr;  // while it converts
  mlir::MLIRContext context_;
};

// What a person pasted without its last lines is read as if they were there, and said.
void closeRegions(int open, const TextPiece& piece, std::string& text, ImportResult& result) {
  text += "\n" + std::string(static_cast<size_t>(open), '}') + "\n";
  result.problems.push_back(
      {.severity = HILO_WARNING,
       .kind = "regions-left-open",
       .message = "the text ends before " + std::to_string(open) +
                  (open == 1 ? " region is" : " regions are") + " closed; read as if closed here",
       .line = piece.firstLine + static_cast<uint32_t>(piece.text.rtrim().count('\n'))});
}

// What the operations of a text without a function read from outside becomes parameters, and that is said.
std::string inFunction(FunctionAround around, const TextPiece& piece, ImportResult& result) {
  std::string message = "there is no function around these operations";
  if (!around.parameters.empty()) message += "; taken as parameters: " + llvm::join(around.parameters, ", ");
  result.problems.push_back(
      {.severity = HILO_WARNING, .kind = "no-function", .message = message, .line = piece.firstLine});
  return std::move(around.text);
}

}  // namespace

bool looksLikeMlir(llvm::StringRef bytes) {
  if (bytes.starts_with("ML\xefR")) return true;
  const llvm::StringRef head = bytes.take_front(1 << 20);
  for (const llvm::StringRef sign : {"func.func", "stablehlo.", "mhlo.", "vhlo.", "builtin.module",
                                     "module {", "module @", "module attributes"}) {
    if (head.contains(sign)) return true;
  }
  return false;
}

ImportResult import(llvm::StringRef bytes, const std::string& path,
                    const std::function<bool()>& isCancelled) {
  ImportResult result;
  if (mlir::isBytecode(llvm::MemoryBufferRef(bytes, path))) {
    const auto read = [&] {
      ImportResult inChild;
      PieceImport(inChild, path).run(bytes, 1, "StableHLO bytecode");
      return inChild;
    };
    result = runContained(read, bytes.size(), isCancelled);
    if (isCancelled()) return result;
  } else {
    for (const TextPiece& piece : splitPieces(bytes)) {
      if (isCancelled()) return result;
      if (const auto hazard = hazardIn(piece.text)) {
        result.problems.push_back({.kind = "too-deep",
                                   .message = hazard->message,
                                   .line = hazard->line + piece.firstLine - 1,
                                   .column = hazard->column});
        break;
      }
      auto changed = packBooleans(piece.text);
      if (const int open = openRegions(piece.text); open > 0) {
        if (!changed) changed = piece.text.str();
        closeRegions(open, piece, *changed, result);
      }
      uint32_t firstLine = piece.firstLine;
      if (auto around = functionAround(changed ? *changed : piece.text)) {
        changed = inFunction(*std::move(around), piece, result);
        --firstLine;
      }
      PieceImport(result, path).run(changed ? *changed : piece.text, firstLine, "StableHLO text");
    }
  }
  if (result.modules.empty() && result.problems.empty())
    result.problems.push_back({.kind = "no-module", .message = "nothing but comments"});
  return result;
}

}  // namespace hilo::stablehlo
