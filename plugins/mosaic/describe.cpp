#include "plugins/mosaic/describe.h"

#include <llvm/Support/JSON.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/NVVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/IR/AsmState.h>
#include <mlir/IR/Matchers.h>

#include <map>

#include "plugins/mosaic/dialect.h"
#include "plugins/mosaic/kernel_code.h"
#include "plugins/mosaic/kernel_text.h"
#include "plugins/mosaic/known_values.h"
#include "plugins/mosaic/memory_space.h"
#include "plugins/mosaic/trace.h"

namespace hilo::mosaic {
namespace {

namespace json = llvm::json;
using mlir::MemRefType;
using mlir::Operation;
using mlir::Value;

// UTF-8 whatever the input held.
std::string clean(llvm::StringRef text) { return json::isUTF8(text) ? text.str() : json::fixUTF8(text); }

json::Value constantOf(Value value) {
  llvm::APInt number;
  if (!value || !mlir::matchPattern(value, mlir::m_ConstantInt(&number)) || number.getSignificantBits() > 64)
    return nullptr;
  return number.getSExtValue();
}

json::Value placeOf(Operation* op) {
  const uint32_t line = lineOf(op);
  return line > 0 ? json::Value(line) : json::Value(nullptr);
}

json::Value sizeOf(MemRefType type) {
  const auto bytes = bytesOf(type);
  return bytes ? json::Value(*bytes) : json::Value(nullptr);
}

// An operation that makes an array of its own, not a part or view of another.
bool makesArray(Operation* op) {
  if (op->getNumResults() != 1 || !llvm::isa<MemRefType>(op->getResult(0).getType())) return false;
  const auto isArray = [](Value operand) { return llvm::isa<MemRefType>(operand.getType()); };
  return llvm::isa<mlir::memref::ViewOp, TmemAllocOp, SliceTmemOp>(op) ||
         llvm::none_of(op->getOperands(), isArray);
}

class Description {
 public:
  explicit Description(mlir::ModuleOp module) : module_(module), names_(module) {}

  std::string text() {
    module_.walk([&](Operation* op) { visit(op); });
    json::Object out;
    if (const auto name = module_.getName()) out["name"] = clean(*name);
    out["arch"] = json::Array{attribute("arch_major"), attribute("arch_minor")};
    json::Object operations;
    for (const auto& [name, count] : operations_) operations[clean(name)] = count;
    out["operations"] = std::move(operations);
    out["launches"] = std::move(launches_);
    out["refs"] = std::move(refs_);
    out["barriers"] = std::move(barriers_);
    Trace trace = traceOf(module_);
    out["program"] = clean(trace.program);
    if (!trace.notFollowed.empty()) out["notFollowed"] = clean(trace.notFollowed);
    KernelText written = kernelTextOf(module_);
    out["kernelText"] = clean(written.text);
    if (!written.refused.empty()) out["noKernelText"] = clean(written.refused);
    std::string result;
    llvm::raw_string_ostream(result) << json::Value(std::move(out));
    return result;
  }

 private:
  void visit(Operation* op) {
    ++operations_[op->getName().getStringRef().str()];
    if (auto launch = llvm::dyn_cast<mlir::gpu::LaunchOp>(op)) addLaunch(launch);
    if (auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op)) {
      for (const Value argument : function.getArguments()) addRef(argument, op, nullptr);
    }
    if (makesArray(op)) addRef(op->getResult(0), op, offsetOf(op));
    if (auto made = llvm::dyn_cast<InitializeBarrierOp>(op)) {
      addBarrier(op, made.getBasePointer(), made.getNumBarriers(), made.getArrivalCount(),
                 made.getOrdersTensorCore());
    } else if (auto init = llvm::dyn_cast<mlir::NVVM::MBarrierInitOp>(op)) {
      addBarrier(op, init.getAddr(), 1, constantOf(init.getCount()), false);
    }
  }

  void addLaunch(mlir::gpu::LaunchOp launch) {
    const auto three = [](Value x, Value y, Value z) {
      return json::Array{constantOf(x), constantOf(y), constantOf(z)};
    };
    const bool isClustered = static_cast<bool>(launch.getClusterSizeX());
    launches_.push_back(json::Object{
        {"line", placeOf(launch)},
        {"grid", three(launch.getGridSizeX(), launch.getGridSizeY(), launch.getGridSizeZ())},
        {"cluster", isClustered
                        ? three(launch.getClusterSizeX(), launch.getClusterSizeY(), launch.getClusterSizeZ())
                        : json::Array{1, 1, 1}},
        {"block", three(launch.getBlockSizeX(), launch.getBlockSizeY(), launch.getBlockSizeZ())},
        {"sharedBytes", launch.getDynamicSharedMemorySize() ? constantOf(launch.getDynamicSharedMemorySize())
                                                            : json::Value(0)}});
  }

  // Where it begins, in bytes of shared memory or columns of tensor memory; null: unknown.
  static json::Value offsetOf(Operation* op) {
    if (auto slice = llvm::dyn_cast<SliceSMEMOp>(op)) return static_cast<int64_t>(slice.getOffset());
    if (auto slice = llvm::dyn_cast<SliceTmemOp>(op)) return static_cast<int64_t>(slice.getOffset());
    if (auto view = llvm::dyn_cast<mlir::memref::ViewOp>(op)) return constantOf(view.getByteShift());
    return nullptr;
  }

  void addRef(Value value, Operation* at, json::Value offset) {
    const auto type = llvm::dyn_cast<MemRefType>(value.getType());
    if (!type) return;
    refs_.push_back(json::Object{{"name", nameOf(value)},
                                 {"line", placeOf(at)},
                                 {"memory", memoryOf(type)},
                                 {"type", typeText(type)},
                                 {"bytes", sizeOf(type)},
                                 {"offset", std::move(offset)}});
  }

  void addBarrier(Operation* op, Value at, json::Value count, json::Value arrivals, bool tensorCore) {
    barriers_.push_back(json::Object{{"name", nameOf(at)},
                                     {"line", placeOf(op)},
                                     {"count", std::move(count)},
                                     {"arrivals", std::move(arrivals)},
                                     {"tensorCore", tensorCore}});
  }

  std::string nameOf(Value value) {
    std::string name;
    llvm::raw_string_ostream out(name);
    value.printAsOperand(out, names_);
    return clean(name);
  }
  static std::string typeText(mlir::Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return clean(text);
  }

  json::Value attribute(llvm::StringRef name) const {
    const auto number = module_->getAttrOfType<mlir::IntegerAttr>(("mosaic_gpu." + name).str());
    return number ? json::Value(number.getInt()) : json::Value(nullptr);
  }

  mlir::ModuleOp module_;
  mlir::AsmState names_;
  std::map<std::string, int64_t> operations_;
  json::Array launches_, refs_, barriers_;
};

}  // namespace

std::string describe(mlir::ModuleOp module) { return Description(module).text(); }

}  // namespace hilo::mosaic
