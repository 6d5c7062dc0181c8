#include "core/workspace/run/run_arguments.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include "core/hlo/eval/infeeds.h"
#include "core/hlo/eval/npy.h"
#include "core/hlo/text/print.h"
#include "core/runtime/program/program.h"
#include "core/workspace/run/value_text.h"

namespace hilo {
namespace {

// Of a module read with errors those there are: a number may be missing.
std::vector<NamedShape> parametersOf(const Module& module) {
  std::vector<NamedShape> parameters;
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (parameter != nullptr) parameters.push_back({std::string(parameter->name()), parameter->shape()});
  }
  return parameters;
}

std::vector<NamedShape> parametersOf(const Program& program) {
  std::vector<NamedShape> parameters;
  for (size_t i = 0; i < program.parameters.size(); ++i)
    parameters.push_back({program.parameterNames[i], program.parameters[i]});
  return parameters;
}

Status readFiles(const ArgumentSource& source, std::span<const NamedShape> parameters,
                 RunArguments& arguments) {
  std::vector<std::string> paths = {source.path};
  paths.insert(paths.end(), source.otherPaths.begin(), source.otherPaths.end());
  for (const std::string& path : paths) {
    TRY(auto list, loadArguments(path, parameters));
    arguments.lists.push_back(std::move(list));
  }
  return {};
}

void takeGiven(const ArgumentSource& source, RunArguments& arguments) {
  arguments.lists = {source.given};
  arguments.lists.insert(arguments.lists.end(), source.otherGiven.begin(), source.otherGiven.end());
}

std::vector<std::pair<std::string, std::string>> texts(std::span<const NamedShape> parameters) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const NamedShape& parameter : parameters)
    texts.emplace_back(parameter.name, toString(parameter.shape));
  return texts;
}

// By name, else by number.
Result<size_t> parameterCalled(const std::string& name, std::span<const NamedShape> parameters) {
  const auto found = std::ranges::find(parameters, name, &NamedShape::name);
  if (found != parameters.end()) return static_cast<size_t>(found - parameters.begin());
  size_t number = 0;
  if (absl::SimpleAtoi(name, &number) && number < parameters.size()) return number;
  std::vector<std::string> names;
  for (const auto& [known, shape] : texts(parameters)) names.push_back(fmt::format("{} ({})", known, shape));
  return fail("wrong-argument", fmt::format("no parameter is called {}", name), {},
              {names.empty() ? "there are none" : fmt::format("there are: {}", fmt::join(names, ", "))});
}

Status putNamed(const ArgumentSource& source, std::span<const NamedShape> parameters,
                RunArguments& arguments) {
  for (const auto& [name, path] : source.named) {
    TRY(const size_t parameter, parameterCalled(name, parameters));
    const Shape shape = parameters[parameter].shape;
    TRY(const Literal value, isValueText(path) ? valueOfText(path, shape) : loadNpy(path, shape));
    for (auto& list : arguments.lists) {
      if (parameter < list.size()) list[parameter] = value;
    }
  }
  return {};
}

