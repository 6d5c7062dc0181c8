// What a person writes where a run's arguments are asked for.
#pragma once

#include <QString>
#include <span>

#include "core/workspace/run/runs.h"

namespace hilo {

inline constexpr const char* kArgumentsTip =
    "Arguments: \"seed N\" generates them, \"snapshot\" takes the recorded ones, anything else is the path "
    "of "
    "an .npy or .npz file. \", NAME=VALUE\" behind it sets one of them, by the parameter's name or number: "
    "{1, 2}, what NumPy prints, a "
    "number, zeros, ones, iota, normal(SEED), uniform(SEED), FILE.npy.";
// The same, with the parameters there are: names and shapes.
QString argumentsTip(std::span<const std::pair<std::string, std::string>> parameters);

// `recorded`: what the module's file has, null for none.
ArgumentSource argumentSourceOf(const QString& text, const OpenedFile* recorded);

}  // namespace hilo
