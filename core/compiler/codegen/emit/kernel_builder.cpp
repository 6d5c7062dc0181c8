#include "core/compiler/codegen/emit/kernel_builder.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include "core/base/check.h"

namespace hilo {

using llvm::Value;

namespace {
llvm::StringRef flagName(const LlvmKernelOption& option) { return {option.name.data(), option.name.size()}; }
}  // namespace

KernelBuilder::KernelBuilder(llvm::LLVMContext& context, const CodegenTarget& target)
    : module_(std::make_unique<llvm::Module>("kernel", context)),
      target_(target),
      frame_(target.beginKernel(*module_, kSymbol)),
      b_(context),
      scalars_(b_) {
  // Addresses are computed in the entry, before the code proper.
  auto* entry = llvm::BasicBlock::Create(context, "entry", frame_.function);
  auto* start = llvm::BasicBlock::Create(context, "start", frame_.function);
  b_.SetInsertPoint(entry);
  b_.CreateBr(start);
  b_.SetInsertPoint(start);
}

Value* KernelBuilder::bufferPointer(int buffer) {
  Value*& pointer = pointers_[buffer];
  if (pointer == nullptr) {
    llvm::IRBuilder<> atEntry(frame_.function->getEntryBlock().getTerminator());
    Value* place =
        atEntry.CreateConstInBoundsGEP1_64(atEntry.getPtrTy(), frame_.buffers, static_cast<uint64_t>(buffer));
    auto* load = atEntry.CreateLoad(atEntry.getPtrTy(), place);
    auto* nothing = llvm::MDNode::get(module_->getContext(), {});
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, nothing);
    pointer = load;
  }
  return pointer;
}

const llvm::SmallVector<Value*, 6>& KernelBuilder::dimsOf(ElementIndex& index) {
  if (index.linear != nullptr && index.dims.size() != index.shape.rank()) {
    index.dims.assign(index.shape.rank(), nullptr);
    const auto order = majorToMinor(index.shape);
    Value* rest = index.linear;
    for (size_t i = order.size(); i-- > 0;) {
      const auto d = static_cast<size_t>(order[i]);
      const int64_t size = index.shape.dimension(d);
      index.dims[d] = i == 0 ? rest : (size == 1 ? int64(0) : b_.CreateURem(rest, int64(size)));
      if (i > 0 && size > 1) rest = b_.CreateUDiv(rest, int64(size));
    }
  }
  return index.dims;
}

Value* KernelBuilder::linearOf(ElementIndex& index, Shape shape) {
  if (index.linear != nullptr && sameMemoryOrder(index.shape, shape)) return index.linear;
  const auto& dims = dimsOf(index);
  CHECK(dims.size() == shape.rank());
  const auto strides = layoutStrides(shape);
  Value* linear = int64(0);
  for (size_t d = 0; d < dims.size(); ++d) {
    if (shape.dimension(d) == 1) continue;
    linear = b_.CreateAdd(linear, b_.CreateMul(dims[d], int64(strides[d]), "", true, true), "", true, true);
  }
  return linear;
}

Value* KernelBuilder::address(int buffer, Shape shape, const ElementIndex& index) {
  ElementIndex at = index;
  Value* linear = linearOf(at, shape);
  if (isComplex(shape.elementType())) linear = b_.CreateShl(linear, 1);
  return b_.CreateInBoundsGEP(scalars_.storageType(shape.elementType()), bufferPointer(buffer), {linear});
}

void KernelBuilder::noteAccess(Value* access, int buffer) {
  accesses_.emplace_back(llvm::cast<llvm::Instruction>(access), buffer);
}

Scalar KernelBuilder::load(int buffer, Shape shape, const ElementIndex& index) {
  Value* place = address(buffer, shape, index);
  llvm::Type* type = scalars_.storageType(shape.elementType());
  Value* stored = b_.CreateLoad(type, place);
  noteAccess(stored, buffer);
  Value* imaginary = nullptr;
  if (isComplex(shape.elementType())) {
    imaginary = b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(type, place, 1));
    noteAccess(imaginary, buffer);
  }
  return scalars_.fromStorage(shape.elementType(), stored, imaginary);
}

