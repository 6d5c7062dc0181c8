#include "ui/views/schedule/scenario_shelf.h"

namespace hilo {

ScenarioShelf::ScenarioShelf(const ViewContext& context, QObject* parent)
    : QObject(parent), context_(context) {
  connect(&context_.changes, &SessionChanges::storeChanged, this, [this] { setModule(module_); });
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
  context_.jobs.submit(
      "", title,
      [shared = context_.session.file().store(), module = module_, change](JobContext&) -> Result<Scenarios> {
        const uint64_t hash = moduleHash(*module);
        TRY(const auto store, shared->get());
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
