#include <fmt/format.h>

#include "app/pjrt/functions.h"
#include "app/pjrt/programs.h"
#include "core/runtime/program/program.h"

namespace hilo {
namespace {

Status destroy(PjrtExecutableArgs& in) {
  delete in.executable;
  return {};
}
Status name(PjrtExecutableText& in) {
  in.text = textOf(in.executable->compiled->name);
  return {};
}
Status fingerprint(PjrtExecutableText& in) {
  in.text = textOf(in.executable->compiled->fingerprint);
  return {};
}
Status replicas(PjrtExecutableCount& in) {
  in.count = static_cast<size_t>(in.executable->compiled->grid.replicas);
  return {};
}
Status partitions(PjrtExecutableCount& in) {
  in.count = static_cast<size_t>(in.executable->compiled->grid.partitions);
  return {};
}
Status outputs(PjrtExecutableCount& in) {
  in.count = in.executable->compiled->results.size();
  return {};
}

int64_t codeBytes(const PjrtCompiled& compiled) {
  int64_t bytes = 0;
  if (const Program* program = compiled.program->program()) {
    for (const auto& object : program->objects) bytes += std::ssize(object.code);
  }
  return bytes;
}

Status codeSize(PjrtExecutableBytes& in) {
  in.bytes = codeBytes(*in.executable->compiled);
  return {};
}

Status cost(PjrtExecutableCost& in) {
  in.properties = in.executable->compiled->cost.data();
  in.count = in.executable->compiled->cost.size();
  return {};
}

Status memory(PjrtExecutableMemory& in) {
  const PjrtCompiled& compiled = *in.executable->compiled;
  in.code = codeBytes(compiled);
  for (const Shape shape : compiled.parameters) in.arguments += shape.byteSize();
  for (const Shape shape : compiled.results) in.outputs += shape.byteSize();
  int64_t allocated = 0;
  if (const Program* program = compiled.program->program()) {
    for (const Allocation& allocation : program->allocations) {
      if (allocation.kind == AllocationKind::Temporary) allocated += allocation.sizeBytes;
    }
  }
  in.temporaries = std::max<int64_t>(0, allocated - in.outputs);
  in.peak = in.total = in.arguments + in.outputs + in.temporaries;
  return {};
}

Status types(PjrtOutputTypes& in) {
  in.types = in.executable->compiled->resultTypes.data();
  in.count = in.executable->compiled->resultTypes.size();
  return {};
}
Status dimensions(PjrtOutputDimensions& in) {
  const PjrtCompiled& compiled = *in.executable->compiled;
  in.count = compiled.resultRanks.size();
  in.dimensions = compiled.resultDimensions.data();
  in.ranks = compiled.resultRanks.data();
  return {};
}

Status kinds(PjrtMemoryKinds& in, size_t count) {
  in.count = count;
  in.kinds = in.executable->compiled->memoryKinds.data();
  in.sizes = in.executable->compiled->memoryKindSizes.data();
  return {};
}
Status outputKinds(PjrtMemoryKinds& in) { return kinds(in, in.executable->compiled->results.size()); }
Status parameterKinds(PjrtMemoryKinds& in) { return kinds(in, in.executable->compiled->parameters.size()); }

Status optimizedProgram(PjrtOptimizedProgram& in) {
  static constexpr std::string_view kFormat = "hlo";
  if (in.program == nullptr || in.program->structBytes < sizeof(PjrtProgram))
    return fail("wrong-argument", "there is no program to fill");
  PjrtCompiled& compiled = *in.executable->compiled;
  const std::lock_guard lock(compiled.mutex);
  if (compiled.optimized.empty()) {
    TRY(compiled.optimized, optimizedModule(compiled));
  }
  PjrtProgram& program = *in.program;
  program.format = kFormat.data();
  program.formatSize = kFormat.size();
  if (program.code == nullptr) {
    program.codeSize = compiled.optimized.size();
    return {};
  }
  if (program.codeSize < compiled.optimized.size())
    return fail("wrong-argument", fmt::format("the program takes {} bytes", compiled.optimized.size()));
  std::ranges::copy(compiled.optimized, program.code);
  return {};
}

void hold(PjrtSerialize& in, std::string bytes) {
  auto* holder = new std::string(std::move(bytes));
  in.bytes = textOf(*holder);
  in.holder = holder;
  in.destroy = [](void* held) { delete static_cast<std::string*>(held); };
}

Status serialize(PjrtSerialize& in) {
  TRY(std::string bytes, serialized(*in.executable->compiled));
  hold(in, std::move(bytes));
  return {};
}
Status compileOptions(PjrtSerialize& in) {
  hold(in, in.executable->compiled->options);
  return {};
}

Status compileAhead(PjrtCompile& in) {
  if (in.program == nullptr || in.topology == nullptr) return fail("wrong-argument", "there is no program");
  TRY(auto compiled, compileProgram(*in.program, in.options, in.topology->settings));
  in.executable = new PjrtExecutable{std::move(compiled)};
  return {};
}

}  // namespace

std::span<const PjrtFunctionRow> executableRows() {
  using enum PjrtFunction;
  static constexpr PjrtFunctionRow kRows[] = {
      row<Executable_Destroy, destroy>(),
      row<Executable_Name, name>(),
      row<Executable_Fingerprint, fingerprint>(),
      row<Executable_NumReplicas, replicas>(),
      row<Executable_NumPartitions, partitions>(),
      row<Executable_NumOutputs, outputs>(),
      row<Executable_SizeOfGeneratedCodeInBytes, codeSize>(),
      row<Executable_GetCostAnalysis, cost>(),
      row<Executable_GetCompiledMemoryStats, memory>(),
      row<Executable_OutputElementTypes, types>(),
      row<Executable_OutputDimensions, dimensions>(),
      row<Executable_OutputMemoryKinds, outputKinds>(),
      row<Executable_ParameterMemoryKinds, parameterKinds>(),
      row<Executable_OptimizedProgram, optimizedProgram>(),
      row<Executable_Serialize, serialize>(),
      row<Executable_GetCompileOptions, compileOptions>(),
      row<Compile, compileAhead>(),
  };
  return kRows;
}

}  // namespace hilo
