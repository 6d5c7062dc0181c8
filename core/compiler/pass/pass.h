// A pass: a free function from module to module that says whether it changed anything. All of them stand in
// passes.def; CLI, studio, tests and pipelines read that one table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/compiler/pass/fuel.h"
#include "core/compiler/pass/pass_settings.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// A pass's word on one instruction: what it did, or why it did not. Kinds are stable and lower-case.
struct Remark {
  InstructionId instruction;  // in the module before the pass
  std::string name;           // the instruction's, so that the remark outlives the module
  std::string kind;           // "removed", "folded", "missed", ...
  std::string message;
  // The message as data, for those who show or count it: {"from", "{replicated}"}. The pass names the keys.
  std::vector<std::pair<std::string, std::string>> facts = {};
};

// What a pass may use of the world. Owned by the runner, used by one thread.
class PassContext {
 public:
  explicit PassContext(CancelToken cancel = {}, std::span<const SettingChange> settings = {},
                       Fuel fuel = Fuel())
      : cancel_(std::move(cancel)), settings_(settings), fuel_(std::move(fuel)) {}

  // A pass over a large module looks now and then, and returns early with what it has: any state it leaves
  // between two rewrites must be valid.
  bool cancelled() const { return cancel_.cancelled(); }
  // Asked once for each rewrite the pass can do without, when it is about to make it; after a no the pass
  // leaves what it was about to rewrite as it is. `instruction`: what is rewritten, as it was before the pass
  // if it can.
  bool mayChange(const Instruction& instruction) { return fuel_.take(instruction); }
  const Fuel& fuel() const { return fuel_; }
  void remark(const Instruction& instruction, std::string_view kind, std::string message,
              std::vector<std::pair<std::string, std::string>> facts = {});
  const std::vector<Remark>& remarks() const { return remarks_; }
  std::vector<Remark> takeRemarks() { return std::move(remarks_); }
  // What is set of the pass that runs; it takes them as a struct (makePass).
  std::span<const SettingChange> settings() const { return settings_; }

 private:
  CancelToken cancel_;
  std::span<const SettingChange> settings_;
  Fuel fuel_;
  std::vector<Remark> remarks_;
};

// Absent: a pass of XLA's that is not there yet; nothing was done.
enum class PassOutcome : uint8_t { Changed, Unchanged, Disabled, Failed, Cancelled, Absent };

// Changes the module in place; true when it did. An error says the pass could not do its work on this input;
// the runner then drops the module.
using PassFunction = Result<bool> (*)(Module&, PassContext&);

struct Pass {
  std::string_view name;
  PassFunction run = nullptr;
  std::string_view summary;
  std::vector<PassSetting> settings = {};
  // The values of its settings for a module where nothing is set, in their order. Null: it has no settings.
  std::vector<SettingValue> (*defaultsFor)(const Pass&, const Module&) = nullptr;
  // False of a pass that a pipeline names and nobody has written.
  bool isThere() const { return run != nullptr; }
};

// A pass with what is set of it. Text form: "while-loop-unroller{trip_count_threshold=16}".
struct ConfiguredPass {
  // Implicit: a pass alone is the pass with its defaults.
  ConfiguredPass(const Pass* configured) : pass(configured) {}

  const Pass* pass;
  std::vector<SettingChange> settings;
  // The name it goes by in a pipeline where that is another than its own: XLA's. Not owned.
  std::string_view as = {};
  std::string_view name() const { return as.empty() ? pass->name : as; }
  // In place of what it was set to.
  void set(SettingChange change);
};

// A setting as a pass runs with it.
struct EffectiveSetting {
  std::string name;
  std::string value;
  bool isDefault = true;
  friend bool operator==(const EffectiveSetting&, const EffectiveSetting&) = default;
};
// All settings of the pass, in its order.
std::vector<EffectiveSetting> effectiveSettings(const ConfiguredPass& configured, const Module& module);
// "while-loop-unroller{trip_count_threshold=16}": what differs from the defaults, or what is set; the name
// alone where nothing is. parsePassList reads it back.
std::string passText(std::string_view name, std::span<const EffectiveSetting> settings);
std::string passText(const ConfiguredPass& configured);

namespace pass_detail {

template <typename Settings>
using FunctionWith = Result<bool> (*)(Module&, PassContext&, const Settings&);
template <typename Settings>
Settings settingsTypeOf(FunctionWith<Settings>);

// A struct whose defaults depend on the module says so: `static Settings defaultsFor(const Module&)`.
template <typename Settings>
Settings defaultsFor(const Module& module) {
  if constexpr (requires { Settings::defaultsFor(module); }) {
    return Settings::defaultsFor(module);
  } else {
    return Settings();
  }
}

template <typename Settings>
std::vector<SettingValue> defaultValuesFor(const Pass& pass, const Module& module) {
  const Settings defaults = defaultsFor<Settings>(module);
  std::vector<SettingValue> values;
  for (const PassSetting& setting : pass.settings) values.push_back(setting.read(setting, &defaults));
  return values;
}

template <auto function, typename Settings>
Result<bool> runWithSettings(Module& module, PassContext& context) {
  Settings settings = defaultsFor<Settings>(module);
  for (const SettingChange& change : context.settings())
    change.setting->write(*change.setting, &settings, change.value);
  return function(module, context, settings);
}

}  // namespace pass_detail

// The pass that calls `function`: Result<bool>(Module&, PassContext&), or with the struct of its settings as
// a third parameter.
template <auto function>
Pass makePass(std::string_view name, std::string_view summary, std::vector<PassSetting> settings = {}) {
  if constexpr (std::is_same_v<decltype(function), PassFunction>) {
    return {.name = name, .run = function, .summary = summary};
  } else {
    using Settings = decltype(pass_detail::settingsTypeOf(function));
    return {.name = name,
            .run = &pass_detail::runWithSettings<function, Settings>,
            .summary = summary,
            .settings = std::move(settings),
            .defaultsFor = &pass_detail::defaultValuesFor<Settings>};
  }
}

}  // namespace hilo
