#include "app/pjrt/programs.h"

#include <fmt/format.h>

#include "core/analysis/cost_facts.h"
#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/schema/compile.pb.h"
#include "core/runtime/pjrt/pjrt_client.h"
#include "core/runtime/pjrt/pjrt_types.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/partition/partition_series.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/run/chosen_engine.h"
#include "core/workspace/run/runs.h"

namespace hilo {
namespace {

Result<pb::CompileOptionsProto> readOptions(PjrtText bytes) {
  pb::CompileOptionsProto options;
  TRY_STATUS(parseBinaryMessage({bytes.data, bytes.size}, options));
  if (options.parameter_is_tupled_arguments())
    return fail("unsupported", "arguments as one tuple (parameter_is_tupled_arguments)");
  if (options.executable_build_options().use_auto_spmd_partitioning())
    return fail("unsupported", "shardings that the compiler chooses (use_auto_spmd_partitioning)");
  return options;
}

// For as many devices as the options say, each with its own part of the values.
Result<std::shared_ptr<const Module>> forDevices(const Module& read, const pb::CompileOptionsProto& options) {
  const auto& build = options.executable_build_options();
  std::shared_ptr<Module> module = read.clone();
  if (build.num_replicas() > 1) module->set<Attr::ReplicaCount>(build.num_replicas());
  if (build.num_partitions() <= 1) return module;
  module->set<Attr::NumPartitions>(build.num_partitions());
  if (!build.use_spmd_partitioning())
    return fail("unsupported", "several partitions without use_spmd_partitioning");
  TRY(const PartitionedModule partitioned, partitionOnly({.module = std::move(module)}, JobContext()));
  return partitioned.local;
}

Status checkValues(const PjrtCompiled& compiled) {
  for (const auto* shapes : {&compiled.parameters, &compiled.results}) {
    for (const Shape shape : *shapes) {
      if (const auto why = whyNotOfPjrt(shape))
        return fail("unsupported", fmt::format("an argument or result of {}: {}", compiled.name, *why));
    }
  }
  return {};
}

PjrtNamedValue amount(std::string_view name, int64_t value) {
  PjrtNamedValue made{};
  made.structBytes = sizeof(made);
  made.name = name.data();
  made.nameSize = name.size();
  made.kind = PjrtValueKind::Float;
  made.number = static_cast<float>(value);
  made.size = 1;
  return made;
}

void describe(PjrtCompiled& compiled) {
  for (const Shape shape : compiled.results) {
    compiled.resultTypes.push_back(pjrtTypeOf(shape.elementType()).value_or(PjrtType::Invalid));
    compiled.resultRanks.push_back(shape.rank());
    for (const int64_t size : shape.dimensions()) compiled.resultDimensions.push_back(size);
  }
  const size_t kinds = std::max(compiled.results.size(), compiled.parameters.size());
  compiled.memoryKinds.assign(kinds, "device");
  compiled.memoryKindSizes.assign(kinds, std::string_view("device").size());
  const ModuleCost cost(*compiled.module);
  const CostFacts& total = cost.total();
  compiled.cost = {amount("flops", total.flops), amount("transcendentals", total.transcendentals),
                   amount("bytes accessed", total.bytesAccessed)};
}

// What a module takes, gives and reuses.
std::shared_ptr<PjrtCompiled> aboutModule(std::shared_ptr<const Module> module) {
  auto compiled = std::make_shared<PjrtCompiled>();
  const Computation& entry = *module->entry();
  compiled->name = std::string(module->name());
  compiled->fingerprint = fmt::format("{:016x}", moduleHash(*module));
  compiled->grid = gridOf(*module);
  for (const Instruction* parameter : entry.parameters()) compiled->parameters.push_back(parameter->shape());
  const Shape result = entry.root()->shape();
  if (result.isTuple()) {
    compiled->results.assign(result.tupleShapes().begin(), result.tupleShapes().end());
  } else {
    compiled->results = {result};
  }
  compiled->donated.resize(compiled->parameters.size());
  for (const AliasEntry& alias : module->get<Attr::InputOutputAlias>()) {
    if (alias.parameter >= 0 && std::cmp_less(alias.parameter, compiled->donated.size()))
      compiled->donated[static_cast<size_t>(alias.parameter)] = true;
  }
  compiled->module = std::move(module);
  return compiled;
}

Result<std::shared_ptr<PjrtCompiled>> compileModule(const Module& read, std::string options,
                                                    const PjrtSettings& settings) {
  TRY(const pb::CompileOptionsProto parsed, readOptions({options.data(), options.size()}));
  TRY(auto module, forDevices(read, parsed));
  std::shared_ptr<PjrtCompiled> compiled = aboutModule(std::move(module));
  compiled->settings = settings;
  compiled->options = std::move(options);
  TRY_STATUS(checkValues(*compiled));
  if (compiled->grid.count() > settings.devices)
    return fail("no-device", fmt::format("{} wants {} devices, there are {}", compiled->name,
                                         compiled->grid.count(), settings.devices));
  TRY(const ChosenEngine chosen, chooseEngine(settings.engine));
  TRY_STATUS(checkObstacles(*chosen.engine, *compiled->module, compiled->grid));
  TRY(compiled->program, chosen.engine->compile(compiled->module, chosen.settings(), CancelToken()));
  describe(*compiled);
  return compiled;
}

constexpr std::string_view kMagic = "hilo pjrt 1\n";

}  // namespace

Status knownEngine(const std::string& engine) {
  TRY_STATUS(chooseEngine(engine));
  return {};
}

Result<std::shared_ptr<PjrtCompiled>> compileProgram(const PjrtProgram& program, PjrtText options,
                                                     const PjrtSettings& settings) {
  const std::string_view format(program.format, program.formatSize);
  if (format != "mlir" && format != "hlo" && format != "hlo_with_config")
    return fail("unsupported", fmt::format("programs of the format '{}'", format), {},
                {"there are: mlir, hlo, hlo_with_config"});
  TRY(const auto file, openBytes(std::string(program.code, program.codeSize), "the program"));
  if (hasErrors(file->diagnostics)) {
    for (const Diagnostic& diagnostic : file->diagnostics) {
      if (diagnostic.severity == Severity::kError) return std::unexpected(diagnostic);
    }
  }
  return compileModule(*file->module, std::string(options.data, options.size), settings);
}

std::unique_ptr<PjrtLoaded> loadOn(std::shared_ptr<PjrtCompiled> compiled, const PjrtClient& client) {
  auto loaded = std::make_unique<PjrtLoaded>();
  const DeviceGrid grid = compiled->grid;
  for (int64_t i = 0; i < grid.count(); ++i) {
    loaded->devices.push_back(client.deviceList[static_cast<size_t>(i)]);
    loaded->logicalIds.push_back(
        {static_cast<int32_t>(i / grid.partitions), static_cast<int32_t>(i % grid.partitions)});
  }
  loaded->compiled = std::move(compiled);
  return loaded;
}

Result<std::string> optimizedModule(const PjrtCompiled& compiled) {
  TRY(const ChosenEngine chosen, chooseEngine(compiled.settings.engine));
  const auto& compiler = chosen.engine->compiler;
  if (!compiler || compiler->pipeline.empty())
    return convertModule(*compiled.module, {.kind = OutputKind::Module});
  TRY(const PassSeries series,
      optimize(
          {.module = compiled.module, .pipeline = compiler->pipeline, .snapshots = false, .verify = false},
          JobContext()));
  TRY(const auto last, series.steps.back().module());
  return convertModule(*last, {.kind = OutputKind::Module});
}

Result<std::string> serialized(const PjrtCompiled& compiled) {
  TRY(const std::string module, convertModule(*compiled.module, {.kind = OutputKind::Module}));
  return fmt::format("{}{}\n{}{}", kMagic, compiled.options.size(), compiled.options, module);
}

Result<std::shared_ptr<PjrtCompiled>> deserialized(std::string_view bytes, const PjrtSettings& settings) {
  const auto refused = [] { return fail("wrong-argument", "these are no bytes that Hilo serialised"); };
  if (!bytes.starts_with(kMagic)) return refused();
  bytes.remove_prefix(kMagic.size());
  const size_t line = bytes.substr(0, 24).find('\n');
  if (line == std::string_view::npos) return refused();
  size_t size = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + line, size);
  if (error != std::errc() || end != bytes.data() + line || size > bytes.size() - line - 1) return refused();
  std::string options(bytes.substr(line + 1, size));
  TRY(const auto file, openBytes(std::string(bytes.substr(line + 1 + size)), "the serialised executable"));
  if (hasErrors(file->diagnostics)) return refused();
  // Partitioned before it was written.
  pb::CompileOptionsProto parsed;
  TRY_STATUS(parseBinaryMessage(options, parsed));
  std::shared_ptr<PjrtCompiled> compiled;
  if (parsed.executable_build_options().num_partitions() <= 1)
    return compileModule(*file->module, options, settings);
  parsed.mutable_executable_build_options()->set_num_partitions(1);
  TRY(compiled, compileModule(*file->module, parsed.SerializeAsString(), settings));
  compiled->options = std::move(options);
  return compiled;
}

}  // namespace hilo
