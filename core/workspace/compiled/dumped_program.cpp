#include "core/workspace/compiled/dumped_program.h"

#include <fmt/format.h>

#include "core/analysis/async_chain.h"
#include "core/analysis/extract.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/hlo/ir/result_names.h"
#include "core/runtime/program/program_file.h"
#include "core/workspace/compiled/dumped_allocations.h"
#include "core/workspace/compiled/dumped_kernels.h"
#include "core/workspace/compiled/dumped_refusal.h"
#include "core/workspace/compiled/launch_sizes.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/thunks/instruction_buffers.h"

namespace hilo {
namespace {

// What moves no bytes: its value lies where an operand's does, or is there before the program runs.
bool doesNothing(Opcode opcode) {
  switch (opcode) {
    case Opcode::Parameter:
    case Opcode::Constant:
    case Opcode::Bitcast:
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::AfterAll:
    case Opcode::AddDependency:
    case Opcode::OptBarrier:
    case Opcode::AsyncUpdate:
    case Opcode::AsyncDone:
      return true;
    default:
      return false;
  }
}

class DumpedProgramBuilder {
 public:
  DumpedProgramBuilder(const Module& module, const DumpedBuffers& buffers, std::vector<DumpedPtx> ptx,
                       const std::string& llvmIr, const CancelToken& cancel)
      : module_(module),
        buffers_(buffers),
        ptx_(std::move(ptx)),
        llvmIr_(llvmIr),
        cancel_(cancel),
        kernels_(module, ptx_) {}

  Result<DumpedProgram> build();

 private:
  Status describe();
  void addSequence(const Computation& computation, uint32_t sequence);
  Status add(const Instruction& instruction, uint32_t sequence);
  Status addLoop(const Instruction& loop, uint32_t sequence);
  Status addChoice(const Instruction& choice, uint32_t sequence);
  Status addKernel(const Instruction& instruction, const DumpedKernel& found, uint32_t sequence);
  Status addHosted(const Instruction& instruction, uint32_t sequence);
  Result<uint32_t> hostedFor(const Instruction& instruction, Module& alone);
  Result<std::vector<BufferSlice>> slicesOf(const Instruction& instruction) const;
  uint32_t newSequence() {
    program_.sequences.emplace_back();
    return static_cast<uint32_t>(program_.sequences.size() - 1);
  }
  template <typename Body>
  void addThunk(const Instruction& instruction, uint32_t sequence, Body body) {
    program_.sequences[sequence].push_back({.name = std::string(instruction.name()),
                                            .instruction = instruction.id().value,
                                            .body = std::move(body)});
  }
  Status refusal() const;

