// What a person writes where a run's arguments are asked for.
#pragma once

#include <QString>

#include "core/workspace/run/runs.h"

namespace hilo {

inline constexpr const char* kArgumentsTip =
    "Arguments: \"seed N\" generates them, \"snapshot\" takes the recorded ones, anything else is the path "
    "of "
    "an .npy or .npz file";

// `recorded`: what the module's file has, null for none.
ArgumentSource argumentSourceOf(const QString& text, const OpenedFile* recorded);

}  // namespace hilo
