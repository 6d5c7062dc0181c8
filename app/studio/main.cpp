// hilo-studio: the window, and pictures of its views without one.
#include <CLI/CLI.hpp>

#include <cstdio>

#include "core/workspace/about.h"
#include "core/workspace/run/engines_apart.h"
#include "core/workspace/run/worker.h"
#include "ui/shell/studio.h"

namespace {

// "1280x800"; false when it is not of that form or out of reason.
bool parseSize(const std::string& text, int& width, int& height) {
  char rest = 0;
  const bool read = std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) == 2;
  return read && width >= 16 && height >= 16 && width <= 16384 && height <= 16384;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = hilo::serveIfWorker(argc, argv)) return *status;
  if (const auto status = hilo::serveEnginesIfAsked(argc, argv)) return *status;
  hilo::StudioOptions options;
  std::string size = "1280x800";
  bool listViews = false;
  bool noSettings = false;
  CLI::App app("Hilo studio: opens HLO modules and dump directories of XLA.", "hilo-studio");
  app.set_version_flag("--version", hilo::aboutText,
                       "print the version, those of the libraries, and the machine");
  app.add_option("INPUT", options.inputs, "files or dump directories to open");
  auto* render =
      app.add_option("--render", options.render, "draw this view into a file instead of opening a window");
  auto* output = app.add_option("-o,--output", options.output, "the PNG file that --render writes");
  app.add_option("--size", size, "of the picture, WxH pixels")->capture_default_str();
  app.add_option("--scale", options.scale, "pixels of the screen or picture to one of the sizes asked for")
      ->check(CLI::Range(0.5, 4.0));
  app.add_option("--select", options.select,
                 "an instruction or computation to select, or a saved program's thunk");
  app.add_option("--query", options.query,
                 "what --render search looks for; the table of memory in front; nan or "
                 "divergence, to look for with values");
  app.add_option("--source-root", options.sourceRoots,
                 "a folder of the program that was compiled: its lines show beside the HLO")
      ->allow_extra_args(false)
      ->check(CLI::ExistingDirectory);
  app.add_option("--theme", options.theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
  app.add_flag("--xla-colours", options.xlaColours, "colour the graph as XLA's own graph dumps do");
  app.add_option(
      "--graph", options.graph,
      "how --render shows the graph, words with commas between: computations, unfolded, open-all, legend, "
      "colour=xla|bytes|accessed|flops|sharding|layout|type|changed|time|run|values|nan|difference|FILE|FILE#"
      "COLUMN, "
      "query=QUERY (several are several colours), focus=HOPS|operands|users");
  app.add_option(
      "--schedule", options.schedule,
      "how --render shows the schedule, words with commas between: a, b, both, program-order, zoom, "
      "preset=NAME, device=NAME, move=NAME:BEFORE, order=FILE, measured=FILE, "
      "tab=why|collectives|settings|changes");
  app.add_option(
         "--set", options.controls,
         "NAME=VALUE: sets a box, tab or switch of the view that --render draws, by the name a screen reader "
         "says; a wrong name lists them")
      ->allow_extra_args(false);
  app.add_option("--passes", options.passes,
                 "what --render passes runs: names with commas between, or a pipeline");
  app.add_option("--step", options.step, "which step --render passes shows, from 0")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--run", options.run,
               "run the module for the picture: --render thunks measures, --render values computes them");
  app.add_flag("--list-views", listViews, "print the names --render takes");
  app.add_flag("--no-settings", noSettings, "neither read nor write the user's settings and runs");
  app.add_flag("--startup-timing", options.startupTiming,
               "print when each step of the start was reached, and end once the graph is painted");
  render->needs(output);
  app.footer("Exit codes: 0 done, 1 the input or output is at fault, 2 wrong usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (listViews) {
    for (const std::string& name : hilo::studioViewNames()) std::printf("%s\n", name.c_str());
    return 0;
  }
  if (!parseSize(size, options.width, options.height)) {
    std::fprintf(stderr, "hilo-studio: --size must be WxH, such as 1280x800\n");
    return 2;
  }
  if (!options.render.empty()) {
    const auto names = hilo::studioViewNames();
    if (std::find(names.begin(), names.end(), options.render) == names.end()) {
      std::fprintf(stderr, "hilo-studio: no view is called %s; --list-views prints the names\n",
                   options.render.c_str());
      return 2;
    }
  }
  options.settings = !noSettings;
  return hilo::runStudio(argc, argv, options);
}
