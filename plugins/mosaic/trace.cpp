#include "plugins/mosaic/trace.h"

#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/NVVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/AsmState.h>
#include <mlir/IR/Matchers.h>

#include <map>

#include "plugins/mosaic/dialect.h"
#include "plugins/mosaic/follow.h"
#include "plugins/mosaic/kernel_code.h"
#include "plugins/mosaic/memory_space.h"

namespace hilo::mosaic {
namespace {

namespace NVVM = mlir::NVVM;
using mlir::Operation;
using mlir::Value;

constexpr int64_t kWarpgroup = 128;
constexpr size_t kMostGroups = 16;
constexpr size_t kMostBytes = size_t{8} << 20;

// Operations that groups see of each other.
bool isShown(Operation* op) {
  if (auto mem = llvm::dyn_cast<mlir::memref::LoadOp>(op)) return isShared(mem.getMemRefType());
  if (auto mem = llvm::dyn_cast<mlir::memref::StoreOp>(op)) return isShared(mem.getMemRefType());
  return llvm::isa<InitializeBarrierOp, ArriveOp, ArriveExpectTxOp, WaitOp, AsyncLoadOp, AsyncStoreOp,
                   AsyncStoreSmemOp, VectorLoadOp, VectorStoreOp, WGMMAOp, TcGen05MMAOp,
                   TcGen05CommitArriveOp, TmemAllocOp, TmemDeallocOp, AsyncLoadTmemOp, AsyncStoreTmemOp,
                   AsyncStoreSmemToTmemOp, AsyncStoreScalesSmemToTmemOp, AsyncStoreSparseMetadataSmemToTmemOp,
                   WarpMapOp, NVVM::FenceProxyOp, NVVM::CpAsyncBulkCommitGroupOp,
                   NVVM::CpAsyncBulkWaitGroupOp, NVVM::WgmmaWaitGroupSyncOp, NVVM::ClusterArriveOp,
                   NVVM::ClusterArriveRelaxedOp, NVVM::ClusterWaitOp, mlir::gpu::BarrierOp>(op);
}

// Arrays and barriers as they are met, and what each group does, as lines.
class Lines {
 public:
  explicit Lines(mlir::ModuleOp module) : names_(module) {}

  void begin(size_t group) { groups_.push_back("group warpgroup" + std::to_string(group) + "\n"); }
  size_t bytes() const { return groups_.empty() ? 0 : groups_.back().size(); }
  const std::string& problem() const { return problem_; }

  std::string text() const {
    std::string all = refs_ + barriers_;
    for (const std::string& group : groups_) all += group;
    return all;
  }

  void visit(Operation* op, const KnownValues& values) {
    op_ = op;
    values_ = &values;
    if (auto made = llvm::dyn_cast<InitializeBarrierOp>(op)) return initialize(made);
    if (groups_.empty() || !problem_.empty() || !isShown(op)) return;
    visitBarriers(op);
    visitCopies(op);
    visitMemory(op);
    visitProducts(op);
    visitWaits(op);
  }

 private:
  void add(const std::string& line) {
    groups_.back() += "  " + line;
    if (const uint32_t at = lineOf(op_)) groups_.back() += " @" + std::to_string(at);
    groups_.back() += "\n";
  }
  void fail(const std::string& why) {
    if (problem_.empty())
      problem_ = op_->getName().getStringRef().str() + " at line " + std::to_string(lineOf(op_)) + ": " + why;
  }

  // Each group meets it; the first tells it.
  void initialize(InitializeBarrierOp made) {
    const auto at = values_->number(made.getBasePointer());
    if (!at) return fail("where its barriers lie is not known");
    const Barrier barrier{"barrier_" + std::to_string(*at), made.getNumBarriers()};
    if (!barriersAt_.try_emplace(*at, barrier).second) return;
    barriers_ += "barrier " + barrier.name + " slots " + std::to_string(barrier.slots) + " arrivals " +
                 std::to_string(made.getArrivalCount()) + "\n";
  }

  // "barrier_8[1]", of a barrier that was initialized.
  std::string slot(Value barrier) {
    const auto at = values_->place(barrier).begin();
    const auto after = at ? barriersAt_.upper_bound(*at) : barriersAt_.end();
    if (at && after != barriersAt_.begin()) {
      const auto& [base, found] = *std::prev(after);
      if ((*at - base) % 8 == 0 && (*at - base) / 8 < found.slots)
        return found.name + "[" + std::to_string((*at - base) / 8) + "]";
    }
    fail(at ? "no barrier was initialized there" : "which slot of which barrier it is, is not known");
    return "";
  }

