#include "core/compiler/codegen/simulate/split_regions.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "core/compiler/codegen/simulate/operand_emitter.h"
#include "core/compiler/codegen/simulate/recompute.h"
#include "core/runtime/device/simulated/sim_thread.h"

namespace hilo {
namespace {

using Value = llvm::Value*;
using Block = llvm::BasicBlock*;

constexpr llvm::StringRef kPoint = "hilo_sim_point.";

uint32_t alignUp(uint32_t value, uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

class RegionSplit {
 public:
  RegionSplit(llvm::Function& thread, bool keepsLocals, uint32_t contextBytes)
      : thread_(thread), keepsLocals_(keepsLocals), layout_(thread.getParent()->getDataLayout()) {
    made_.contextBytes = contextBytes;
  }

  ThreadRegions run() {
    moveLocals();
    cutAtPoints();
    findLiving();
    for (uint32_t state = 0; state < starts_.size(); ++state) makeRegion(state);
    thread_.eraseFromParent();
    return std::move(made_);
  }

 private:
  // Of values that live where a state begins.
  using Living = std::vector<llvm::Instruction*>;

  void moveLocals();
  void cutAtPoints();
  void findLiving();
  void findLiving(llvm::Instruction& value);
  void makeRegion(uint32_t state);
  std::vector<Block> reachedFrom(Block start) const;
  void endAtPoint(llvm::Function& region, uint32_t state, Block original, llvm::ValueToValueMapTy& map,
                  const absl::flat_hash_set<Block>& within, uint32_t next);
  Value slot(llvm::IRBuilder<>& b, llvm::Function& function, llvm::Instruction& value);
  llvm::Type* slotType(llvm::Instruction& value) const {
    return value.getType()->isIntegerTy(1) ? llvm::Type::getInt8Ty(value.getContext()) : value.getType();
  }

  llvm::Function& thread_;
  bool keepsLocals_;
  const llvm::DataLayout& layout_;
  ThreadRegions made_;
  Recompute recompute_;
  std::vector<Block> starts_;                    // by state
  absl::flat_hash_map<Block, uint32_t> waits_;   // blocks that end at a point, and the state that follows
  absl::flat_hash_map<Block, uint32_t> states_;  // that begin there
  std::vector<Living> living_;                   // by state
  absl::flat_hash_map<llvm::Instruction*, uint32_t> slots_;
};

// What is left of local memory lies in the context, so that it stays over points.
void RegionSplit::moveLocals() {
  std::vector<llvm::AllocaInst*> locals;
  for (llvm::Instruction& instruction : llvm::instructions(thread_)) {
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) locals.push_back(local);
  }
  const bool hasPoints = llvm::any_of(llvm::instructions(thread_),
                                      [](const llvm::Instruction& at) { return pointNumber(at) != 0; });
  made_.localOffset = made_.contextBytes = alignUp(made_.contextBytes, kContextAlignment);
  if ((!hasPoints && !keepsLocals_) || locals.empty()) return;
  uint32_t bytes = 0;
  std::vector<uint32_t> offsets;
  for (const llvm::AllocaInst* local : locals) {
    const auto count = llvm::cast<llvm::ConstantInt>(local->getArraySize())->getZExtValue();
    bytes = alignUp(bytes, static_cast<uint32_t>(local->getAlign().value()));
    offsets.push_back(bytes);
    bytes +=
        static_cast<uint32_t>(count * layout_.getTypeAllocSize(local->getAllocatedType()).getFixedValue());
  }
  made_.localBytes = alignUp(bytes, 64);
  made_.contextBytes += made_.localBytes * kSimLanes;
  llvm::IRBuilder<> b(&*thread_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Value lane = b.CreateZExt(thread_.getArg(kLaneArgument), b.getInt64Ty());
  Value own = b.CreatePtrAdd(
      thread_.getArg(kContextArgument),
      b.CreateAdd(b.CreateMul(lane, b.getInt64(made_.localBytes)), b.getInt64(made_.localOffset)));
  for (size_t i = 0; i < locals.size(); ++i) {
    for (llvm::User* user : llvm::make_early_inc_range(locals[i]->users())) {
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
          call != nullptr && call->isLifetimeStartOrEnd())
        call->eraseFromParent();
    }
    locals[i]->replaceAllUsesWith(b.CreatePtrAdd(own, b.getInt64(offsets[i])));
    locals[i]->eraseFromParent();
  }
}

void RegionSplit::cutAtPoints() {
  std::vector<llvm::Instruction*> points;
  for (llvm::Instruction& instruction : llvm::instructions(thread_)) {
    if (pointNumber(instruction) != 0) points.push_back(&instruction);
  }
  starts_.push_back(&thread_.getEntryBlock());
  made_.points.push_back(0);
  for (llvm::Instruction* point : points) {
    const auto state = static_cast<uint32_t>(starts_.size());
    Block before = point->getParent();
    Block after = before->splitBasicBlock(std::next(point->getIterator()));
    made_.points.push_back(pointNumber(*point));
    point->eraseFromParent();
    // A block before that was cut already moved its wait to the part after.
    waits_[before] = state;
    states_[after] = state;
    starts_.push_back(after);
  }
}

// Goes back from each use to the definition: where a state begins on the way, the value lives.
void RegionSplit::findLiving(llvm::Instruction& value) {
  absl::flat_hash_set<Block> seen;
  std::vector<Block> open;
  const auto enter = [&](Block block) {
    if (seen.insert(block).second) open.push_back(block);
  };
  for (const llvm::Use& use : value.uses()) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
      Block from = phi->getIncomingBlock(use);
      if (from != value.getParent()) enter(from);
    } else if (user->getParent() != value.getParent()) {
      enter(user->getParent());
    }
  }
  while (!open.empty()) {
    Block block = open.back();
    open.pop_back();
    if (const auto state = states_.find(block); state != states_.end())
      living_[state->second].push_back(&value);
    for (Block before : llvm::predecessors(block)) {
      if (before != value.getParent()) enter(before);
    }
  }
}

