// Engines that are not in the table of their own accord: their name says which library with PJRT's C API
// ("pjrt:/path/libxla.so+devices=2"), or an engine of another machine ("cuda@gpu7", "cpu:quick@user@host").
// They run in a process that is started for them, so that whatever happens to it is a Diagnostic here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/runtime/engine/engine.h"

namespace hilo {

// The engine of such a name, made at the first call; null of other names. Kinds "unknown-engine", "bad-host".
Result<const Engine*> engineApart(const std::string& text);

// What people are told of them: a form and a line each.
std::vector<std::pair<std::string, std::string>> engineFormsApart();

// What starts the worker's program to serve engines over its standard input and output.
std::vector<std::string> engineLine(const WorkerOptions& worker);

// First thing in main(): serves such engines over standard input and output, and gives the exit status, when
// the program was started for it; else nullopt.
std::optional<int> serveEnginesIfAsked(int argc, char** argv);

}  // namespace hilo