void KernelBuilder::store(int buffer, Shape shape, const ElementIndex& index, Scalar value) {
  Value* place = address(buffer, shape, index);
  noteAccess(b_.CreateStore(scalars_.toStorage(shape.elementType(), value), place), buffer);
  if (isComplex(shape.elementType())) {
    llvm::Type* type = scalars_.storageType(shape.elementType());
    noteAccess(b_.CreateStore(value.imaginary, b_.CreateConstInBoundsGEP1_64(type, place, 1)), buffer);
  }
}

Value* KernelBuilder::loadRaw(int buffer, llvm::Type* type, llvm::Type* element, Value* place) {
  const llvm::Align alignment(element->getScalarSizeInBits() / 8);
  Value* loaded =
      b_.CreateAlignedLoad(type, b_.CreateInBoundsGEP(element, bufferPointer(buffer), {place}), alignment);
  noteAccess(loaded, buffer);
  return loaded;
}

void KernelBuilder::storeRaw(int buffer, llvm::Type* element, Value* place, Value* value, bool past) {
  const llvm::Align alignment(past ? 64 : element->getScalarSizeInBits() / 8);
  auto* store =
      b_.CreateAlignedStore(value, b_.CreateInBoundsGEP(element, bufferPointer(buffer), {place}), alignment);
  if (past) {
    llvm::LLVMContext& context = module_->getContext();
    store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                       llvm::MDNode::get(context, {llvm::ConstantAsMetadata::get(b_.getInt32(1))}));
    storesPast_ = true;
  }
  noteAccess(store, buffer);
}

void KernelBuilder::prefetch(int buffer, llvm::Type* element, Value* place) {
  constexpr uint32_t kRead = 0, kIntoFirstCache = 3, kData = 1;
  Value* at = b_.CreateGEP(element, bufferPointer(buffer), {place});
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {at->getType()},
                     {at, b_.getInt32(kRead), b_.getInt32(kIntoFirstCache), b_.getInt32(kData)});
}

llvm::Instruction* KernelBuilder::writeLoop(Value* from, Value* to, const std::function<void(Value*)>& body) {
  llvm::LLVMContext& context = module_->getContext();
  auto* head = llvm::BasicBlock::Create(context, "loop", frame_.function);
  auto* inside = llvm::BasicBlock::Create(context, "body", frame_.function);
  auto* after = llvm::BasicBlock::Create(context, "after", frame_.function);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
  i->addIncoming(from, before);
  b_.CreateCondBr(b_.CreateICmpSLT(i, to), inside, after);
  b_.SetInsertPoint(inside);
  body(i);
  Value* next = b_.CreateAdd(i, int64(1), "", true, true);
  i->addIncoming(next, b_.GetInsertBlock());
  llvm::Instruction* back = b_.CreateBr(head);
  b_.SetInsertPoint(after);
  return back;
}

namespace {

using Notes = llvm::SmallVector<llvm::Metadata*, 4>;

llvm::Metadata* note(llvm::LLVMContext& context, llvm::StringRef what, const Notes& values = {}) {
  Notes parts{llvm::MDString::get(context, what)};
  parts.append(values.begin(), values.end());
  return llvm::MDNode::get(context, parts);
}

// What the optimiser is told of the loop that this jump closes.
void tellOfLoop(llvm::Instruction& back, const Notes& notes) {
  Notes all{nullptr};
  all.append(notes.begin(), notes.end());
  auto* id = llvm::MDNode::getDistinct(back.getContext(), all);
  id->replaceOperandWith(0, id);
  back.setMetadata(llvm::LLVMContext::MD_loop, id);
}

}  // namespace

void KernelBuilder::lineLoop(Value* from, Value* to, const std::function<void(Value*)>& body, int64_t lanes) {
  llvm::LLVMContext& context = module_->getContext();
  Notes notes{note(context, "llvm.loop.unroll.disable")};
  if (lanes > 0) {
    auto* width = llvm::ConstantAsMetadata::get(b_.getInt32(static_cast<uint32_t>(lanes)));
    notes.push_back(note(context, "llvm.loop.vectorize.width", {width}));
  }
  tellOfLoop(*writeLoop(from, to, body), notes);
}