  const Module& module_;
  const DumpedBuffers& buffers_;
  const std::vector<DumpedPtx> ptx_;
  const std::string& llvmIr_;
  const CancelToken& cancel_;
  Program program_;
  uint32_t mostSharedBytes_ = 0;
  DumpedKernels kernels_;
  absl::flat_hash_map<std::string, uint32_t> kernelNumber_;  // by name
  absl::flat_hash_map<std::string, uint32_t> hostedOf_;
  std::vector<std::string> substituted_, shared_;
  Diagnostics refused_;
};

Result<DumpedProgram> DumpedProgramBuilder::build() {
  TRY_STATUS(describe());
  TRY_STATUS(addAllocations(module_, buffers_.assignment(), program_, refused_));
  addSequence(*module_.entry(), newSequence());
  copyWrittenParameters(program_);
  TRY(const auto results, slicesOf(*module_.entry()->root()));
  for (const BufferSlice& slice : results) program_.resultSlices.emplace_back(slice);
  TRY_STATUS(refusal());
  TRY_STATUS(checkProgram(program_));
  DumpedProgram made{.program = std::move(program_), .notes = {}};
  if (!substituted_.empty())
    made.notes.push_back(
        fmt::format("substituted, done by the engine cpu in place of a library of the GPU: {}",
                    fmt::join(substituted_, ", ")));
  if (!shared_.empty())
    made.notes.push_back(
        fmt::format("how much shared memory these are launched with is not in the dump, and they "
                    "get all there is: {}",
                    fmt::join(shared_, ", ")));
  return made;
}

Status DumpedProgramBuilder::refusal() const {
  if (refused_.empty()) return {};
  std::vector<std::string> notes;
  for (const Diagnostic& why : refused_) notes.push_back(why.message);
  return fail("unsupported-program", fmt::format("{} cannot be run as XLA compiled it", module_.name()), {},
              std::move(notes));
}

Status DumpedProgramBuilder::describe() {
  if (!module_.isScheduled())
    return fail("unsupported-program", fmt::format("{} has no schedule", module_.name()));
  const std::string target = ptx_[0].module.target.empty() ? "" : ptx_[0].module.target[0];
  TRY(const GpuTarget gpu, findGpuTarget(target));
  mostSharedBytes_ = static_cast<uint32_t>(gpu.sharedBytes);
  TRY(program_.target, gpuTarget(target));
  program_.name = std::string(module_.name());
  program_.moduleHash = moduleHash(module_);
  program_.result = module_.entry()->root()->shape();
  program_.resultNames = resultNames(module_);
  program_.replicas = module_.replicaCount();
  program_.partitions = module_.partitionCount();
  for (const Instruction* parameter : module_.entry()->parameters()) {
    program_.parameters.push_back(parameter->shape());
    program_.parameterNames.emplace_back(parameter->name());
  }
  for (const DumpedPtx& ptx : ptx_) {
    const auto* bytes = reinterpret_cast<const std::byte*>(ptx.text.data());
    program_.objects.push_back({.code = {bytes, bytes + ptx.text.size()}, .name = ptx.name});
  }
  return {};
}

// Of every array, of the bytes that it takes here too.
Result<std::vector<BufferSlice>> DumpedProgramBuilder::slicesOf(const Instruction& instruction) const {
  TRY(const auto slices, buffers_.slicesOf(instruction));
  const std::vector<Shape> leaves = arrayLeaves(instruction.shape());
  for (size_t i = 0; i < slices.size(); ++i) {
    if (leaves[i].isDynamic() || bufferBytes(leaves[i]) != slices[i].sizeBytes)
      return fail("unsupported-program", fmt::format("%{}: {} takes {} bytes on a GPU", instruction.name(),
                                                     toString(leaves[i]), slices[i].sizeBytes));
  }
  return slices;
}

void DumpedProgramBuilder::addSequence(const Computation& computation, uint32_t sequence) {
  for (const Instruction* instruction : computation.instructions()) {
    if (cancel_.cancelled()) {
      refused_.push_back({.kind = "cancelled", .message = "it was cancelled"});
      return;
    }
    if (const Status added = add(*instruction, sequence); !added) refused_.push_back(added.error());
  }
}

Status DumpedProgramBuilder::add(const Instruction& instruction, uint32_t sequence) {
  if (doesNothing(instruction.opcode())) return {};
  switch (instruction.opcode()) {
    case Opcode::Call:
      addSequence(*instruction.calledComputations()[0], sequence);
      return {};
    case Opcode::AsyncStart:
      if (const Computation* wrapped = asyncWrappedComputation(instruction)) {
        addSequence(*wrapped, sequence);
        return {};
      }
      return refuseDumped(instruction, "what it begins is not in the module");
    case Opcode::While:
      return addLoop(instruction, sequence);
    case Opcode::Conditional:
      return addChoice(instruction, sequence);
    default:
      break;
  }
  if (const auto kernel = kernels_.of(instruction)) return addKernel(instruction, *kernel, sequence);
  if (instruction.opcode() == Opcode::Fusion)
    return refuseDumped(instruction,
                        fmt::format("the PTX has no kernel {}", kernelNameOf(instruction.name())));
  const bool copies =
      instruction.opcode() == Opcode::Copy && instruction.shape() == instruction.operand(0)->shape();
  if (!copies) return addHosted(instruction, sequence);
  TRY(const auto from, slicesOf(*instruction.operand(0)));
  TRY(const auto to, slicesOf(instruction));
  addThunk(instruction, sequence, CopyThunk{.source = ReadSlice(from[0]), .destination = WriteSlice(to[0])});
  return {};
}

Status DumpedProgramBuilder::addLoop(const Instruction& loop, uint32_t sequence) {
  const auto called = loop.calledComputations();  // the condition and the body, by their attributes
  const Computation* condition = loop.get<Attr::Condition>();
  const Computation* body = loop.get<Attr::Body>();
  if (condition == nullptr || body == nullptr || called.size() != 2)
    return refuseDumped(loop, "what it runs is not in the module");
  TRY(const auto test, slicesOf(*condition->root()));
  WhileThunk thunk{.test = ReadSlice(test[0])};
  thunk.condition = newSequence();
  addSequence(*condition, thunk.condition);
  thunk.body = newSequence();
  addSequence(*body, thunk.body);
  addThunk(loop, sequence, std::move(thunk));
  return {};
}

Status DumpedProgramBuilder::addChoice(const Instruction& choice, uint32_t sequence) {
  TRY(const auto selector, slicesOf(*choice.operand(0)));
  ConditionalThunk thunk{.selector = ReadSlice(selector[0]),
                         .byPred = choice.operand(0)->shape().elementType() == ElementType::Pred};
  for (const Computation* branch : choice.calledComputations()) {
    thunk.branches.push_back(newSequence());
    addSequence(*branch, thunk.branches.back());
  }
  addThunk(choice, sequence, std::move(thunk));
  return {};
}

// A parameter each array, operands first; one that lies where another does has none of its own.
Status DumpedProgramBuilder::addKernel(const Instruction& instruction, const DumpedKernel& found,
                                       uint32_t sequence) {
  std::vector<BufferSlice> distinct;
  std::vector<bool> isWritten;
  const auto take = [&](const std::vector<BufferSlice>& slices, bool writes) {
    for (const BufferSlice& slice : slices) {
      const auto at = static_cast<size_t>(std::ranges::find(distinct, slice) - distinct.begin());
      if (at == distinct.size()) {
        distinct.push_back(slice);
        isWritten.push_back(false);
      }
      isWritten[at] = isWritten[at] || writes;
    }
  };
  for (const Instruction* operand : instruction.operands()) {
    TRY(const auto slices, slicesOf(*operand));
    take(slices, false);
  }
  TRY(const auto results, slicesOf(instruction));
  take(results, true);
  if (distinct.size() != found.function->params.size())
    return refuseDumped(instruction,
                        fmt::format("its kernel {} takes {} parameters, and it has {} arrays",
                                    found.function->name, found.function->params.size(), distinct.size()));
  TRY(GridLaunch launch,
      dumpedLaunch(instruction, *found.function, ptx_[found.file].module, llvmIr_, mostSharedBytes_));
  KernelThunk thunk;
  const auto reads = static_cast<uint32_t>(std::ranges::count(isWritten, false));
  for (size_t i = 0; i < distinct.size(); ++i) {
    launch.parameters.push_back(isWritten[i] ? reads + static_cast<uint32_t>(thunk.results.size())
                                             : static_cast<uint32_t>(thunk.arguments.size()));
    isWritten[i] ? void(thunk.results.emplace_back(distinct[i]))
                 : void(thunk.arguments.emplace_back(distinct[i]));
  }
  const std::string key = fmt::format("{} {}", found.function->name, fmt::join(launch.parameters, " "));
  const auto [number, isNew] = kernelNumber_.try_emplace(key, static_cast<uint32_t>(program_.kernels.size()));
  if (isNew) {
    if (launch.sharedBytes > 0) shared_.push_back(found.function->name);
    program_.kernels.push_back({.name = std::string(instruction.name()),
                                .symbol = found.function->name,
                                .object = found.file,
                                .launch = std::move(launch)});
  }
  thunk.kernel = number->second;
  addThunk(instruction, sequence, std::move(thunk));
  return {};
}

Result<uint32_t> DumpedProgramBuilder::hostedFor(const Instruction& instruction, Module& alone) {
  const std::string hash = textWithoutNames(alone);
  const auto known = hostedOf_.find(hash);
  if (known != hostedOf_.end()) return known->second;
  if (const Diagnostics obstacles = whyNotCompiled(alone); !obstacles.empty()) {
    TRY_STATUS(refuseDumped(instruction,
                            fmt::format("the PTX has no kernel for it, and the engine cpu refuses it: {}",
                                        obstacles[0].message)));
  }
  TRY(CompiledModule compiled, compileProgram(alone.clone(), {}, cancel_));
  program_.hosted.push_back({serialize(compiled.program)});
  return hostedOf_[hash] = static_cast<uint32_t>(program_.hosted.size() - 1);
}

Status DumpedProgramBuilder::addHosted(const Instruction& instruction, uint32_t sequence) {
  const OpcodeClass kind = opcodeClass(instruction.opcode());
  if (kind == OpcodeClass::Collective || kind == OpcodeClass::Communication)
    return refuseDumped(instruction, "collectives of a dump are not run");
  const InstructionId id = instruction.id();
  TRY(const auto alone, extractModule(module_, {&id, 1}));
  std::vector<const Instruction*> operands;
  for (const Instruction* operand : instruction.operands()) {
    if (std::ranges::find(operands, operand) == operands.end()) operands.push_back(operand);
  }
  if (alone->entry()->parameters().size() != operands.size())
    return refuseDumped(instruction, "it uses more than its operands");
  HostedThunk thunk;
  TRY(thunk.program, hostedFor(instruction, *alone));
  for (const Instruction* operand : operands) {
    TRY(const auto slices, slicesOf(*operand));
    for (const BufferSlice& slice : slices) thunk.operands.emplace_back(slice);
  }
  TRY(const auto results, slicesOf(instruction));
  for (const BufferSlice& slice : results) thunk.results.emplace_back(slice);
  substituted_.emplace_back(instruction.name());
  addThunk(instruction, sequence, std::move(thunk));
  return {};
}

}  // namespace

Result<DumpedProgram> programOfDump(const Module& module, const DumpedBuffers& buffers,
                                    std::vector<DumpedPtx> ptx, const std::string& llvmIr,
                                    const CancelToken& cancel) {
  return DumpedProgramBuilder(module, buffers, std::move(ptx), llvmIr, cancel).build();
}

}  // namespace hilo
