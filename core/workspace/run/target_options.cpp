#include "core/workspace/run/target_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "core/base/check.h"
#include "core/compiler/codegen/cpu/cpu_target.h"
#include "core/compiler/codegen/emit/codegen_targets.h"
#include "core/hlo/dump/file_bytes.h"
#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/proto_file.h"
#include "core/hlo/proto/schema/executable.pb.h"

namespace hilo {
namespace {

std::string_view architectureOf(std::string_view triple) { return triple.substr(0, triple.find('-')); }

bool isText(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c == '\n' || c == '\t' || c == '\r' || c >= ' '; });
}

Result<pb::TargetMachineOptionsProto> messageIn(std::string_view bytes, const std::string& path) {
  const FileFormat format = detectKind(bytes);
  pb::TargetMachineOptionsProto options;
  if (format.kind == FileKind::CpuExecutable || format.kind == FileKind::PjrtExecutable) {
    TRY(const ProtoFile file, readProtoFile(bytes, format, path));
    if (const auto* executable = dynamic_cast<const pb::CompilationResultProto*>(file.message.get()))
      options = executable->target_machine_options();
  } else if (isText(bytes)) {
    Diagnostics unknown;
    TRY_STATUS(parseTextMessage(bytes, options, unknown, path));
    if (!unknown.empty()) return std::unexpected(unknown[0]);
  } else {
    TRY_STATUS(parseBinaryMessage(bytes, options));
  }
  if (options.triple().empty())
    return fail("no-target", "the file says no target: no triple is in it", {.file = path},
                {"a TargetMachineOptionsProto or an executable of XLA:CPU does"});
  return options;
}

}  // namespace

Result<ProgramTarget> targetOf(std::string_view triple, std::string_view processor,
                               std::string_view features) {
  const auto targets = codegenTargets();
  const auto found = std::ranges::find(targets, architectureOf(triple), [](const CodegenTarget* target) {
    return architectureOf(target->triple);
  });
  if (found == targets.end() || !triple.contains("linux")) {
    std::vector<std::string> known;
    for (const CodegenTarget* target : targets) known.emplace_back(target->triple);
    return fail("unsupported-target", fmt::format("nothing is compiled for {}", triple), {},
                {fmt::format("there are: {}", fmt::join(known, ", "))});
  }
  const CodegenTarget& target = **found;
  TRY(ProgramTarget made, processorTarget(processor.empty() ? target.plainProcessor : processor));
  if (made.triple != target.triple)
    return fail("unsupported-target", fmt::format("{} is no processor of {}", processor, triple));
  for (const auto part : std::views::split(features, ',')) {
    const std::string_view change(part.begin(), part.end());
    if (change.size() < 2) continue;
    const std::string name(change.substr(1));
    std::erase(made.features, name);
    const bool isUsed = std::ranges::find(target.features, name) != target.features.end();
    if (change[0] == '+' && isUsed) made.features.push_back(name);
  }
  std::ranges::sort(made.features);
  for (const std::string_view needed : target.needed) {
    if (std::ranges::find(made.features, needed) == made.features.end())
      return fail("unsupported-cpu",
                  fmt::format("{} is to have no {}, which compiled kernels need", made.processor, needed));
  }
  return made;
}

Result<ProgramTarget> readTarget(const std::string& path) {
  TRY(const FileBytes file, readFileBytes(path));
  TRY(const pb::TargetMachineOptionsProto options, messageIn(file.bytes, path));
  return targetOf(options.triple(), options.cpu(), options.features());
}

Result<std::string> writtenTarget(const ProgramTarget& target, bool asText) {
  const CodegenTarget* of = findCodegenTarget(target.triple);
  CHECK(of != nullptr, target.triple);
  std::vector<std::string> features;
  for (const std::string_view feature : of->features) {
    const bool has = std::ranges::find(target.features, feature) != target.features.end();
    features.push_back(fmt::format("{}{}", has ? '+' : '-', feature));
  }
  pb::TargetMachineOptionsProto options;
  options.set_triple(target.triple);
  options.set_cpu(target.processor);
  options.set_features(fmt::format("{}", fmt::join(features, ",")));
  if (asText) return toTextProto(options);
  return toBinaryProto(options);
}

}  // namespace hilo
