// Branches, calls and ends.
#include <algorithm>

#include "core/compiler/codegen/simulate/translations.h"

namespace hilo {
namespace {

using Value = FunctionEmitter::Value;

uint32_t placeOf(const PtxFunction& function, const std::string& label) {
  const auto found = std::ranges::find(function.labels, label, &PtxLabel::name);
  return found == function.labels.end() ? 0 : found->at;
}

// Void function of the thread and a pointer a parameter and a result.
llvm::FunctionType* functionType(FunctionEmitter& f, size_t arguments) {
  std::vector<llvm::Type*> types(arguments + 1, f.b().getPtrTy());
  return llvm::FunctionType::get(f.b().getVoidTy(), types, false);
}

// A pointer to an argument: its .param variable, or a place for the value of a register.
Result<Value> argument(FunctionEmitter& f, const PtxOperand& operand, const PtxVariable* declared) {
  if (operand.kind == PtxOperand::Kind::Name) {
    if (Value own = f.variable(operand.name)) return own;
    return f.unsupported("its arguments");
  }
  const PtxType type = declared != nullptr ? declared->type : PtxType{PtxTypeKind::Bits, 64, 1};
  Value place = f.room(f.b().getIntNTy(type.totalBits()));
  f.b().CreateStore(f.bitsOf(f.read(operand, type)), place);
  return place;
}

struct CallParts {
  const PtxOperand* returns = nullptr;
  const PtxOperand* callee = nullptr;
  const PtxOperand* params = nullptr;
  const PtxOperand* prototype = nullptr;
};
CallParts partsOf(const PtxInstruction& at) {
  CallParts parts;
  for (const PtxOperand& operand : at.operands) {
    const bool isList = operand.kind == PtxOperand::Kind::List;
    if (isList && parts.callee == nullptr)
      parts.returns = &operand;
    else if (isList)
      parts.params = &operand;
    else if (parts.callee == nullptr)
      parts.callee = &operand;
    else
      parts.prototype = &operand;
  }
  return parts;
}

Value loadArgument(FunctionEmitter& f, const CallParts& parts, size_t i, unsigned bits) {
  Value place = f.variable(parts.params->parts[i].name);
  return f.b().CreateLoad(f.b().getIntNTy(bits), place);
}

// Functions of the device's runtime that kernels declare and do not have.
Status callRuntime(FunctionEmitter& f, const CallParts& parts) {
  auto& ir = f.b();
  const std::string& name = parts.callee->name;
  const auto pointerAt = [&](size_t i) {
    return ir.CreateIntToPtr(loadArgument(f, parts, i, 64), ir.getPtrTy());
  };
  const size_t count = parts.params == nullptr ? 0 : parts.params->parts.size();
  for (const PtxOperand* list : {parts.params, parts.returns}) {
    for (size_t i = 0; list != nullptr && i < list->parts.size(); ++i) {
      if (f.variable(list->parts[i].name) == nullptr) return f.unsupported("its arguments");
    }
  }
  if (name == "vprintf" && count == 2 && parts.returns != nullptr && parts.returns->parts.size() == 1) {
    Value printed = f.call("print", ir.getInt32Ty(), {pointerAt(0), pointerAt(1)});
    ir.CreateStore(printed, f.variable(parts.returns->parts[0].name));
    return {};
  }
  if (name == "__assertfail" && count == 5) {
    f.call("assert_fail", ir.getVoidTy(),
           {pointerAt(0), pointerAt(1), loadArgument(f, parts, 2, 32), f.line()});
    return {};
  }
  return f.unsupported("nothing is known of " + name);
}

// The address of a function is a number: that of each function it may be of is compared.
Status callByAddress(FunctionEmitter& f, Value address, llvm::FunctionType* type,
                     llvm::ArrayRef<Value> arguments) {
  auto& ir = f.b();
  llvm::Function* inside = ir.GetInsertBlock()->getParent();
  auto* after = llvm::BasicBlock::Create(ir.getContext(), "called", inside);
  auto* nobody = llvm::BasicBlock::Create(ir.getContext(), "nobody", inside);
  auto* choice = ir.CreateSwitch(address, nobody);
  for (const auto& [name, function] : f.context().functions) {
    if (function->getFunctionType() != type) continue;
    auto* block = llvm::BasicBlock::Create(ir.getContext(), "call", inside);
    choice->addCase(ir.getInt64(functionAddress(f.context().ptx, name)), block);
    ir.SetInsertPoint(block);
    ir.CreateCall(type, function, arguments);
    ir.CreateBr(after);
  }
  ir.SetInsertPoint(nobody);
  f.call("trap", ir.getVoidTy(), {f.line()});
  ir.CreateUnreachable();
  ir.SetInsertPoint(after);
  return {};
}

}  // namespace

Status emitBra(FunctionEmitter& f) {
  llvm::BasicBlock* target = f.target(f.operand(0).name);
  f.countTurn(placeOf(f.function(), f.operand(0).name));
  f.b().CreateBr(target);
  f.endBlock();
  return {};
}

Status emitBrxIdx(FunctionEmitter& f) {
  const PtxTargets* targets = f.operands() == 2 ? f.targetsOf(f.operand(1).name) : nullptr;
  if (targets == nullptr || targets->targets.empty()) return f.unsupported("its targets");
  auto* otherwise = f.target(targets->targets.back());
  if (otherwise == nullptr) return f.unsupported("its targets");
  auto* choice = f.b().CreateSwitch(f.readBits(0, 32), otherwise);
  for (uint32_t i = 0; i < targets->targets.size(); ++i) {
    llvm::BasicBlock* target = f.target(targets->targets[i]);
    if (target == nullptr) return f.unsupported("its targets");
    choice->addCase(f.b().getInt32(i), target);
  }
  f.endBlock();
  return {};
}

Status emitCall(FunctionEmitter& f) {
  const CallParts parts = partsOf(f.at());
  if (parts.callee == nullptr) return f.unsupported();
  const bool isDirect = parts.callee->kind == PtxOperand::Kind::Name;
  const PtxFunction* declared = isDirect ? f.context().ptx.function(parts.callee->name) : nullptr;
  if (isDirect && (declared == nullptr || !declared->hasBody)) return callRuntime(f, parts);
  const size_t params = parts.params == nullptr ? 0 : parts.params->parts.size();
  const size_t returns = parts.returns == nullptr ? 0 : parts.returns->parts.size();
  if (declared != nullptr && (params != declared->params.size() || returns != declared->returns.size()))
    return f.unsupported("its arguments are not those of the function");
  std::vector<Value> arguments{f.thread()};
  const auto add = [&](const PtxOperand* list, const std::vector<PtxVariable>* declarations) -> Status {
    for (size_t i = 0; list != nullptr && i < list->parts.size(); ++i) {
      const bool isKnown = declarations != nullptr && i < declarations->size();
      TRY(Value value, argument(f, list->parts[i], isKnown ? &(*declarations)[i] : nullptr));
      arguments.push_back(value);
    }
    return {};
  };
  TRY_STATUS(add(parts.params, declared == nullptr ? nullptr : &declared->params));
  TRY_STATUS(add(parts.returns, declared == nullptr ? nullptr : &declared->returns));
  auto* type = functionType(f, arguments.size() - 1);
  if (!isDirect) return callByAddress(f, f.read(*parts.callee, {PtxTypeKind::Bits, 64, 1}), type, arguments);
  const auto found = f.context().functions.find(parts.callee->name);
  if (found == f.context().functions.end() || found->second->getFunctionType() != type)
    return f.unsupported("its arguments are not those of the function");
  f.b().CreateCall(type, found->second, arguments);
  for (size_t i = 0; declared != nullptr && i < returns; ++i) {
    const PtxOperand& result = parts.returns->parts[i];
    if (result.kind != PtxOperand::Kind::Register) continue;
    const PtxType& kind = declared->returns[i].type;
    f.write(result,
            f.b().CreateLoad(f.b().getIntNTy(kind.totalBits()), arguments[arguments.size() - returns + i]),
            kind);
  }
  return {};
}

Status emitRet(FunctionEmitter& f) {
  f.ret();
  return {};
}

Status emitExit(FunctionEmitter& f) {
  if (!f.function().isEntry) return f.unsupported("in a function");
  f.ret();
  return {};
}

Status emitTrap(FunctionEmitter& f) {
  f.call("trap", f.b().getVoidTy(), {f.line()});
  f.b().CreateUnreachable();
  f.endBlock();
  return {};
}

Status emitNanosleep(FunctionEmitter& f) {
  f.wait({.kind = SimPointKind::Yield});
  return {};
}

}  // namespace hilo
