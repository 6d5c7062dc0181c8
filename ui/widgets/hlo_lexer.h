// Colours for one line of HLO text, told from the line alone. Not a parser: any text gets some colours.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ui/style/colours.h"

namespace hilo {

struct TextSpan {
  uint32_t start = 0;
  uint32_t length = 0;
  ColourRole role = ColourRole::kText;
  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

// Appends the line's spans from left to right, without overlap; what is between them is plain text.
using LineLexer = std::function<void(std::string_view line, std::vector<TextSpan>& spans)>;

void lexHloLine(std::string_view line, std::vector<TextSpan>& spans);

// The parts of a line that hold bookkeeping: the values of metadata, backend_config, frontend_attributes and
// original_value, from the opening brace or quote to the closing one.
std::vector<TextSpan> findTails(std::string_view line);

}  // namespace hilo
