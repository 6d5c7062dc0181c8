#include "core/workspace/values/nonfinite_origin.h"

#include <fmt/format.h>

#include "core/workspace/values/value_summary.h"
#include "core/workspace/values/value_walk.h"

namespace hilo {
namespace {

bool isFinite(const Literal& literal) { return summarize(literal).isFinite(); }

class OriginFinder {
 public:
  explicit OriginFinder(ValueWalk& walk) : walk_(walk) {}

  Result<NonfiniteOrigin> find(const Computation& computation,
                               const std::vector<std::vector<Literal>>& arguments) {
    NonfiniteOrigin origin;
    TRY_STATUS(
        walk_.walkThrough(computation, arguments, 1, [&](const ValueWalk::Stretch& stretch) -> Result<bool> {
          TRY(origin, findIn(stretch));
          return !origin.found;
        }));
    return origin;
  }

 private:
  Result<NonfiniteOrigin> findIn(const ValueWalk::Stretch& stretch) {
    for (const Instruction* step : stretch.window.steps) {
      for (size_t d = 0; d < static_cast<size_t>(walk_.grid().count()); ++d) {
        if (!isFinite(stretch.values.at(*step)[d]) && operandsAreFinite(*step, stretch.values, d))
          return explain(*step, stretch.values, d);
      }
    }
    return NonfiniteOrigin();
  }

  static bool operandsAreFinite(const Instruction& instruction, const ValueWalk::Values& values,
                                size_t device) {
    return std::ranges::all_of(instruction.operands(), [&](const Instruction* operand) {
      if (values.has(*operand)) return isFinite(values.at(*operand)[device]);
      // A start has no value of its own: what it was given counts.
      return operand->shape().isToken() || operandsAreFinite(*operand, values, device);
    });
  }

  Result<NonfiniteOrigin> explain(const Instruction& at, const ValueWalk::Values& values, size_t device) {
    TRY(const auto inner,
        walk_.inside(at, values, [](const Computation&, const auto&, const DeviceValues& next) {
          return Result<bool>(!std::ranges::all_of(next, isFinite));
        }));
    if (inner) {
      TRY(NonfiniteOrigin deeper, find(*inner->computation, inner->arguments));
      if (deeper.found) {
        deeper.path.insert(deeper.path.begin(), inner->step);
        return deeper;
      }
    }
    const ValueSummary result = summarize(values.at(at)[device]);
    NonfiniteOrigin origin{.found = true,
                           .path = {std::string(at.name())},
                           .instruction = at.id().value,
                           .opcode = std::string(at.opcodeText()),
                           .shape = toString(at.shape().withoutLayout()),
                           .device = static_cast<int64_t>(device),
                           .nan = result.nan,
                           .inf = result.inf,
                           .elements = result.elements,
                           .first = result.firstNonfinite};
    for (const Instruction* operand : at.operands()) {
      if (values.has(*operand))
        origin.operands.push_back(
            fmt::format("{}: {}", operand->name(), summaryText(values.at(*operand)[device])));
    }
    return origin;
  }

  ValueWalk& walk_;
};

}  // namespace

Result<NonfiniteOrigin> findNonfiniteOrigin(const ValueRequest& request, const JobContext& context) {
  TRY(const WalkedModule walked, walkedModule(request, context));
  ValueWalk walk = startWalk(walked, request, context);
  OriginFinder finder(walk);
  TRY(NonfiniteOrigin origin, finder.find(*walked.module->entry(), walked.arguments));
  for (size_t i = 0; i < walked.arguments[0].size(); ++i) {
    if (!isFinite(walked.arguments[0][i])) {
      origin.notes.push_back(
          fmt::format("argument {} is not finite to begin with: {}", i, summaryText(walked.arguments[0][i])));
    }
  }
  return origin;
}

}  // namespace hilo
