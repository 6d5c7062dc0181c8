// Values for infeeds: made up from a seed, or read from files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/ir/host_feed.h"

namespace hilo {

// A few values of each shape, over and over again; the same for the same seed. Error kinds: as makeArguments.
Result<InfeedValues> makeInfeeds(std::span<const Shape> shapes, uint64_t seed,
                                 const MakingOptions& options = {});

// What successive infeeds take, a file each, which has one of the shapes: a .npy of one array, or a .npz of a
// tuple's arrays as arg0, arg1, ... Error kinds: as loadArguments.
Result<InfeedValues> loadInfeeds(std::span<const std::string> paths, std::span<const Shape> shapes);

}  // namespace hilo
