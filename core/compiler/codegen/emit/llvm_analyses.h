// The analyses that LLVM's passes ask for, registered with a PassBuilder: what a pipeline runs with.
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace hilo {

struct LlvmAnalyses {
  explicit LlvmAnalyses(llvm::PassBuilder& builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
  LlvmAnalyses(const LlvmAnalyses&) = delete;
  LlvmAnalyses& operator=(const LlvmAnalyses&) = delete;

  // Each refers to those before it, and goes before them.
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

}  // namespace hilo
