// The modules of the corpus that HILO_CORPUS names, with the devices they are for.
#pragma once

#include "core/analysis/devices_named.h"
#include "core/hlo/ir/device_grid.h"
#include "core/workspace/open/opened.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {

// HLO as text or protobuf, but no programs of StableHLO.
inline std::vector<std::filesystem::path> moduleFiles(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    const bool isProto = name.ends_with(".pb") || name.ends_with(".txtpb") || name.ends_with(".pbtxt") ||
                         name.ends_with(".textproto") || name.ends_with(".gz");
    if (entry.is_regular_file() && (isProto || isHloText(entry.path()))) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// Every n-th, where HILO_CORPUS_EVERY says how many there are for one that is taken.
inline std::vector<std::filesystem::path> someOf(const std::vector<std::filesystem::path>& files) {
  const char* text = std::getenv("HILO_CORPUS_EVERY");
  const size_t every = text == nullptr ? 1 : std::max<size_t>(1, std::strtoul(text, nullptr, 10));
  std::vector<std::filesystem::path> some;
  for (size_t i = 0; i < files.size(); i += every) some.push_back(files[i]);
  return some;
}

// A module that says nothing of devices, though its collectives name some, made one of so many: partitions
// where a collective has a channel, else replicas.
inline std::shared_ptr<const Module> withDevices(std::shared_ptr<const Module> module) {
  const int64_t named = devicesNamed(*module);
  if (gridOf(*module).count() > 1 || named <= 1) return module;
  bool hasChannel = false;
  for (const Computation* computation : module->computations()) {
    for (const Instruction* instruction : computation->instructions())
      hasChannel |= instruction->has(Attr::ChannelId);
  }
  std::shared_ptr<Module> own = module->clone();
  hasChannel ? own->set<Attr::NumPartitions>(named) : own->set<Attr::ReplicaCount>(named);
  return own;
}

}  // namespace hilo
