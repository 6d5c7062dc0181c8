#include "core/runtime/engine/engine.h"

#include <fmt/format.h>

namespace hilo {

Result<std::vector<Literal>> Executable::runOnDevices(DeviceGrid, std::span<const std::vector<Literal>>,
                                                      const CancelToken&) {
  return fail("one-device", "this engine runs on one device");
}

Result<std::string> Executable::optimizedModule() {
  return fail("no-module", "this engine keeps no module of its own", {},
              {"hilo opt shows what the pipelines of Hilo's own engines make of one"});
}

Status EngineTable::add(Engine engine) {
  const std::lock_guard lock(mutex_);
  for (const auto& known : engines_) {
    if (known->name == engine.name)
      return fail("duplicate-engine", fmt::format("an engine named {} exists", engine.name));
  }
  engines_.push_back(std::make_unique<Engine>(std::move(engine)));
  return {};
}

const Engine* EngineTable::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  for (const auto& engine : engines_) {
    if (engine->name == name) return engine.get();
  }
  return nullptr;
}

std::vector<const Engine*> EngineTable::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<const Engine*> all;
  for (const auto& engine : engines_) all.push_back(engine.get());
  return all;
}

}  // namespace hilo