void KernelBuilder::shortLineLoop(int64_t count, const std::function<void(Value*)>& body) {
  constexpr uint32_t kVectorsAtOnce = 4;
  llvm::LLVMContext& context = module_->getContext();
  llvm::Metadata* unrolled = note(context, "llvm.loop.unroll.full");
  llvm::Metadata* atOnce = llvm::ConstantAsMetadata::get(b_.getInt32(kVectorsAtOnce));
  tellOfLoop(
      *writeLoop(int64(0), int64(count), body),
      {note(context, "llvm.loop.unroll.disable"), note(context, "llvm.loop.interleave.count", {atOnce}),
       note(context, "llvm.loop.vectorize.followup_vectorized", {unrolled})});
}

void KernelBuilder::nest(llvm::ArrayRef<int64_t> sizes,
                         const std::function<void(llvm::ArrayRef<Value*>)>& body) {
  llvm::SmallVector<Value*, 6> limits;
  for (const int64_t size : sizes) limits.push_back(int64(size));
  nest(limits, body);
}

void KernelBuilder::nest(llvm::ArrayRef<Value*> sizes,
                         const std::function<void(llvm::ArrayRef<Value*>)>& body) {
  llvm::SmallVector<Value*, 6> indices;
  const auto enter = [&](auto&& self, size_t depth) -> void {
    if (depth == sizes.size()) return body(indices);
    const auto inner = [&](Value* i) {
      indices.push_back(i);
      self(self, depth + 1);
      indices.pop_back();
    };
    sizes[depth] == int64(1) ? inner(int64(0)) : loop(int64(0), sizes[depth], inner);
  };
  enter(enter, 0);
}

void KernelBuilder::branch(Value* condition, const std::function<void()>& yes,
                           const std::function<void()>& no) {
  llvm::LLVMContext& context = module_->getContext();
  auto* then = llvm::BasicBlock::Create(context, "then", frame_.function);
  auto* other = no ? llvm::BasicBlock::Create(context, "else", frame_.function) : nullptr;
  auto* after = llvm::BasicBlock::Create(context, "join", frame_.function);
  b_.CreateCondBr(condition, then, no ? other : after);
  b_.SetInsertPoint(then);
  yes();
  b_.CreateBr(after);
  if (no) {
    b_.SetInsertPoint(other);
    no();
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
}

Value* KernelBuilder::room(llvm::Type* type, int64_t count) {
  auto* made =
      llvm::cast<llvm::AllocaInst>(variable(llvm::ArrayType::get(type, static_cast<uint64_t>(count))));
  made->setAlignment(llvm::Align(64));
  return made;
}

Value* KernelBuilder::variable(llvm::Type* type) {
  llvm::BasicBlock& entry = frame_.function->getEntryBlock();
  return llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
}

KernelBuilder::Variable KernelBuilder::variable(Scalar initial) {
  Variable made;
  made.type = initial.value->getType();
  made.value = variable(made.type);
  if (initial.imaginary != nullptr) made.imaginary = variable(made.type);
  set(made, initial);
  return made;
}

Scalar KernelBuilder::get(const Variable& variable) {
  return {b_.CreateLoad(variable.type, variable.value),
          variable.imaginary == nullptr ? nullptr : b_.CreateLoad(variable.type, variable.imaginary)};
}

void KernelBuilder::set(const Variable& variable, Scalar value) {
  b_.CreateStore(value.value, variable.value);
  if (variable.imaginary != nullptr) b_.CreateStore(value.imaginary, variable.imaginary);
}

Value* KernelBuilder::addInAnyOrder(Value* sum, Value* term) {
  llvm::FastMathFlags flags = b_.getFastMathFlags();
  flags.setAllowReassoc();
  auto* added = llvm::cast<llvm::Instruction>(b_.CreateFAdd(sum, term));
  added->setFastMathFlags(flags);
  return added;
}

Value* KernelBuilder::addInPairs(llvm::SmallVector<Value*, 8> terms) {
  while (terms.size() > 1) {
    llvm::SmallVector<Value*, 8> sums;
    for (size_t i = 0; i + 1 < terms.size(); i += 2) sums.push_back(b_.CreateFAdd(terms[i], terms[i + 1]));
    if (terms.size() % 2 != 0) sums.push_back(terms.back());
    terms = sums;
  }
  return terms[0];
}

// Flags say what is not as it is anyway, so that where nothing is said there are none.
void setOptions(llvm::Module& kernel, const LlvmKernelOptions& options) {
  constexpr LlvmKernelOptions kNone;
  for (const LlvmKernelOption& option : kLlvmKernelOptions) {
    const bool isSaid = options.*option.value != kNone.*option.value;
    if (!isSaid && kernel.getModuleFlag(flagName(option)) == nullptr) continue;
    kernel.setModuleFlag(llvm::Module::Error, flagName(option), options.*option.value ? 1 : 0);
  }
  llvm::Function& function = *kernel.getFunction(KernelBuilder::kSymbol);
  function.removeFnAttr(llvm::Attribute::OptimizeForSize);
  if (options.optimizeForSize) function.addFnAttr(llvm::Attribute::OptimizeForSize);
}

LlvmKernelOptions optionsOf(const llvm::Module& kernel) {
  LlvmKernelOptions options;
  for (const LlvmKernelOption& option : kLlvmKernelOptions) {
    const auto* flag =
        llvm::mdconst::extract_or_null<llvm::ConstantInt>(kernel.getModuleFlag(flagName(option)));
    if (flag != nullptr) options.*option.value = !flag->isZero();
  }
  return options;
}

void KernelBuilder::setFastMath(const FastMath& fastMath) {
  scalars_.setFastMinMax(fastMath.fastMinMax);
  if (!fastMath.isOn) return;
  llvm::FastMathFlags flags = llvm::FastMathFlags::getFast();
  flags.setNoNaNs(fastMath.ignoresNans);
  flags.setNoInfs(fastMath.ignoresInfs);
  flags.setAllowReciprocal(fastMath.ignoresDivision);
  flags.setApproxFunc(fastMath.ignoresFunctions);
  b_.setFastMathFlags(flags);
}

void KernelBuilder::keepLines(uint32_t instruction) {
  module_->addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::DIBuilder debug(*module_);
  llvm::DIFile* file = debug.createFile("kernel.hlo", ".");
  debug.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C), file, "hilo", true, "", 0, "",
                          llvm::DICompileUnit::LineTablesOnly);
  lines_ = debug.createFunction(file, kSymbol, kSymbol, file, 1,
                                debug.createSubroutineType(debug.getOrCreateTypeArray({})), 1,
                                llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  frame_.function->setSubprogram(lines_);
  debug.finalize();
  b_.SetCurrentDebugLocation(llvm::DILocation::get(module_->getContext(), instruction + 1, 0, lines_));
}

