#include "core/compiler/codegen/simulate/vector_points.h"

#include "core/runtime/device/simulated/sim_abi.h"
#include "core/runtime/device/simulated/sim_thread.h"
#include "core/runtime/device/simulated/warp.h"

namespace hilo {
namespace {

using Value = llvm::Value*;

// The values that lanes laid down.
class Records {
 public:
  Records(llvm::IRBuilder<>& b, Value context)
      : b_(b), context_(context), type_(llvm::FixedVectorType::get(b.getInt64Ty(), kSimLanes)) {}
  Value get(uint32_t i) { return b_.CreateAlignedLoad(type_, place(i), llvm::Align(64)); }
  void put(uint32_t i, Value lanes) { b_.CreateAlignedStore(lanes, place(i), llvm::Align(64)); }
  void putAll(uint32_t i, Value word) {
    put(i, b_.CreateVectorSplat(kSimLanes, b_.CreateZExt(word, b_.getInt64Ty())));
  }
  Value constant(llvm::ArrayRef<uint64_t> lanes) {
    return llvm::ConstantDataVector::get(b_.getContext(), lanes);
  }

 private:
  Value place(uint32_t i) {
    return b_.CreatePtrAdd(context_, b_.getInt64(kContextRecords + uint64_t{i} * kSimLanes * 8));
  }
  llvm::IRBuilder<>& b_;
  Value context_;
  llvm::FixedVectorType* type_;
};

bool writeShuffle(llvm::IRBuilder<>& b, Records& records, uint32_t detail) {
  if ((detail & kShuffleConstant) == 0) return false;
  int sources[kSimLanes];
  uint64_t valid[kSimLanes];
  for (uint32_t lane = 0; lane < kSimLanes; ++lane) {
    bool inRange = true;
    sources[lane] = static_cast<int>(shuffleSource(static_cast<ShuffleMode>(detail & 3), lane,
                                                   shuffleB(detail), shuffleC(detail), inRange));
    valid[lane] = inRange;
  }
  records.put(0, b.CreateShuffleVector(records.get(0), sources));
  records.put(1, records.constant(valid));
  return true;
}

bool writeVote(llvm::IRBuilder<>& b, Records& records, VoteMode mode) {
  Value lanes = b.CreateIsNotNull(records.get(0));
  Value mask = b.CreateBitCast(lanes, b.getInt32Ty());
  Value isAll = b.CreateICmpEQ(mask, b.getInt32(~0u)), isNone = b.CreateIsNull(mask);
  switch (mode) {
    case VoteMode::All:
      mask = isAll;
      break;
    case VoteMode::Any:
      mask = b.CreateNot(isNone);
      break;
    case VoteMode::Uniform:
      mask = b.CreateOr(isAll, isNone);
      break;
    case VoteMode::Ballot:
      break;
  }
  records.putAll(0, mask);
  return true;
}

bool writeReduce(llvm::IRBuilder<>& b, Records& records, uint32_t detail) {
  Value lanes = b.CreateTrunc(records.get(0), llvm::FixedVectorType::get(b.getInt32Ty(), kSimLanes));
  const auto put = [&](Value result) {
    records.putAll(0, result);
    return true;
  };
  switch (static_cast<ReduceMode>(detail)) {
    case ReduceMode::Add:
      return put(b.CreateAddReduce(lanes));
    case ReduceMode::MinSigned:
      return put(b.CreateIntMinReduce(lanes, true));
    case ReduceMode::MaxSigned:
      return put(b.CreateIntMaxReduce(lanes, true));
    case ReduceMode::MinUnsigned:
      return put(b.CreateIntMinReduce(lanes, false));
    case ReduceMode::MaxUnsigned:
      return put(b.CreateIntMaxReduce(lanes, false));
    case ReduceMode::And:
      return put(b.CreateAndReduce(lanes));
    case ReduceMode::Or:
      return put(b.CreateOrReduce(lanes));
    case ReduceMode::Xor:
      return put(b.CreateXorReduce(lanes));
    default:
      return false;
  }
}

bool writeElect(Records& records) {
  uint64_t leader[kSimLanes] = {}, isLeader[kSimLanes] = {1};
  records.put(0, records.constant(leader));
  records.put(1, records.constant(isLeader));
  return true;
}

}  // namespace

bool writeVectorPoint(llvm::IRBuilder<>& b, Value context, const SimulatedPoint& point) {
  if (point.kind != SimPointKind::Warp || !point.isFull) return false;
  Records records(b, context);
  switch (static_cast<WarpOp>(point.operation)) {
    case WarpOp::Sync:
      return true;
    case WarpOp::Shuffle:
      return writeShuffle(b, records, point.detail);
    case WarpOp::Vote:
      return writeVote(b, records, static_cast<VoteMode>(point.detail));
    case WarpOp::Reduce:
      return writeReduce(b, records, point.detail);
    case WarpOp::Elect:
      return writeElect(records);
    default:
      return false;
  }
}

}  // namespace hilo
