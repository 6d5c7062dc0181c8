// Barriers in shared memory (mbarrier), of blocks and clusters, fences, waits for copies and products.
#include <fmt/format.h>

#include <algorithm>

#include "core/compiler/codegen/warpgroup/kernel_lowering.h"

namespace hilo::warpgroup {

using llvm::Value;

namespace {

// Of PTX without operands, what an operation is.
struct Plain {
  std::string_view opcode, ptx;
};
constexpr Plain kPlain[] = {{"nvvm.cluster.arrive", "barrier.cluster.arrive.aligned;"},
                            {"nvvm.cluster.arrive.relaxed", "barrier.cluster.arrive.relaxed.aligned;"},
                            {"nvvm.cluster.wait", "barrier.cluster.wait.aligned;"},
                            {"nvvm.cp.async.bulk.commit.group", "cp.async.bulk.commit_group;"},
                            {"nvvm.fence.mbarrier.init", "fence.mbarrier_init.release.cluster;"},
                            {"nvvm.wgmma.commit.group.sync.aligned", "wgmma.commit_group.sync.aligned;"},
                            {"nvvm.wgmma.fence.aligned", "wgmma.fence.sync.aligned;"}};

// The 32 bits PTX wants of an address in shared memory.
Result<Value*> barrierAt(KernelLowering& lowering, OpId op, size_t index) {
  TRY(const MemoryView view, lowering.memory(op, index));
  const std::vector<Value*> first(view.rank(), lowering.code().int64(0));
  Value* address = addressOf(lowering.code(), view, first);
  return lowering.b().CreatePtrToInt(address, lowering.b().getInt32Ty());
}

}  // namespace

Status lowerPtx(KernelLowering& lowering, OpId op) {
  lowering.code().ptx(std::string(std::ranges::find(kPlain, lowering.op(op).opcode, &Plain::opcode)->ptx));
  return {};
}

Status lowerBlockBarrier(KernelLowering& lowering, OpId) {
  lowering.code().ptx("bar.sync 0;");
  return {};
}

Status lowerProxyFence(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  const auto* kind = one.attribute<std::string>("kind");
  const auto* space = one.attribute<std::string>("space");
  if (!kind || (*kind != "async.shared" && *kind != "async"))
    return refuse(one, "its kind is async.shared or async");
  const bool isOfCluster = space && *space == "cluster";
  lowering.code().ptx(*kind == "async"
                          ? "fence.proxy.async;"
                          : fmt::format("fence.proxy.async.shared::{};", isOfCluster ? "cluster" : "cta"));
  return {};
}

// Of copies: until all but so many groups of this thread are done. Products are waited for where they are.
Status lowerWaitGroup(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  const auto* left = one.attribute<int64_t>("group");
  const bool isOfProducts = one.opcode == "nvvm.wgmma.wait.group.sync.aligned";
  if (!left || *left < 0) return refuse(one, "group says how many may be left");
  const std::string what = isOfProducts       ? "wgmma.wait_group.sync.aligned"
                           : one.flag("read") ? "cp.async.bulk.wait_group.read"
                                              : "cp.async.bulk.wait_group";
  lowering.code().ptx(fmt::format("{} {};", what, *left));
  return {};
}

// By one thread of the block. Each arrival is one of all threads of a warpgroup, but for tensor cores.
Status lowerInitializeBarrier(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 0));
  const auto* arrivals = one.attribute<int64_t>("arrival_count");
  const auto* count = one.attribute<int64_t>("num_barriers");
  if (!arrivals || *arrivals <= 0 || !count || *count <= 0)
    return refuse(one, "arrival_count and num_barriers are positive");
  const int64_t threads = one.flag("orders_tensor_core") ? *arrivals : *arrivals * kThreadsOfWarpgroup;
  TRY(Value* const address, lowering.scalar(op, 0));
  llvm::IRBuilder<>& b = lowering.b();
  lowering.code().branch(b.CreateICmpEQ(lowering.code().thread(), lowering.code().int64(0)), [&] {
    for (int64_t i = 0; i < *count; ++i) {
      Value* slot = b.CreateAdd(b.CreateTrunc(address, b.getInt32Ty()), lowering.code().int32(8 * i));
      lowering.code().ptx("mbarrier.init.shared::cta.b64 [$0], $1;", {slot, lowering.code().int32(threads)},
                          "r,r");
    }
  });
  return {};
}

Status lowerArrive(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 0));
  TRY(Value* const barrier, barrierAt(lowering, op, 0));
  ThreadCode& code = lowering.code();
  const auto arrive = [&] {
    code.ptx("mbarrier.arrive.shared::cta.b64 $0, [$1];", "=l,r", lowering.b().getInt64Ty(), {barrier});
  };
  if (!one.flag("orders_tensor_core")) {
    arrive();
    return {};
  }
  if (lowering.kernel().smMajor < 10)
    return refuse(one, "orders_tensor_core: sm_90 has no such tensor cores");
  code.ptx("tcgen05.fence::before_thread_sync;");
  code.warpgroupBarrier();
  code.once(arrive);
  return {};
}

// Each thread arrives; the first expects the bytes.
Status lowerArriveExpectBytes(KernelLowering& lowering, OpId op) {
  TRY_STATUS(needs(lowering.op(op), 2, 0));
  TRY(Value* const barrier, barrierAt(lowering, op, 0));
  TRY(Value* const bytes, lowering.scalar(op, 1));
  llvm::IRBuilder<>& b = lowering.b();
  Value* isFirst = b.CreateICmpEQ(lowering.code().threadOfGroup(), lowering.code().int64(0));
  Value* expected = b.CreateSelect(isFirst, b.CreateZExtOrTrunc(bytes, b.getInt32Ty()), b.getInt32(0));
  lowering.code().ptx("mbarrier.arrive.expect_tx.shared::cta.b64 $0, [$1], $2;", "=l,r,r", b.getInt64Ty(),
                      {barrier, expected});
  return {};
}

Status lowerWait(KernelLowering& lowering, OpId op) {
  TRY_STATUS(needs(lowering.op(op), 2, 0));
  TRY(Value* const barrier, barrierAt(lowering, op, 0));
  TRY(Value* const parity, lowering.scalar(op, 1));
  llvm::IRBuilder<>& b = lowering.b();
  Value* phase = b.CreateZExtOrTrunc(parity, b.getInt32Ty());
  lowering.code().loop(
      [&] {
        Value* isOver = lowering.code().ptx(
            "{ .reg .pred over; mbarrier.try_wait.parity.shared::cta.b64 over, [$1], $2; selp.b32 $0, 1, 0, "
            "over; }",
            "=r,r,r", b.getInt32Ty(), {barrier, phase});
        return b.CreateICmpEQ(isOver, b.getInt32(0));
      },
      [] {});
  // What comes after it follows tensor cores' work that the barrier tells the end of.
  if (lowering.usesTensorMemory()) lowering.code().ptx("tcgen05.fence::after_thread_sync;");
  return {};
}

}  // namespace hilo::warpgroup
