#include "core/compiler/codegen/simulate/lane_loops.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "core/compiler/codegen/emit/kernel_builder.h"
#include "core/compiler/codegen/simulate/operand_emitter.h"
#include "core/compiler/codegen/simulate/vector_points.h"
#include "core/runtime/device/simulated/sim_thread.h"

namespace hilo {
namespace {

using Value = llvm::Value*;
using Block = llvm::BasicBlock*;

class LaneLoops {
 public:
  LaneLoops(llvm::Module& module, const ThreadRegions& regions, const SimulatedKernel& simulated)
      : context_(module.getContext()),
        regions_(regions),
        simulated_(simulated),
        b_(context_),
        accesses_(llvm::MDNode::getDistinct(context_, {})) {
    llvm::Type* pointer = b_.getPtrTy();
    llvm::Type* word = b_.getInt32Ty();
    kernel_ = llvm::Function::Create(
        llvm::FunctionType::get(word, {pointer, pointer, word, word, word, word}, false),
        llvm::Function::ExternalLinkage, KernelBuilder::kSymbol, module);
    kernel_->addFnAttr(llvm::Attribute::NoUnwind);
    kernel_->addFnAttr("stack-probe-size", "1048576");
    // So that loads of what never changes are done once, before the lanes part.
    const auto isThere = [&](unsigned argument, uint64_t bytes) {
      kernel_->addDereferenceableParamAttr(argument, bytes);
      kernel_->addParamAttr(argument, llvm::Attribute::getWithAlignment(context_, llvm::Align(8)));
    };
    isThere(0, sizeof(SimThread));
    if (simulated_.paramBytes != 0) isThere(1, simulated_.paramBytes);
    kernel_->addParamAttr(1, llvm::Attribute::ReadOnly);
  }

  void write(bool hasTogether) {
    b_.SetInsertPoint(newBlock("begin"));
    warpContext_ = ofWarp(offsetof(SimThread, context));
    origin_ = ofWarp(offsetof(SimThread, origin));
    Block apart = newBlock("apart"), together = hasTogether ? newBlock("together") : nullptr;
    if (hasTogether)
      b_.CreateCondBr(b_.CreateIsNotNull(kernel_->getArg(5)), together, apart);
    else
      b_.CreateBr(apart);
    for (llvm::Function* region : regions_.functions) markAccesses(*region);
    writeApart(apart);
    if (hasTogether) writeTogether(together);
  }

 private:
  Value warp() { return kernel_->getArg(0); }
  Value ofWarp(size_t offset) {
    return b_.CreateLoad(b_.getPtrTy(), b_.CreatePtrAdd(warp(), b_.getInt64(offset)));
  }
  Block newBlock(const char* name) { return llvm::BasicBlock::Create(context_, name, kernel_); }
  Value next(Value lane) {
    return b_.CreateGEP(b_.getInt32Ty(), b_.CreatePtrAdd(warpContext_, b_.getInt64(kContextNext)), lane);
  }

  void markAccesses(llvm::Function& region) {
    for (llvm::Instruction& at : llvm::instructions(region)) {
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(at))
        at.setMetadata(llvm::LLVMContext::MD_access_group, accesses_);
    }
  }

  llvm::MDNode* loopOf(bool isVector) {
    const auto text = [&](const char* word) { return llvm::MDString::get(context_, word); };
    const auto flag = [&](const char* word, bool value) {
      return llvm::MDNode::get(context_, {text(word), llvm::ConstantAsMetadata::get(b_.getInt1(value))});
    };
    llvm::SmallVector<llvm::Metadata*, 4> parts{nullptr};
    if (isVector) {
      parts.push_back(llvm::MDNode::get(context_, {text("llvm.loop.parallel_accesses"), accesses_}));
    } else {
      parts.push_back(flag("llvm.loop.vectorize.enable", false));
      parts.push_back(llvm::MDNode::get(context_, {text("llvm.loop.unroll.disable")}));
    }
    auto* node = llvm::MDNode::getDistinct(context_, parts);
    node->replaceOperandWith(0, node);
    return node;
  }

