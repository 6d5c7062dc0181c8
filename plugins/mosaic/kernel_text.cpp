#include "plugins/mosaic/kernel_text.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/AsmState.h>

#include "plugins/mosaic/dialect.h"
#include "plugins/mosaic/kernel_code.h"
#include "plugins/mosaic/text_attributes.h"

namespace hilo::mosaic {
namespace {

using mlir::Operation;
using mlir::Value;

// The line of the bracket that closes a region.
uint32_t closingLineOf(mlir::Region& region);

// Of an operation with all its regions.
uint32_t lastLineOf(Operation* op) {
  for (mlir::Region& region : llvm::reverse(op->getRegions()))
    if (!region.empty()) return closingLineOf(region);
  return lineOf(op);
}

// MLIR prints no scf.yield of nothing where a loop or branch has no results: what ends the region is it.
bool isImplied(Operation* op) {
  return llvm::isa<mlir::scf::YieldOp>(op) && op->getNumOperands() == 0 &&
         llvm::isa_and_present<mlir::scf::ForOp, mlir::scf::IfOp>(op->getParentOp());
}

uint32_t closingLineOf(mlir::Region& region) {
  Operation* last = region.empty() || region.back().empty() ? nullptr : &region.back().back();
  if (last != nullptr && isImplied(last)) last = last->getPrevNode();
  if (last != nullptr) return lastLineOf(last) + 1;
  const unsigned number = region.getRegionNumber();
  mlir::Region* before = number == 0 ? nullptr : &region.getParentOp()->getRegion(number - 1);
  return 1 + (before != nullptr && !before->empty() ? closingLineOf(*before) : lineOf(region.getParentOp()));
}

uint32_t printedLineOf(Operation* op) {
  return isImplied(op) ? closingLineOf(*op->getParentRegion()) : lineOf(op);
}

constexpr size_t kMostBytes = size_t{32} << 20;

class Writer {
 public:
  explicit Writer(mlir::ModuleOp module) : names_(module) {}

  KernelText write(mlir::ModuleOp module) {
    result_.text = "kernel sm_" + std::to_string(architectureOf(module)) + "\n";
    writeOps(*module.getBody(), "");
    if (!result_.refused.empty()) result_.text.clear();
    return std::move(result_);
  }

 private:
  static int64_t architectureOf(mlir::ModuleOp module) {
    const auto number = [&](const char* name, int64_t otherwise) {
      const auto found = module->getAttrOfType<mlir::IntegerAttr>(name);
      return found ? found.getInt() : otherwise;
    };
    return 10 * number("mosaic_gpu.arch_major", 9) + number("mosaic_gpu.arch_minor", 0);
  }

  void refuse(Operation* op, const llvm::Twine& why) {
    if (!result_.refused.empty()) return;
    result_.refused =
        (op->getName().getStringRef() + " at line " + llvm::Twine(lineOf(op)) + ": " + why).str();
  }

  void writeOps(mlir::Block& block, const std::string& indent) {
    for (Operation& op : block) {
      if (!result_.refused.empty()) return;
      writeOp(&op, indent);
    }
    if (result_.text.size() > kMostBytes) refuse(block.getParentOp(), "more than 32 MiB of text");
  }

  void writeOp(Operation* op, const std::string& indent) {
    std::string line = indent;
    if (op->getNumResults() > 0) line += namesOf(op->getResults()) + " = ";
    line += op->getName().getStringRef();
    if (op->getNumOperands() > 0) line += " " + namesOf(op->getOperands());
    std::string leftOut;
    line += attributesOf(op, leftOut);
    if (op->getNumResults() > 0) line += " : " + typesOf(op);
    if (const uint32_t at = printedLineOf(op)) line += " @" + std::to_string(at);
    const std::string comment = leftOut.empty() ? "" : "  // left out:" + leftOut;
    result_.text += line + (op->getNumRegions() > 0 ? " {" : "") + comment + "\n";
    for (mlir::Region& region : op->getRegions()) {
      if (region.getRegionNumber() > 0) result_.text += indent + "} {\n";
      writeRegion(op, region, indent + "  ");
    }
    if (op->getNumRegions() > 0) result_.text += indent + "}\n";
  }

  void writeRegion(Operation* op, mlir::Region& region, const std::string& indent) {
    if (region.empty()) return;
    if (!region.hasOneBlock()) return refuse(op, "its region has several blocks");
    std::vector<std::string> arguments;
    for (const mlir::BlockArgument argument : region.getArguments())
      arguments.push_back(nameOf(argument) + ": " + typeOf(op, argument));
    if (!arguments.empty()) result_.text += indent + "^(" + llvm::join(arguments, ", ") + ")\n";
    writeOps(region.front(), indent);
  }

  // " {offset = 0, alias_id = 1}". Names of those without a form go to `leftOut`.
  std::string attributesOf(Operation* op, std::string& leftOut) {
    std::vector<std::string> parts;
    for (const mlir::NamedAttribute& one : op->getAttrDictionary()) {
      const llvm::StringRef name = one.getName();
      if (const auto text = textOfAttribute(name, one.getValue())) {
        parts.push_back((name + " = " + *text).str());
      } else if (isAboutLayouts(name)) {
        refuse(op, "what its " + name + " says is not known to layout inference");
      } else {
        leftOut += (" " + name).str();
      }
    }
    return parts.empty() ? "" : " {" + llvm::join(parts, ", ") + "}";
  }

  std::string typeOf(Operation* op, Value value) {
    if (auto text = textOfType(value.getType())) return *std::move(text);
    std::string type;
    llvm::raw_string_ostream(type) << value.getType();
    refuse(op, "layout inference has no type " + type);
    return "index";
  }
  std::string typesOf(Operation* op) {
    std::vector<std::string> parts;
    for (const Value result : op->getResults()) parts.push_back(typeOf(op, result));
    return llvm::join(parts, ", ");
  }

  // As it is printed; where another function has one of that name, a number behind it.
  std::string nameOf(Value value) {
    std::string& name = named_[value];
    if (!name.empty()) return name;
    llvm::raw_string_ostream out(name);
    value.printAsOperand(out, names_);
    const std::string first = name;
    for (int n = 2; !taken_.insert(name).second; ++n) name = first + "_" + std::to_string(n);
    return name;
  }
  std::string namesOf(mlir::ValueRange values) {
    std::vector<std::string> parts;
    for (const Value value : values) parts.push_back(nameOf(value));
    return llvm::join(parts, ", ");
  }

  mlir::AsmState names_;
  llvm::DenseMap<Value, std::string> named_;
  llvm::StringSet<> taken_;
  KernelText result_;
};

}  // namespace

KernelText kernelTextOf(mlir::ModuleOp module) {
  Operation* kernel = kernelOf(module);
  if (kernel == nullptr) return {.text = "", .refused = "there is no kernel in it"};
  if (isLowered(kernel)) return {.text = "", .refused = "it is lowered to operations of single threads"};
  return Writer(module).write(module);
}

}  // namespace hilo::mosaic