  // The array that `part` is of, all of it; "" where it is not in a memory that groups share.
  std::string ref(Value part) {
    const auto type = llvm::cast<mlir::MemRefType>(part.getType());
    const bool isTensorRef = isTensor(type);
    if (!isTensorRef && !isShared(type)) return "";
    const Value root = rootOf(part);
    const auto at = values_->place(root).base;
    const auto rootType = llvm::cast<mlir::MemRefType>(root.getType());
    const auto size = isTensorRef ? std::optional<int64_t>(rootType.getDimSize(1)) : bytesOf(rootType);
    const KnownPlace place = values_->place(part);
    const auto partSize = isTensorRef ? size : bytesOf(type);
    if (!at || !size || !partSize || !place.offset) {
      fail("which part of which array it accesses is not known");
      return "";
    }
    const std::string name = nameOf(root);
    if (refsNamed_.try_emplace(name, true).second)
      refs_ += "ref " + name + (isTensorRef ? " tensor " : " shared ") + std::to_string(*at) + " " +
               std::to_string(*size) + "\n";
    const bool isPacked = type.getLayout().isIdentity() || isContiguous(type);
    if (isTensorRef || *partSize == *size || !isPacked || *place.offset + *partSize > *size) return name;
    return name + "[" + std::to_string(*place.offset) + ":" + std::to_string(*partSize) + "]";
  }

  // Without gaps, whichever dimension is the fastest.
  static bool isContiguous(mlir::MemRefType type) {
    llvm::SmallVector<int64_t> strides;
    int64_t offset = 0, expected = 1;
    if (failed(type.getStridesAndOffset(strides, offset))) return false;
    llvm::SmallVector<std::pair<int64_t, int64_t>> byStride;
    for (const auto& [stride, size] : llvm::zip_equal(strides, type.getShape()))
      if (size != 1) byStride.emplace_back(stride, size);
    llvm::sort(byStride);
    for (const auto& [stride, size] : byStride) {
      if (stride != expected) return false;
      expected *= size;
    }
    return true;
  }

  // Through parts and other views.
  static Value rootOf(Value array) {
    while (Operation* op = array.getDefiningOp()) {
      if (llvm::isa<TmemAllocOp, SliceSMEMOp, mlir::memref::ViewOp>(op) || op->getNumOperands() == 0 ||
          !llvm::isa<mlir::MemRefType>(op->getOperand(0).getType()))
        break;
      array = op->getOperand(0);
    }
    return array;
  }

  std::string nameOf(Value value) {
    std::string name;
    llvm::raw_string_ostream out(name);
    value.printAsOperand(out, names_);
    return name;
  }

  // A copy that a predicate leaves out is none. Of what is not known it is taken to be done.
  bool isLeftOut(Value predicate) const { return predicate && values_->number(predicate) == 0; }

  void access(const char* word, Value array) {
    if (const std::string name = ref(array); !name.empty()) add(std::string(word) + " " + name);
  }

  void visitBarriers(Operation* op) {
    if (auto arrive = llvm::dyn_cast<ArriveOp>(op)) {
      add("arrive " + slot(arrive.getBarrier()));
    } else if (auto expect = llvm::dyn_cast<ArriveExpectTxOp>(op)) {
      const auto bytes = values_->number(expect.getExpectTx());
      if (!bytes || *bytes < 0) return fail("how many bytes it expects is not known");
      add("expect " + slot(expect.getBarrier()) + " " + std::to_string(*bytes));
    } else if (auto wait = llvm::dyn_cast<WaitOp>(op)) {
      const auto parity = values_->number(wait.getParity());
      if (!parity) return fail("the parity that it waits for is not known");
      add("wait " + slot(wait.getBarrier()) + " " + std::to_string(*parity & 1));
    } else if (auto commit = llvm::dyn_cast<TcGen05CommitArriveOp>(op)) {
      add("tensor-commit " + slot(commit.getBarrier()));
    }
  }

  void visitCopies(Operation* op) {
    if (auto load = llvm::dyn_cast<AsyncLoadOp>(op)) {
      if (!isLeftOut(load.getPredicate())) copyIn(load.getDestination(), load.getBarrier());
    } else if (auto store = llvm::dyn_cast<AsyncStoreOp>(op)) {
      if (isLeftOut(store.getPredicate())) return;
      const bool commits = store.getCommitGroup();
      access(commits ? "copy-out" : "copy-out-pending", store.getSource());
    } else if (auto store = llvm::dyn_cast<AsyncStoreSmemOp>(op)) {
      // The blocks of a cluster do the same: what goes to another block comes from one.
      copyIn(store.getDestination(), store.getBarrier());
    }
  }

  void copyIn(Value to, Value barrier) {
    const auto bytes = bytesOf(llvm::cast<mlir::MemRefType>(to.getType()));
    const std::string name = ref(to);
    if (!bytes || name.empty()) return fail("what it writes is not known");
    add("copy-in " + name + " " + slot(barrier) + " " + std::to_string(*bytes));
  }