  // Lanes from .. to of the region; the builder is behind the loop afterwards.
  void writeLoop(uint32_t state, Value from, Value to, bool isVector, bool tellsNext) {
    Block before = b_.GetInsertBlock(), body = newBlock("lane"), after = newBlock("lanes.end");
    b_.CreateBr(body);
    b_.SetInsertPoint(body);
    auto* lane = b_.CreatePHI(b_.getInt64Ty(), 2);
    lane->addIncoming(from, before);
    Value thread = b_.CreatePtrAdd(warp(), b_.CreateMul(lane, b_.getInt64(kSimThreadStride), "", true, true));
    Value came =
        b_.CreateCall(regions_.functions[state], {thread, kernel_->getArg(1), warp(), warpContext_,
                                                  b_.CreateTrunc(lane, b_.getInt32Ty(), "", true, true),
                                                  b_.getInt1(isVector && simulated_.isRow), origin_});
    if (tellsNext) {
      auto* store = b_.CreateStore(came, next(lane));
      store->setMetadata(llvm::LLVMContext::MD_access_group, accesses_);
    }
    Value following = b_.CreateAdd(lane, b_.getInt64(1), "", true, true);
    lane->addIncoming(following, b_.GetInsertBlock());
    auto* back = b_.CreateCondBr(b_.CreateICmpULT(following, to), body, after);
    back->setMetadata(llvm::LLVMContext::MD_loop, loopOf(isVector));
    b_.SetInsertPoint(after);
  }

  void writeApart(Block begin) {
    b_.SetInsertPoint(begin);
    Value from = b_.CreateZExt(kernel_->getArg(3), b_.getInt64Ty());
    Value to = b_.CreateAdd(from, b_.CreateZExt(kernel_->getArg(4), b_.getInt64Ty()));
    auto* choice = b_.CreateSwitch(kernel_->getArg(2), nowhere());
    for (uint32_t state = 0; state < regions_.functions.size(); ++state) {
      Block block = newBlock("apart.state");
      choice->addCase(b_.getInt32(state), block);
      b_.SetInsertPoint(block);
      writeLoop(state, from, to, false, true);
      b_.CreateRet(b_.getInt32(kSimApart));
    }
  }

  void writeTogether(Block begin) {
    const size_t states = regions_.functions.size();
    b_.SetInsertPoint(begin);
    auto* choice = b_.CreateSwitch(kernel_->getArg(2), nowhere());
    std::vector<Block> starts, arrivals;
    for (uint32_t state = 0; state < states; ++state) {
      starts.push_back(newBlock("together.state"));
      arrivals.push_back(newBlock("arrival"));
      choice->addCase(b_.getInt32(state), starts.back());
    }
    for (uint32_t state = 0; state < states; ++state) {
      b_.SetInsertPoint(starts[state]);
      const auto& exits = regions_.exits[state];
      writeLoop(state, b_.getInt64(0), b_.getInt64(kSimLanes), true, exits.size() != 1);
      if (exits.size() == 1)
        b_.CreateBr(arrivals[exits[0]]);
      else
        writeChoice(exits, arrivals);
      b_.SetInsertPoint(arrivals[state]);
      if (state > 0 && writeVectorPoint(b_, warpContext_, simulated_.points[state]))
        b_.CreateBr(starts[state]);
      else
        b_.CreateRet(b_.getInt32(state));
    }
  }

  // On where all lanes came to the same state.
  void writeChoice(const std::vector<uint32_t>& exits, const std::vector<Block>& arrivals) {
    auto* lanes = llvm::FixedVectorType::get(b_.getInt32Ty(), kSimLanes);
    Value all = b_.CreateAlignedLoad(lanes, next(b_.getInt64(0)), llvm::Align(64));
    Value first = b_.CreateExtractElement(all, uint64_t{0});
    Value areSame = b_.CreateAndReduce(b_.CreateICmpEQ(all, b_.CreateVectorSplat(kSimLanes, first)));
    Block same = newBlock("same"), apart = newBlock("differ");
    b_.CreateCondBr(areSame, same, apart);
    b_.SetInsertPoint(apart);
    b_.CreateRet(b_.getInt32(kSimApart));
    b_.SetInsertPoint(same);
    auto* choice = b_.CreateSwitch(first, nowhere());
    for (const uint32_t exit : exits) choice->addCase(b_.getInt32(exit), arrivals[exit]);
  }

  Block nowhere() {
    if (nowhere_ == nullptr) {
      nowhere_ = newBlock("nowhere");
      new llvm::UnreachableInst(context_, nowhere_);
    }
    return nowhere_;
  }

  llvm::LLVMContext& context_;
  const ThreadRegions& regions_;
  const SimulatedKernel& simulated_;
  llvm::IRBuilder<> b_;
  llvm::MDNode* accesses_;  // threads do not depend on each other in these
  llvm::Function* kernel_ = nullptr;
  Value warpContext_ = nullptr, origin_ = nullptr;
  Block nowhere_ = nullptr;
};

}  // namespace

void writeLaneLoops(llvm::Module& module, const ThreadRegions& regions, const SimulatedKernel& kernel,
                    bool hasTogether) {
  LaneLoops(module, regions, kernel).write(hasTogether);
}

}  // namespace hilo