KernelBuilder::LinesOf::LinesOf(KernelBuilder& kernel, uint32_t instruction)
    : b_(kernel.b_), before_(kernel.b_.getCurrentDebugLocation()) {
  if (kernel.lines_ != nullptr)
    b_.SetCurrentDebugLocation(llvm::DILocation::get(b_.getContext(), instruction + 1, 0, kernel.lines_));
}

// Buffers of one kernel do not overlap: an operand that is written over is one buffer, used for both.
std::unique_ptr<llvm::Module> KernelBuilder::finish(int buffers) {
  CHECK(pointers_.empty() || pointers_.rbegin()->first < buffers);
  // Stores past the caches are in no order with what tells others of them.
  if (storesPast_) b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  target_.endKernel(frame_, b_, buffers);
  llvm::LLVMContext& context = module_->getContext();
  llvm::MDBuilder metadata(context);
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("kernel");
  std::map<int, llvm::MDNode*> scopes;
  for (const auto& [buffer, pointer] : pointers_) scopes[buffer] = metadata.createAnonymousAliasScope(domain);
  absl::flat_hash_map<int, llvm::MDNode*> mine, others;
  for (const auto& [buffer, scope] : scopes) {
    mine[buffer] = llvm::MDNode::get(context, {scope});
    llvm::SmallVector<llvm::Metadata*, 8> rest;
    for (const auto& [other, otherScope] : scopes) {
      if (other != buffer) rest.push_back(otherScope);
    }
    others[buffer] = llvm::MDNode::get(context, rest);
  }
  for (const auto& [access, buffer] : accesses_) {
    access->setMetadata(llvm::LLVMContext::MD_alias_scope, mine[buffer]);
    access->setMetadata(llvm::LLVMContext::MD_noalias, others[buffer]);
  }
  return std::move(module_);
}

}  // namespace hilo