  void visitMemory(Operation* op) {
    if (auto load = llvm::dyn_cast<VectorLoadOp>(op)) {
      access("read", load.getSource());
    } else if (auto store = llvm::dyn_cast<VectorStoreOp>(op)) {
      access("write", store.getDestination());
    } else if (auto load = llvm::dyn_cast<mlir::memref::LoadOp>(op)) {
      access("read", load.getMemRef());
    } else if (auto store = llvm::dyn_cast<mlir::memref::StoreOp>(op)) {
      access("write", store.getMemRef());
    } else if (auto load = llvm::dyn_cast<AsyncLoadTmemOp>(op)) {
      access("read", load.getSource());
    } else if (auto store = llvm::dyn_cast<AsyncStoreTmemOp>(op)) {
      access("write", store.getDestination());
    } else if (auto alloc = llvm::dyn_cast<TmemAllocOp>(op)) {
      // All groups are at it, and one warp of them does it.
      if (groups_.size() == 1) access("alloc", alloc.getResult());
    } else if (auto dealloc = llvm::dyn_cast<TmemDeallocOp>(op)) {
      if (groups_.size() == 1) access("free", dealloc.getTmemRef());
    }
  }

  void visitProducts(Operation* op) {
    if (auto product = llvm::dyn_cast<WGMMAOp>(op)) {
      const std::string b = ref(product.getB());
      const bool isInMemory = llvm::isa<mlir::MemRefType>(product.getA().getType());
      add("multiply " + (isInMemory ? ref(product.getA()) + " " : "") + b);
    } else if (auto product = llvm::dyn_cast<TcGen05MMAOp>(op)) {
      std::string refs;
      for (const Value operand : product->getOperands()) {
        if (llvm::isa<mlir::MemRefType>(operand.getType())) refs += " " + ref(operand);
      }
      add("tensor-multiply" + refs);
    } else if (llvm::isa<AsyncStoreSmemToTmemOp, AsyncStoreScalesSmemToTmemOp,
                         AsyncStoreSparseMetadataSmemToTmemOp>(op)) {
      add("tensor-copy " + ref(op->getOperand(1)) + " " + ref(op->getOperand(0)));
    }
  }

  void visitWaits(Operation* op) {
    if (auto fence = llvm::dyn_cast<NVVM::FenceProxyOp>(op)) {
      if (fence.getKind() == NVVM::ProxyKind::async_shared || fence.getKind() == NVVM::ProxyKind::async)
        add("fence");
    } else if (llvm::isa<NVVM::CpAsyncBulkCommitGroupOp>(op)) {
      add("commit");
    } else if (auto wait = llvm::dyn_cast<NVVM::CpAsyncBulkWaitGroupOp>(op)) {
      add("wait-copies " + std::to_string(wait.getGroup()));
    } else if (auto wait = llvm::dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op)) {
      add("wait-multiply " + std::to_string(wait.getGroup()));
    } else if (llvm::isa<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp>(op)) {
      add("cluster-arrive");
    } else if (llvm::isa<NVVM::ClusterWaitOp>(op)) {
      add("cluster-wait");
    } else if (llvm::isa<mlir::gpu::BarrierOp>(op)) {
      add("sync");
    } else if (llvm::isa<WarpMapOp>(op)) {
      fail("its warps go their own ways");
    }
  }

  struct Barrier {
    std::string name;
    int64_t slots;
  };
  mlir::AsmState names_;
  Operation* op_ = nullptr;
  const KnownValues* values_ = nullptr;
  std::map<int64_t, Barrier> barriersAt_;
  std::map<std::string, bool> refsNamed_;
  std::string refs_, barriers_, problem_;
  std::vector<std::string> groups_;
};

size_t groupCount(Operation* kernel) {
  llvm::APInt threads;
  auto launch = llvm::dyn_cast<mlir::gpu::LaunchOp>(kernel);
  if (!launch || !mlir::matchPattern(launch.getBlockSizeX(), mlir::m_ConstantInt(&threads))) return 1;
  return static_cast<size_t>(std::clamp<int64_t>(threads.getSExtValue() / kWarpgroup, 1, kMostGroups));
}

// Constants before the launch are known in it.
void evaluateBefore(Operation* kernel, KnownValues& values) {
  for (Operation& op : *kernel->getBlock()) {
    if (&op == kernel) break;
    if (op.getNumRegions() == 0) values.evaluate(&op);
  }
}

}  // namespace

Trace traceOf(mlir::ModuleOp module) {
  Operation* kernel = kernelOf(module);
  if (kernel == nullptr || kernel->getNumRegions() == 0)
    return {.program = "", .notFollowed = "there is no kernel in it"};
  if (isLowered(kernel))
    return {.program = "", .notFollowed = "it is lowered to operations of single threads"};
  Lines lines(module);
  for (size_t group = 0; group < groupCount(kernel); ++group) {
    lines.begin(group);
    Follower follower(
        static_cast<int64_t>(group) * kWarpgroup,
        [&](Operation* op, const KnownValues& values) { lines.visit(op, values); }, isShown);
    evaluateBefore(kernel, follower.values());
    if (llvm::isa<mlir::gpu::LaunchOp>(kernel)) follower.values().enter(kernel);
    if (!follower.run(kernel->getRegion(0))) return {.program = "", .notFollowed = follower.stopped()};
    if (!lines.problem().empty()) return {.program = "", .notFollowed = lines.problem()};
    if (lines.bytes() > kMostBytes) return {.program = "", .notFollowed = "it does more than is followed"};
  }
  return {.program = lines.text(), .notFollowed = ""};
}

}  // namespace hilo::mosaic
