// Passes and their settings as text: "dce,while-loop-unroller{trip_count_threshold=16},cse".
#pragma once

#include <functional>

#include "core/compiler/pass/pass.h"

namespace hilo {

// By their own names or XLA's (xla_passes.h). Settings that are not named have their defaults. Spaces around
// names and values are left out. Error kinds: "unknown-pass" (with the nearest known one), "pass-not-there"
// (one of XLA's), "bad-pass-list" (a brace or a '=' that is missing, a setting that is set twice),
// "unknown-setting", "bad-setting".
Result<std::vector<ConfiguredPass>> parsePassList(std::string_view list);
// The same where `find` knows the passes; none for a name it does not know.
Result<std::vector<ConfiguredPass>> parsePassList(
    std::string_view list, const std::function<std::optional<ConfiguredPass>(std::string_view)>& find);

// Fuel as text: "dce=3,cse=0". Kind "bad-fuel".
Result<FuelByPass> parseFuel(std::string_view text);
std::string fuelText(const FuelByPass& fuel);

}  // namespace hilo