void RegionSplit::findLiving() {
  living_.resize(starts_.size());
  if (starts_.size() == 1) return;
  for (llvm::Instruction& value : llvm::instructions(thread_)) {
    if (!value.getType()->isVoidTy()) findLiving(value);
  }
}

std::vector<Block> RegionSplit::reachedFrom(Block start) const {
  std::vector<Block> reached{start};
  absl::flat_hash_set<Block> seen{start};
  for (size_t i = 0; i < reached.size(); ++i) {
    if (waits_.contains(reached[i])) continue;
    for (Block next : llvm::successors(reached[i])) {
      if (seen.insert(next).second) reached.push_back(next);
    }
  }
  return reached;
}

Value RegionSplit::slot(llvm::IRBuilder<>& b, llvm::Function& function, llvm::Instruction& value) {
  llvm::Type* type = slotType(value);
  const auto bytes = static_cast<uint32_t>(layout_.getTypeAllocSize(type).getFixedValue());
  const auto [found, isNew] = slots_.try_emplace(&value, made_.contextBytes);
  if (isNew) made_.contextBytes += alignUp(bytes * kSimLanes, 64);
  Value lanes = b.CreatePtrAdd(function.getArg(kContextArgument), b.getInt64(found->second));
  return b.CreateGEP(type, lanes, b.CreateZExt(function.getArg(kLaneArgument), b.getInt64Ty()));
}

// Keeps what lives on, and answers where the thread is.
void RegionSplit::endAtPoint(llvm::Function& region, uint32_t state, Block original,
                             llvm::ValueToValueMapTy& map, const absl::flat_hash_set<Block>& within,
                             uint32_t next) {
  auto* block = llvm::cast<llvm::BasicBlock>(&*map[original]);
  block->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> b(block);
  for (llvm::Instruction* value : living_[next]) {
    // Where it comes from its slot and does not change, it is there.
    const bool isHere = within.contains(value->getParent());
    if (!isHere || recompute_.isCheap(*value)) continue;
    Value now = map[value];
    Value wide = now->getType()->isIntegerTy(1) ? b.CreateZExt(now, b.getInt8Ty()) : now;
    b.CreateStore(wide, slot(b, region, *value));
  }
  b.CreateRet(b.getInt32(next));
  auto& exits = made_.exits[state];
  if (std::ranges::find(exits, next) == exits.end()) exits.push_back(next);
}

