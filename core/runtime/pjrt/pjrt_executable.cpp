#include "core/runtime/pjrt/pjrt_executable.h"

#include <fmt/format.h>

#include <filesystem>
#include <ranges>

#include "core/runtime/pjrt/pjrt_client.h"

namespace hilo {
namespace {

constexpr std::string_view kPrefix = "pjrt:";

class PjrtModuleExecutable : public Executable {
 public:
  PjrtModuleExecutable(std::unique_ptr<PjrtProgramOf> program, Shape result)
      : program_(std::move(program)), result_(result) {}
  Result<Literal> run(std::span<const Literal> arguments, const CancelToken& cancel) override {
    const std::vector<Literal> list(arguments.begin(), arguments.end());
    TRY(std::vector<Literal> outputs, runOnDevices({}, {&list, 1}, cancel));
    return std::move(outputs[0]);
  }
  Result<std::vector<Literal>> runOnDevices(DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                                            const CancelToken&) override {
    TRY(PjrtOutput output, program_->run(arguments, grid.count(), result_));
    measure_ = {.executionNs = output.executionNs};
    return std::move(output.results);
  }
  RunMeasure lastMeasure() const override { return measure_; }
  Result<std::string> optimizedModule() override {
    TRY(PjrtProgramOf::Optimized optimized, program_->optimized());
    return std::move(optimized.bytes);
  }

 private:
  std::unique_ptr<PjrtProgramOf> program_;
  const Shape result_;
  RunMeasure measure_;
};

}  // namespace

Result<PjrtName> PjrtName::of(std::string_view text) {
  PjrtName name;
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  for (const auto part : std::views::split(text, '+')) {
    const std::string word(part.begin(), part.end());
    if (word.contains('=')) {
      name.options.push_back(word);
    } else {
      name.path += name.path.empty() ? word : "+" + word;
    }
  }
  if (name.path.empty())
    return fail("unknown-engine", "pjrt: wants the path of a library", {}, {"pjrt:/usr/lib/libxla.so"});
  // Wherever the process that loads it is started.
  std::error_code error;
  if (const auto whole = std::filesystem::absolute(name.path, error); !error) name.path = whole.string();
  return name;
}

std::string PjrtName::text() const {
  std::string text = std::string(kPrefix) + path;
  for (const std::string& option : options) text += "+" + option;
  return text;
}

Result<std::unique_ptr<Executable>> compileByPjrt(const PjrtName& name, std::string_view module,
                                                  int64_t replicas, Shape result) {
  TRY(auto library, PjrtLibrary::load(name.path));
  TRY(auto session, PjrtSession::open(library, name.options));
  TRY(const std::string platform, session->platform());
  TRY(auto program, session->compile(module, replicas));
  auto executable = std::make_unique<PjrtModuleExecutable>(std::move(program), result);
  executable->notes.push_back(fmt::format("platform {}; PJRT {}", platform, library->versionText()));
  return executable;
}

}  // namespace hilo
