#include "core/compiler/codegen/simulate/inline_waits.h"

#include <fmt/format.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <set>

#include "core/compiler/codegen/emit/llvm_analyses.h"
#include "core/compiler/codegen/simulate/split_regions.h"

namespace hilo {
namespace {

bool waitsItself(llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function),
                      [](const llvm::Instruction& at) { return pointNumber(at) != 0; });
}

std::vector<llvm::CallInst*> callsOf(llvm::Function& function, const std::set<llvm::Function*>& callees) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& at : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&at);
    if (call != nullptr && callees.contains(call->getCalledFunction())) calls.push_back(call);
  }
  return calls;
}

// With those that call one that waits.
std::set<llvm::Function*> waitingFunctions(llvm::Module& module) {
  std::set<llvm::Function*> waiting;
  for (llvm::Function& function : module) {
    if (waitsItself(function)) waiting.insert(&function);
  }
  for (bool grew = !waiting.empty(); grew;) {
    grew = false;
    for (llvm::Function& function : module) {
      if (!waiting.contains(&function) && !callsOf(function, waiting).empty())
        grew = waiting.insert(&function).second;
    }
  }
  return waiting;
}

// Registers become values, and what is computed twice is computed once, before anything is cut.
void simplify(llvm::Function& kernel) {
  llvm::PassBuilder builder;
  LlvmAnalyses analyses(builder);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::ADCEPass());
  passes.run(kernel, analyses.functions);
}

}  // namespace

void inlineWaits(llvm::Module& module, llvm::Function& kernel, Diagnostics& problems) {
  constexpr size_t kMostCalls = 512;
  const std::set<llvm::Function*> waiting = waitingFunctions(module);
  size_t inlined = 0;
  for (auto calls = callsOf(kernel, waiting); !calls.empty(); calls = callsOf(kernel, waiting)) {
    for (llvm::CallInst* call : calls) {
      llvm::InlineFunctionInfo info;
      const std::string name = call->getCalledFunction()->getName().str();
      if (++inlined <= kMostCalls && llvm::InlineFunction(*call, info).isSuccess()) continue;
      problems.push_back({.kind = "unsupported-ptx",
                          .message = fmt::format("{} waits for other threads and calls itself, or is called "
                                                 "in too many places, which is not simulated",
                                                 name)});
      return;
    }
  }
  for (llvm::Function* function : waiting) {
    if (function != &kernel && function->use_empty()) function->eraseFromParent();
  }
  simplify(kernel);
}

}  // namespace hilo
