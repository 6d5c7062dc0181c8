#include "plugins/mosaic/read_kernel.h"

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <mlir/Bytecode/BytecodeReader.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/Verifier.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Transforms/LocationSnapshot.h>

#include "plugins/contained/contained.h"
#include "plugins/mosaic/describe.h"
#include "plugins/mosaic/dialect.h"
#include "plugins/mosaic/segments.h"
#include "plugins/mosaic/serialized_form.h"
#include "plugins/mosaic/unknown_attributes.h"
#include "plugins/mosaic/upgrade.h"

namespace hilo::mosaic {
namespace {

constexpr size_t kMostBytes = size_t{256} << 20;
constexpr size_t kMostProblems = 100;

std::string textOf(mlir::Diagnostic& diagnostic) {
  std::string text;
  llvm::raw_string_ostream(text) << diagnostic;
  return text;
}

mlir::FileLineColLoc placeOf(mlir::Location location) {
  mlir::FileLineColLoc found;
  location->walk([&](mlir::Location part) {
    if (!found) found = llvm::dyn_cast<mlir::FileLineColLoc>(part);
    return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return found;
}

// One kernel: parsed, restored, verified, printed, its diagnostics collected.
class Reading {
 public:
  explicit Reading(const std::string& path)
      : path_(path), context_(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
    context_.allowUnregisteredDialects(true);
    context_.loadAllAvailableDialects();  // operations are looked up by name, which loads none
    context_.printOpOnDiagnostic(false);
    context_.getDiagEngine().registerHandler([this](mlir::Diagnostic& diagnostic) { take(diagnostic); });
  }

  KernelReading run(llvm::StringRef bytes) {
    const bool isBytecode = mlir::isBytecode(llvm::MemoryBufferRef(bytes, path_));
    if (!isBytecode && !knowsAttributes(bytes)) return ended("it has attributes that are not known");
    auto module = parse(bytes, isBytecode);
    if (!module) return ended("no kernel could be read");
    std::string format = isBytecode ? "Mosaic GPU bytecode" : "Mosaic GPU text";
    if (const auto version = serializedVersion(*module)) {
      kind_ = "kernel-version";
      if (failed(restore(*module))) return ended("it could not be restored");
      format += ", version " + std::to_string(*version);
    }
    kind_ = "kernel-upgrade";
    if (failed(upgrade(*module))) return ended("its spelling has no form of now");
    const bool isValid = judge(*module);
    result_.kernel = {
        .format = std::move(format), .text = text_, .description = isValid ? describe(*module) : "{}"};
    return std::move(result_);
  }

 private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  bool knowsAttributes(llvm::StringRef text) {
    const auto unknown = unknownAttributes(text, context_);
    for (const UnknownAttribute& one : unknown)
      add({.kind = "unknown-attribute",
           .message = one.operation + " has no attribute " + one.name,
           .line = one.line,
           .column = one.column});
    return unknown.empty();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef bytes, bool isBytecode) {
    kind_ = "mlir-syntax";
    const auto here = isBytecode ? std::nullopt : withSegmentsHere(bytes);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(here ? llvm::StringRef(*here) : bytes, path_), {});
    return mlir::parseSourceFile<mlir::ModuleOp>(sources,
                                                 mlir::ParserConfig(&context_, /*verifyAfterParse=*/false));
  }

  // Prints, so that places are lines of what is printed, and verifies. Whether it is valid: of what is not,
  // nothing may be asked.
  bool judge(mlir::ModuleOp module) {
    isQuiet_ = true;  // the printer verifies, to choose its form
    llvm::raw_string_ostream out(text_);
    mlir::generateLocationsFromIR(out, path_, module, mlir::OpPrintingFlags());
    isQuiet_ = false;
    kind_ = "unknown-operation";
    module.walk([&](mlir::Operation* op) {
      if (!op->isRegistered()) op->emitError() << "MLIR 22 has no operation " << op->getName();
    });
    kind_ = "kernel-invalid";
    const bool isValid = succeeded(mlir::verify(module));
    if (!isValid && !hasErrors_) add({.kind = kind_, .message = "is not valid"});
    return isValid;
  }

  void take(mlir::Diagnostic& diagnostic) {
    if (isQuiet_) return;
    Problem problem{.severity = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error     ? HILO_ERROR
                                : diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning ? HILO_WARNING
                                                                                                : HILO_NOTE,
                    .kind = kind_,
                    .message = textOf(diagnostic)};
    if (const auto place = placeOf(diagnostic.getLocation()); place && place.getFilename() == path_) {
      problem.line = place.getLine();
      problem.column = place.getColumn();
    }
    for (mlir::Diagnostic& note : diagnostic.getNotes()) problem.notes.push_back(textOf(note));
    add(std::move(problem));
  }

  void add(Problem problem) {
    hasErrors_ |= problem.severity == HILO_ERROR;
    if (result_.problems.size() < kMostProblems) result_.problems.push_back(std::move(problem));
  }

  KernelReading ended(const char* otherwise) {
    if (!hasErrors_) add({.kind = kind_, .message = otherwise});
    return std::move(result_);
  }

  const std::string& path_;
  std::string kind_, text_;
  bool isQuiet_ = false, hasErrors_ = false;
  KernelReading result_;
  mlir::MLIRContext context_;
};

// ---- a KernelReading as bytes

std::string encoded(const KernelReading& reading) {
  std::string out;
  put(out, uint64_t{reading.kernel.has_value()});
  if (reading.kernel) {
    put(out, reading.kernel->format);
    put(out, reading.kernel->text);
    put(out, reading.kernel->description);
  }
  put(out, uint64_t{reading.problems.size()});
  for (const Problem& problem : reading.problems) {
    put(out, static_cast<uint64_t>(problem.severity));
    put(out, problem.kind);
    put(out, problem.message);
    put(out, uint64_t{problem.line});
    put(out, uint64_t{problem.column});
    put(out, uint64_t{problem.notes.size()});
    for (const std::string& note : problem.notes) put(out, note);
  }
  return out;
}

bool decode(llvm::StringRef bytes, KernelReading& reading) {
  Decoder in(bytes);
  if (in.number() != 0) {
    auto& kernel = reading.kernel.emplace();
    kernel.format = in.text();
    kernel.text = in.text();
    kernel.description = in.text();
  }
  for (uint64_t left = in.number(); left > 0 && in.good(); --left) {
    Problem& problem = reading.problems.emplace_back();
    problem.severity = static_cast<HiloSeverity>(in.number());
    problem.kind = in.text();
    problem.message = in.text();
    problem.line = static_cast<uint32_t>(in.number());
    problem.column = static_cast<uint32_t>(in.number());
    for (uint64_t notes = in.number(); notes > 0 && in.good(); --notes) problem.notes.push_back(in.text());
  }
  return in.good();
}

KernelReading only(std::string kind, std::string message) {
  KernelReading reading;
  reading.problems.push_back({.kind = std::move(kind), .message = std::move(message)});
  return reading;
}

}  // namespace

bool looksLikeKernel(llvm::StringRef bytes) {
  // In bytecode names of dialects lie in its strings, at the end.
  if (bytes.starts_with("ML\xefR")) return bytes.contains("mosaic_gpu");
  const llvm::StringRef head = bytes.take_front(1 << 20);
  // A module that carries kernels has their names in it too.
  for (const llvm::StringRef sign : {"HloModule", "stablehlo.", "mhlo.", "custom_call"}) {
    if (head.contains(sign)) return false;
  }
  return head.contains("mosaic_gpu.");
}

KernelReading readKernel(llvm::StringRef bytes, const std::string& path,
                         const std::function<bool()>& isCancelled) {
  if (bytes.size() > kMostBytes)
    return only("too-large",
                "a kernel of " + std::to_string(bytes.size()) + " bytes; read are 256 MiB at most");
  const auto work = [&] { return encoded(Reading(path).run(bytes)); };
  const Contained child = runContained(work, bytes.size(), isCancelled);
  KernelReading reading;
  if (child.end == Contained::End::Cancelled) return reading;
  if (child.end == Contained::End::Whole && decode(child.bytes, reading)) return reading;
  return child.end == Contained::End::NotStarted ? only("damaged", "no reader process could be started")
                                                 : only("damaged", "MLIR's reader gave up on it");
}

}  // namespace hilo::mosaic
