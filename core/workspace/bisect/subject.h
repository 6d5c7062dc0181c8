// What is searched, before anything of it is read or made: a module with passes, or a dump with its stages.
#pragma once

#include "core/workspace/bisect/bisect.h"
#include "core/workspace/watch/search_input.h"

namespace hilo {

struct BisectSubject {
  std::shared_ptr<const Module> module;  // searched over `passes`; null: over the stages of a dump
  std::vector<ConfiguredPass> passes = {};
  std::shared_ptr<const OpenedDump> dump = nullptr;
  size_t dumpModule = 0;
  ArgumentSource arguments = {};
  std::optional<WorkerOptions> worker = std::nullopt;
};

// Reads the first stage of a dump and makes the arguments. Kinds: those of loadStage() and settleInput().
Result<BisectRequest> bisectRequestOf(const BisectSubject& subject, const JobContext& context);

}  // namespace hilo