void RegionSplit::makeRegion(uint32_t state) {
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(thread_.getContext()),
                                       thread_.getFunctionType()->params(), false);
  auto* region = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                        "region." + std::to_string(state), thread_.getParent());
  region->addFnAttr(llvm::Attribute::NoUnwind);
  region->addFnAttr(llvm::Attribute::AlwaysInline);
  made_.functions.push_back(region);
  made_.exits.emplace_back();
  auto* enter = llvm::BasicBlock::Create(thread_.getContext(), "enter", region);
  llvm::IRBuilder<> b(enter);

  const std::vector<Block> blocks = reachedFrom(starts_[state]);
  const absl::flat_hash_set<Block> within(blocks.begin(), blocks.end());
  llvm::ValueToValueMapTy map;
  for (unsigned i = 0; i < thread_.arg_size(); ++i) map[thread_.getArg(i)] = region->getArg(i);
  // What lives at the beginning: from its slot, or computed again.
  llvm::ValueToValueMapTy arguments;
  for (unsigned i = 0; i < thread_.arg_size(); ++i) arguments[thread_.getArg(i)] = region->getArg(i);
  std::vector<std::pair<llvm::Instruction*, Value>> again;  // values that are also made within
  for (llvm::Instruction* value : living_[state]) {
    Value entered = nullptr;
    if (recompute_.isCheap(*value)) {
      entered = recompute_.emit(*value, b, arguments);
    } else {
      entered = b.CreateLoad(slotType(*value), slot(b, *region, *value));
      if (value->getType()->isIntegerTy(1)) entered = b.CreateTrunc(entered, b.getInt1Ty());
    }
    if (within.contains(value->getParent()))
      again.emplace_back(value, entered);
    else
      map[value] = entered;
  }
  for (Block block : blocks) map[block] = llvm::CloneBasicBlock(block, map, "", region);
  b.CreateBr(llvm::cast<llvm::BasicBlock>(&*map[starts_[state]]));
  for (Block block : blocks) {
    for (llvm::Instruction& instruction : *llvm::cast<llvm::BasicBlock>(&*map[block])) {
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
        for (unsigned i = phi->getNumIncomingValues(); i-- > 0;) {
          Block from = phi->getIncomingBlock(i);
          if (!within.contains(from) || waits_.contains(from)) phi->removeIncomingValue(i, false);
        }
      }
      llvm::RemapInstruction(&instruction, map, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    }
  }
  for (Block block : blocks) {
    if (const auto wait = waits_.find(block); wait != waits_.end()) {
      endAtPoint(*region, state, block, map, within, wait->second);
    } else if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(
                   llvm::cast<llvm::BasicBlock>(&*map[block])->getTerminator())) {
      llvm::IRBuilder<>(ret).CreateRet(b.getInt32(0));
      ret->eraseFromParent();
      auto& exits = made_.exits[state];
      if (std::ranges::find(exits, 0u) == exits.end()) exits.push_back(0);
    }
  }
  for (const auto& [value, entered] : again) {
    auto* here = llvm::cast<llvm::Instruction>(&*map[value]);
    llvm::SSAUpdater updater;
    updater.Initialize(here->getType(), here->getName());
    updater.AddAvailableValue(enter, entered);
    updater.AddAvailableValue(here->getParent(), here);
    for (llvm::Use& use : llvm::make_early_inc_range(here->uses())) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (user->getParent() == here->getParent() && !llvm::isa<llvm::PHINode>(user)) continue;
      updater.RewriteUse(use);
    }
  }
}

}  // namespace

uint32_t pointNumber(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  uint32_t number = 0;
  if (callee == nullptr || !callee->getName().starts_with(kPoint)) return 0;
  return callee->getName().drop_front(kPoint.size()).getAsInteger(10, number) ? 0 : number;
}

ThreadRegions splitRegions(llvm::Function& thread, bool keepsLocals, uint32_t contextBytes) {
  return RegionSplit(thread, keepsLocals, contextBytes).run();
}

}  // namespace hilo
