#include "core/compiler/pipelines/pipelines.h"

#include "core/base/check.h"
#include "core/compiler/passes/all_passes.h"

namespace hilo {
namespace {

template <typename... Names>
Pipeline makePipeline(std::string_view name, std::string_view summary, Names... passNames) {
  Pipeline pipeline{name, summary, {}};
  for (std::string_view passName : {std::string_view(passNames)...}) {
    pipeline.passes.push_back(findPass(passName));
    CHECK(pipeline.passes.back() != nullptr, passName);
  }
  return pipeline;
}

}  // namespace

std::span<const Pipeline> allPipelines() {
  static const auto* pipelines = new std::vector<Pipeline>{
#define PIPELINE(...) makePipeline(__VA_ARGS__),
#include "core/compiler/pipelines/pipelines.def"
  };
  return *pipelines;
}

const Pipeline* findPipeline(std::string_view name) {
  const auto found = std::ranges::find(allPipelines(), name, &Pipeline::name);
  return found == allPipelines().end() ? nullptr : &*found;
}

}  // namespace hilo
