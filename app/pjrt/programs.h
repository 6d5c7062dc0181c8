// A program as a framework hands it over, compiled by an engine.
#pragma once

#include "app/pjrt/objects.h"

namespace hilo {

// A module that was compiled, and what it was made from.
struct PjrtCompiled {
  std::shared_ptr<const Module> module;  // of one device, as the engine was given it
  std::unique_ptr<Executable> program;
  PjrtSettings settings;
  std::string name, fingerprint;
  std::string options;  // CompileOptionsProto
  DeviceGrid grid;
  std::vector<Shape> parameters, results;
  std::vector<bool> donated;  // by parameter: its memory becomes a result's
  // What is asked for in lists of C.
  std::vector<PjrtType> resultTypes;
  std::vector<int64_t> resultDimensions;
  std::vector<size_t> resultRanks;
  std::vector<PjrtNamedValue> cost;
  std::vector<const char*> memoryKinds;
  std::vector<size_t> memoryKindSizes;
  std::string optimized;  // HloModuleProto, once it was asked for
  std::mutex mutex;       // of runs, and of `optimized`
};
// Frameworks hold it as often as they ask for it.
struct PjrtExecutable {
  std::shared_ptr<PjrtCompiled> compiled;
};

struct PjrtLoaded {
  std::shared_ptr<PjrtCompiled> compiled;
  std::vector<PjrtDevice*> devices;  // by their place in the grid
  std::vector<PjrtLogicalId> logicalIds;
  bool isDeleted = false;
};

// Kinds "unknown-engine", with those there are.
Status knownEngine(const std::string& engine);

// StableHLO (text or bytecode), HloModuleProto or HloModuleProtoWithConfig, with a CompileOptionsProto; where
// there are several partitions the module is partitioned first. Kinds: those of reading, "unsupported" (what
// PJRT or Hilo cannot), "not-runnable" (the engine's reasons in the notes), the engine's.
Result<std::shared_ptr<PjrtCompiled>> compileProgram(const PjrtProgram& program, PjrtText options,
                                                     const PjrtSettings& settings);
std::unique_ptr<PjrtLoaded> loadOn(std::shared_ptr<PjrtCompiled> compiled, const PjrtClient& client);

// The module as a HloModuleProto after the engine's passes.
Result<std::string> optimizedModule(const PjrtCompiled& compiled);

// What Serialize gives and Deserialize takes: the module and its options, compiled again when loaded.
Result<std::string> serialized(const PjrtCompiled& compiled);
Result<std::shared_ptr<PjrtCompiled>> deserialized(std::string_view bytes, const PjrtSettings& settings);

}  // namespace hilo
