// Where things lie: names, spaces, special registers.
#include <fmt/format.h>

#include "core/compiler/codegen/simulate/operand_emitter.h"
#include "core/runtime/device/simulated/sim_thread.h"

namespace hilo {

using Value = OperandEmitter::Value;

uint64_t functionAddress(const PtxModule& module, const std::string& name) {
  constexpr uint64_t kFirst = 0x1000, kStep = 16;
  for (size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].hasBody && module.functions[i].name == name) return kFirst + kStep * i;
  }
  return 0;
}

Value OperandEmitter::addressOf(const std::string& name, uint64_t offset) {
  if (Value own = variable(name))
    return b_.CreateAdd(b_.CreatePtrToInt(own, b_.getInt64Ty()), b_.getInt64(offset));
  if (const auto shared = context_.sharedPlaces.find(name); shared != context_.sharedPlaces.end())
    return b_.getInt64(shared->second + offset);
  if (const uint64_t address = functionAddress(context_.ptx, name); address != 0) return b_.getInt64(address);
  llvm::Constant* global = context_.out.getOrInsertGlobal("global." + name, b_.getInt8Ty());
  return b_.CreateAdd(b_.CreatePtrToInt(global, b_.getInt64Ty()), b_.getInt64(offset));
}

Value OperandEmitter::sharedPointer(Value place, bool inCluster) {
  if (inCluster)
    return call("cluster_address", b_.getPtrTy(), {b_.CreateZExtOrTrunc(place, b_.getInt32Ty())});
  Value base = toPointer(field(offsetof(SimThread, shared), 64));
  return b_.CreatePtrAdd(base, b_.CreateZExtOrTrunc(place, b_.getInt64Ty()));
}

Value OperandEmitter::pointer(const PtxOperand& address, PtxSpace space, bool inCluster) {
  const PtxOperand& base = address.kind == PtxOperand::Kind::Address ? address.parts[0] : address;
  const uint64_t offset = address.kind == PtxOperand::Kind::Address ? address.bits : 0;
  if (base.kind == PtxOperand::Kind::Name) {
    if (Value own = variable(base.name)) return b_.CreatePtrAdd(own, b_.getInt64(offset + base.bits));
  }
  const bool isNarrow =
      base.kind == PtxOperand::Kind::Register && ptx_.registers[base.index].type.totalBits() == 32;
  Value place = read(base, {PtxTypeKind::Bits, static_cast<uint16_t>(isNarrow ? 32 : 64), 1});
  if (space == PtxSpace::Shared) {
    // A window is far smaller than 32 bits.
    place = b_.CreateAdd(b_.CreateZExtOrTrunc(place, b_.getInt32Ty()),
                         b_.getInt32(static_cast<uint32_t>(offset)));
    return sharedPointer(place, inCluster);
  }
  Value pointer = toPointer(b_.CreateZExt(place, b_.getInt64Ty()));
  return offset == 0 ? pointer : b_.CreatePtrAdd(pointer, b_.getInt64(offset));
}

namespace {

struct SpecialField {
  std::string_view name;
  size_t offset;
};
#define THREE(name, member)                                                               \
  {name ".x", offsetof(SimThread, member)}, {name ".y", offsetof(SimThread, member) + 4}, \
      {name ".z", offsetof(SimThread, member) + 8}, {                                     \
    name, offsetof(SimThread, member)                                                     \
  }
constexpr SpecialField kFields[] = {
    THREE("%ntid", ntid),
    THREE("%ctaid", ctaid),
    THREE("%nctaid", nctaid),
    THREE("%clusterid", clusterid),
    THREE("%nclusterid", nclusterid),
    THREE("%cluster_ctaid", clusterCtaid),
    THREE("%cluster_nctaid", clusterNctaid),
    {"%cluster_ctarank", offsetof(SimThread, clusterCtarank)},
    {"%cluster_nctarank", offsetof(SimThread, clusterNctarank)},
    {"%is_explicit_cluster", offsetof(SimThread, isExplicitCluster)},
    {"%warpid", offsetof(SimThread, warpid)},
    {"%nwarpid", offsetof(SimThread, nwarpid)},
    {"%dynamic_smem_size", offsetof(SimThread, dynamicSharedBytes)},
    {"%total_smem_size", offsetof(SimThread, totalSharedBytes)},
};
#undef THREE

}  // namespace

// %tid: in a row of threads x counts the lanes, y and z are those of the first.
Value OperandEmitter::place(const std::string& name, size_t offset, unsigned dimension) {
  if (!ptx_.isEntry) return unchanging(b_, b_.getInt32Ty(), b_.CreatePtrAdd(thread(), b_.getInt64(offset)));
  Value first = field(offset);
  if (dimension == 0) first = b_.CreateAdd(first, laneId(), name, true, true);
  Value places = b_.CreatePtrAdd(function_->getArg(kContextArgument),
                                 b_.getInt64(kContextTid + dimension * kSimLanes * 4));
  Value own = unchanging(b_, b_.getInt32Ty(),
                         b_.CreateGEP(b_.getInt32Ty(), places, b_.CreateZExt(laneId(), b_.getInt64Ty())));
  return b_.CreateSelect(function_->getArg(kRowArgument), first, own);
}

Value OperandEmitter::special(const std::string& name) {
  if (name.starts_with("%tid")) {
    const unsigned dimension = name.ends_with(".y") ? 1 : name.ends_with(".z") ? 2 : 0;
    return place(name, offsetof(SimThread, tid) + 4 * dimension, dimension);
  }
  if (name == "%laneid") return laneId();
  for (const SpecialField& known : kFields) {
    if (known.name == name) return field(known.offset);
  }
  if (name.starts_with("%lanemask_")) {
    Value own = b_.CreateShl(b_.getInt32(1), laneId());
    Value below = b_.CreateSub(own, b_.getInt32(1));
    const std::string which = name.substr(10);
    if (which == "eq") return own;
    if (which == "lt") return below;
    if (which == "le") return b_.CreateOr(below, own);
    if (which == "ge") return b_.CreateNot(below);
    return b_.CreateNot(b_.CreateOr(below, own));
  }
  if (name.starts_with("%clock") || name.starts_with("%globaltimer")) {
    Value at = b_.CreatePtrAdd(thread(), b_.getInt64(offsetof(SimThread, turns)));
    Value turns = b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), at), b_.getInt64(1));
    b_.CreateStore(turns, at);
    return turns;
  }
  // One multiprocessor, one grid, no driver.
  if (name == "%nsmid") return b_.getInt32(1);
  if (name != "%smid" && name != "%gridid" && !name.starts_with("%envreg") &&
      !name.starts_with("%reserved_smem"))
    problem_ = fmt::format("no register {} is known", name);
  return b_.getInt32(0);
}

}  // namespace hilo
