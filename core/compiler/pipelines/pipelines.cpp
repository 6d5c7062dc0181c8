#include "core/compiler/pipelines/pipelines.h"

#include "core/base/check.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/compiler/pipelines/gpu_pipeline.h"

namespace hilo {
namespace {

template <typename... Names>
Pipeline makePipeline(std::string_view name, std::string_view summary, Names... passNames) {
  Pipeline pipeline{name, summary, {}, {}};
  for (std::string_view passName : {std::string_view(passNames)...}) {
    CHECK(!pipeline.isLowered, passName);
    if (passName == "lower:") {
      pipeline.isLowered = true;
      continue;
    }
    if (passName.ends_with(':')) {
      pipeline.phases.push_back({passName.substr(0, passName.size() - 1), pipeline.passes.size(), 0});
      continue;
    }
    if (!pipeline.phases.empty()) ++pipeline.phases.back().count;
    const auto parsed = parsePassList(passName);
    CHECK(parsed && parsed->size() == 1, passName);
    pipeline.passes.push_back(parsed->front());
  }
  return pipeline;
}

}  // namespace

std::span<const Pipeline> allPipelines() {
  static const auto* pipelines = new std::vector<Pipeline>{
#define PIPELINE(...) makePipeline(__VA_ARGS__),
#include "core/compiler/pipelines/pipelines.def"
      gpuPipeline(defaultGpuCompile()),
  };
  return *pipelines;
}

const Pipeline* findPipeline(std::string_view name) {
  const auto found = std::ranges::find(allPipelines(), name, &Pipeline::name);
  return found == allPipelines().end() ? nullptr : &*found;
}

}  // namespace hilo
