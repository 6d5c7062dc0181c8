// Scopes side by side whose names begin alike, as "conv2_block1_1_bn" and "conv2_block1_1_conv" do: models
// that are lists of named layers have hundreds of these and no scope around them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hilo {

// One name, or several that begin alike.
struct NamePart {
  uint32_t name = 0;            // where `parts` is empty: index into the names
  std::string label;            // of several: "conv2_*"
  std::vector<NamePart> parts;  // in the order of the first name in each
};

// Empty where there are few names or they do not divide into much fewer parts. Names are compared word by
// word; words end at '_', '.', '-', ':', brackets and spaces.
std::vector<NamePart> divideNames(std::span<const std::string_view> names);

}  // namespace hilo
