// The subcommands of `hilo`: each adds itself to the program and leaves its exit code behind.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace hilo::cli {

// What commands end with. Each command's help says what they mean there.
inline constexpr int kOk = 0;
inline constexpr int kNo = 1;     // found problems, no match, different, or the input is wrong
inline constexpr int kUsage = 2;  // the command line is wrong; for query and compare also an unreadable input
inline constexpr int kNotRunnable = 3;  // no engine of that name, or it cannot run the module

void addVerify(CLI::App& app, int& exitCode);
void addConvert(CLI::App& app, int& exitCode);
void addInfo(CLI::App& app, int& exitCode);
void addQuery(CLI::App& app, int& exitCode);
void addMemory(CLI::App& app, int& exitCode);
void addOpt(CLI::App& app, int& exitCode);
void addBisect(CLI::App& app, int& exitCode);
void addReduce(CLI::App& app, int& exitCode);
void addRun(CLI::App& app, int& exitCode);
void addCompile(CLI::App& app, int& exitCode);
void addCompare(CLI::App& app, int& exitCode);
void addSchedule(CLI::App& app, int& exitCode);
void addCost(CLI::App& app, int& exitCode);
void addIndexing(CLI::App& app, int& exitCode);
void addTiles(CLI::App& app, int& exitCode);
void addKernelLayouts(CLI::App& app, int& exitCode);
void addKernels(CLI::App& app, int& exitCode);
void addPlugins(CLI::App& app, int& exitCode);
void addCheck(CLI::App& app, int& exitCode);
void addDiff(CLI::App& app, int& exitCode);
void addThunks(CLI::App& app, int& exitCode);
void addTune(CLI::App& app, int& exitCode);
void addToolchain(CLI::App& app, int& exitCode);
void addPartition(CLI::App& app, int& exitCode);
void addLayouts(CLI::App& app, int& exitCode);

}  // namespace hilo::cli