Status takeInfeeds(const ArgumentSource& source, std::span<const Shape> shapes, const MakingOptions& options,
                   RunArguments& arguments) {
  if (!source.infeeds.empty()) {
    arguments.infeeds = source.infeeds;
  } else if (!source.infeedPaths.empty()) {
    for (const std::vector<std::string>& paths : source.infeedPaths) {
      TRY(InfeedValues infeed, loadInfeeds(paths, shapes));
      arguments.infeeds.push_back(std::move(infeed));
    }
  } else if (!shapes.empty()) {
    TRY(InfeedValues infeed, makeInfeeds(shapes, source.seed, options));
    arguments.infeeds.push_back(std::move(infeed));
    arguments.made.notes.push_back(
        fmt::format("infeeds take values made up from seed {}, the same over and over", source.seed));
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parametersOf(const RunRequest& request) {
  if (request.program != nullptr) return texts(parametersOf(*request.program));
  if (request.module == nullptr || request.module->entry() == nullptr) return {};
  return texts(parametersOf(*request.module));
}

Result<RunArguments> argumentsFor(const Module& module, const ArgumentSource& source,
                                  const MakingOptions& options) {
  if (module.entry() == nullptr) return fail("no-entry", "the module has no entry computation");
  const std::vector<NamedShape> parameters = parametersOf(module);
  RunArguments arguments;
  if (source.kind == ArgumentSource::Kind::Seed) {
    TRY(arguments.made, makeArguments(module, source.seed, options));
    arguments.lists = {std::move(arguments.made.arguments)};
  } else {
    TRY(arguments.made, fillElidedConstants(module, source.seed, options));
    if (source.kind == ArgumentSource::Kind::File) {
      TRY_STATUS(readFiles(source, parameters, arguments));
    } else {
      takeGiven(source, arguments);
    }
  }
  TRY_STATUS(putNamed(source, parameters, arguments));
  TRY_STATUS(takeInfeeds(source, infeedShapes(module), options, arguments));
  return arguments;
}

Result<RunArguments> argumentsFor(const Program& program, const ArgumentSource& source,
                                  const MakingOptions& options) {
  const std::vector<NamedShape> parameters = parametersOf(program);
  RunArguments arguments;
  if (source.kind == ArgumentSource::Kind::Seed) {
    TRY(auto list, makeArguments(program.parameters, source.seed, options));
    arguments.lists.push_back(std::move(list));
    if (!program.parameters.empty())
      arguments.made.notes.push_back("the arguments are made from their shapes alone");
  } else if (source.kind == ArgumentSource::Kind::File) {
    TRY_STATUS(readFiles(source, parameters, arguments));
  } else {
    takeGiven(source, arguments);
  }
  TRY_STATUS(putNamed(source, parameters, arguments));
  TRY_STATUS(takeInfeeds(source, infeedShapes(program), options, arguments));
  return arguments;
}

// As many lists as there are devices, or one.
Status fitArguments(RunArguments& arguments, DeviceGrid grid, ArgumentSource::Kind kind) {
  if (arguments.lists.size() > 1 && grid.count() == 1 && kind == ArgumentSource::Kind::Snapshot) {
    arguments.made.notes.push_back(fmt::format(
        "the snapshot has arguments for {} devices: the first one's are used", arguments.lists.size()));
    arguments.lists.resize(1);
  }
  if (arguments.lists.size() > 1 && static_cast<int64_t>(arguments.lists.size()) != grid.count()) {
    return fail("wrong-argument",
                fmt::format("arguments for {} devices, and {} run", arguments.lists.size(), grid.count()));
  }
  return checkInfeeds(arguments.infeeds, grid.count());
}

namespace {

std::string describeBase(const ArgumentSource& source) {
  switch (source.kind) {
    case ArgumentSource::Kind::Seed:
      return fmt::format("seed {}", source.seed);
    case ArgumentSource::Kind::File:
      return source.otherPaths.empty()
                 ? source.path
                 : fmt::format("{}, {}", source.path, fmt::join(source.otherPaths, ", "));
    case ArgumentSource::Kind::Snapshot:
      return "snapshot";
    case ArgumentSource::Kind::Given:
      return "given";
  }
  return "";
}

}  // namespace

std::string describeArguments(const ArgumentSource& source) {
  std::string text = describeBase(source);
  for (const auto& [name, path] : source.named) text += fmt::format(", {}={}", name, path);
  for (const auto& paths : source.infeedPaths) text += fmt::format(", infeeds {}", fmt::join(paths, " "));
  return text;
}

namespace {

ArgumentSource settled(const ArgumentSource& source, RunArguments arguments) {
  ArgumentSource given = source;
  given.kind = ArgumentSource::Kind::Given;
  given.named.clear();
  given.infeeds = std::move(arguments.infeeds);
  given.infeedPaths.clear();
  given.given = std::move(arguments.lists[0]);
  given.otherGiven.assign(std::make_move_iterator(arguments.lists.begin() + 1),
                          std::make_move_iterator(arguments.lists.end()));
  return given;
}

}  // namespace

MakingOptions makingFor(const JobContext& context) {
  return {.cancel = context.cancel(),
          .progress = [&context](double fraction) { context.progress(fraction, "making arguments"); }};
}

Result<ArgumentSource> settleArguments(const Module& module, const ArgumentSource& source,
                                       const JobContext& context) {
  TRY(RunArguments arguments, argumentsFor(module, source, makingFor(context)));
  return settled(source, std::move(arguments));
}

Result<ArgumentSource> settleArguments(const Program& program, const ArgumentSource& source,
                                       const JobContext& context) {
  TRY(RunArguments arguments, argumentsFor(program, source, makingFor(context)));
  return settled(source, std::move(arguments));
}

}  // namespace hilo
