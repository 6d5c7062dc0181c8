#include "core/workspace/thunks/thunk_launch.h"

#include <charconv>

#include "core/runtime/program/program.h"
#include "core/runtime/thunk/device/grid_kernel.h"

namespace hilo {
namespace {

using Launches = std::vector<std::optional<ThunkLaunch>>;

uint64_t volume(LaunchExtent extent) { return uint64_t{extent.x} * extent.y * extent.z; }

// By kernel of the program.
Launches launchesOf(const Program& program) {
  Launches launches(program.kernels.size());
  if (!isForGrids(program)) return launches;
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      const auto* kernel = std::get_if<KernelThunk>(&thunk.body);
      if (kernel == nullptr) continue;
      const auto shape = launchShape(program.kernels[kernel->kernel].launch, kernel->iterations);
      if (shape) launches[kernel->kernel] = ThunkLaunch{volume(shape->grid), volume(shape->block)};
    }
  }
  return launches;
}

std::optional<uint64_t> numberAt(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// Of "7200, 1, 1}" behind `name`, the product.
std::optional<uint64_t> printedVolume(std::string_view text, std::string_view name) {
  const size_t at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  text = text.substr(at + name.size());
  text = text.substr(0, text.find('}'));
  uint64_t volume = 1;
  for (size_t begin = 0; begin != std::string_view::npos;) {
    const auto number = numberAt(text.substr(begin));
    if (!number) return std::nullopt;
    volume *= *number;
    begin = text.find_first_not_of(", ", text.find(',', begin));
  }
  return volume;
}

// Of the fields "launch_dimensions.block_counts.coordinates.x" and so on, where there are any.
std::optional<uint64_t> volumeInFields(const StudiedThunk& thunk, std::string_view part) {
  std::optional<uint64_t> volume;
  for (const ThunkField& field : thunk.fields) {
    if (!field.name.starts_with("launch_dimensions.") || field.name.find(part) == std::string::npos) continue;
    const auto number = numberAt(field.value);
    if (number) volume = volume.value_or(1) * *number;
  }
  return volume;
}

std::optional<ThunkLaunch> launchXlaSays(const StudiedThunk& thunk) {
  auto blocks = volumeInFields(thunk, "block_counts");
  auto threads = volumeInFields(thunk, "thread_counts_per_block");
  if (!threads) {
    blocks = printedVolume(thunk.description, "blocks: {");
    threads = printedVolume(thunk.description, "threads/block: {");
  }
  if (!blocks || !threads) return std::nullopt;
  return ThunkLaunch{*blocks, *threads};
}

}  // namespace

std::vector<std::optional<ThunkLaunch>> launchesOf(const ThunkStudy& study) {
  const std::shared_ptr<const Program> program = programOf(study);
  const Launches ofKernels = program == nullptr ? Launches() : launchesOf(*program);
  Launches launches;
  for (const StudiedThunk& thunk : study.thunks) {
    launches.push_back(thunk.kernel < ofKernels.size() ? ofKernels[thunk.kernel] : launchXlaSays(thunk));
  }
  return launches;
}

}  // namespace hilo
