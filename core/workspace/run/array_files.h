// Outputs as NumPy files, for the workspace's clients.
#pragma once

#include "core/hlo/eval/array_files.h"
