#include "core/workspace/watch/pass_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ranges>

#include "core/base/files.h"
#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/compiler/passes/table/xla_passes.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "core/workspace/run/chosen_engine.h"
#include "core/workspace/watch/child_process.h"

namespace hilo {
namespace {

constexpr std::string_view kWord = "pass-worker";

// "check.cpp:12: check failed: ..." or what the system's runtime says last.
std::string lastLine(std::string_view errors) {
  while (errors.ends_with('\n')) errors.remove_suffix(1);
  return std::string(errors.substr(errors.rfind('\n') + 1));
}

// Where a CHECK failed: the same place is the same crash.
std::string placeOfCheck(std::string_view line) {
  const size_t end = line.find(": check failed");
  return end == std::string_view::npos ? "" : std::string(line.substr(0, end));
}

Status serve(const std::string& list, const std::string& fuel, const std::string& engine,
             std::span<const Pass> more) {
  TRY(const std::string text, readBytes("-"));
  TRY(std::shared_ptr<const Module> module, parseModuleStrictly(text));
  const auto find = [&](std::string_view name) -> std::optional<ConfiguredPass> {
    const auto own = std::ranges::find(more, name, &Pass::name);
    return own != more.end() ? ConfiguredPass(&*own) : passByName(name);
  };
  TRY(const auto passes, parsePassList(list, find));
  TRY(const FuelByPass allowed, parseFuel(fuel));
  const PassRun run = runPasses(module, passes, {.fuel = allowed});
  if (!run.completed()) return fail("pass-failed", run.steps.back().pass);
  if (engine.empty()) return {};
  TRY(const ChosenEngine chosen, chooseEngine(engine));
  const auto& compiler = chosen.engine->compiler;
  if (!compiler || !compiler->obstacles(*run.output()).empty()) return {};
  const auto compiled = compiler->compile(run.output(), {.flags = chosen.flags}, CancelToken());
  if (!compiled) return std::unexpected(compiled.error());
  return {};
}

}  // namespace

std::vector<std::string> ownPassWorker() { return {"/proc/self/exe", std::string(kWord)}; }

Result<PassesEnd> runPassesApart(const WatchedCase& watched, const std::vector<std::string>& worker,
                                 const std::string& engine, const CancelToken& cancel) {
  std::vector<std::string> names;
  for (const ConfiguredPass& pass : watched.passes) names.push_back(passText(pass));
  std::vector<std::string> words = worker;
  words.push_back(fmt::format("{}", fmt::join(names, ",")));
  words.push_back(fuelText(watched.fuel));
  words.push_back(engine);
  PrintOptions whole;
  whole.largeConstants = true;
  TRY(const ChildEnd end, runChild(std::move(words), printModule(*watched.module, whole), cancel));
  if (!end.crashed()) return PassesEnd{};
  const std::string last = lastLine(end.errors), place = placeOfCheck(last);
  return PassesEnd{true, signalText(end.signal) + (place.empty() ? "" : " at " + place), last};
}

std::optional<int> servePassesIfAsked(int argc, char** argv, std::span<const Pass> more) {
  if (argc != 5 || std::string_view(argv[1]) != kWord) return std::nullopt;
  const Status served = serve(argv[2], argv[3], argv[4], more);
  if (!served) fmt::print(stderr, "{}\n", toString(served.error()));
  return served ? 0 : 1;
}

}  // namespace hilo
