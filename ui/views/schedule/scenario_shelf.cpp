#include "ui/views/schedule/scenario_shelf.h"

namespace hilo {

// The one store of this shelf, opened by whichever job comes first.
struct ScenarioShelf::Slot {
  std::mutex mutex;
  std::unique_ptr<RunStore> store;
  std::string path;
  Result<RunStore*> get() {
    if (!store) {
      TRY(store, RunStore::open(path));
    }
    return store.get();
  }
};

ScenarioShelf::ScenarioShelf(JobQueue& jobs, std::string path, QObject* parent)
    : QObject(parent), jobs_(jobs), slot_(std::make_shared<Slot>()) {
  slot_->path = std::move(path);
}

void ScenarioShelf::setModule(std::shared_ptr<const Module> module) {
  module_ = std::move(module);
  scenarios_.clear();
  Q_EMIT changed();
  if (module_) apply("List schedule scenarios", [](RunStore&, uint64_t) -> Status { return {}; });
}

void ScenarioShelf::keep(const ScheduleScenario& scenario) {
  apply("Keep a schedule scenario",
        [kept = KeptScenario{scenario.name, scenarioText(scenario)}](RunStore& store, uint64_t hash) {
          return store.keepScenario(hash, kept);
        });
}

void ScenarioShelf::remove(const std::string& name) {
  apply("Remove a schedule scenario",
        [name](RunStore& store, uint64_t hash) { return store.removeScenario(hash, name); });
}

void ScenarioShelf::apply(const std::string& title, Change change) {
  if (!module_) return;
  using Scenarios = std::vector<ScheduleScenario>;
  jobs_.submit(
      "", title,
      [slot = slot_, module = module_, change](JobContext&) -> Result<Scenarios> {
        const uint64_t hash = moduleHash(*module);
        const std::lock_guard lock(slot->mutex);
        TRY(RunStore* const store, slot->get());
        TRY_STATUS(change(*store, hash));
        TRY(const auto kept, store->scenariosOf(hash));
        Scenarios scenarios;
        for (const KeptScenario& each : kept) {
          TRY(ScheduleScenario scenario, parseScenario(each.text, each.name));
          scenario.name = each.name;
          scenarios.push_back(std::move(scenario));
        }
        return scenarios;
      },
      [this, module = module_](Result<Scenarios> scenarios) {
        if (module != module_) return;
        if (!scenarios) return Q_EMIT failed(scenarios.error());
        scenarios_ = *std::move(scenarios);
        Q_EMIT changed();
      },
      &scope_);
}

}  // namespace hilo
