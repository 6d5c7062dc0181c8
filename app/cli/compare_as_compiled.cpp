#include "app/cli/compare_options.h"

namespace hilo::cli {

Result<std::vector<ComparedSide>> sidesAsCompiled(const CompareOptions& options) {
  TRY(const CompiledByXla compiled, openAsCompiled(options.file, options.asCompiled, options.arguments.seed));
  OpenedFile file{.path = compiled.source, .module = compiled.module};
  const auto opened = std::make_shared<const OpenedFile>(std::move(file));
  std::vector<ComparedSide> sides;
  for (const std::string& engine : options.engines) {
    const bool runsIt = runsDumpedKernels(engine);
    sides.push_back({engine, opened, runsIt ? compiled.program : nullptr, engine,
                     runsIt ? compiled.notes : std::vector<std::string>()});
  }
  if (std::ranges::none_of(sides, [](const ComparedSide& side) { return side.program != nullptr; }))
    return fail("unsupported-engine", "neither engine runs kernels of a dump", {}, {"cuda-sim does"});
  return sides;
}

}  // namespace hilo::cli
