// The studio as a program: what its command line asks for, done.
#pragma once

#include <string>
#include <vector>

namespace hilo {

struct StudioOptions {
  std::vector<std::string> inputs;
  std::string render;  // a view to draw instead of opening a window; "" for none
  std::string output;
  int width = 1280;
  int height = 800;
  double scale = 0;  // device pixels to one of these; 0: as the screen says
  std::string select;
  std::string query;
  std::string graph;                     // words for GraphArea::arrange
  std::string schedule;                  // words for ScheduleView::arrange
  std::vector<std::string> controls;     // "NAME=VALUE", for setControl()
  std::string passes;                    // of --render passes
  int step = -1;                         // of --render passes
  bool run = false;                      // of --render thunks and values
  std::string theme;                     // "light", "dark", or "" for what the settings say
  std::vector<std::string> sourceRoots;  // where the user's program lies; empty: what the settings say
  bool xlaColours = false;
  bool startupTiming = false;  // print milestones and end once the graph is painted
  bool settings = true;
};

// Exit codes: 0 done, 1 the input or the output is at fault (said on standard error), 2 wrong usage.
int runStudio(int argc, char** argv, const StudioOptions& options);
std::vector<std::string> studioViewNames();

}  // namespace hilo
