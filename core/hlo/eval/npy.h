// NumPy's array files: .npy (one array) and .npz (a zip of them). Formats 1.0 to 3.0 of numpy.lib.format are
// read, 1.0 is written. Types NumPy lacks are read from what ml_dtypes leaves in a file ('<V2' for bf16, 'V1'
// for the 8-bit and narrower ones, or a type name) when a target shape says what they are. Files may be
// hostile: sizes are checked before anything is allocated. Error kinds: "malformed-npy",
// "malformed-npz", "unsupported-type", "wrong-argument", "literal-too-large", those of base/files.h.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

inline constexpr int64_t kNpyLimitBytes = int64_t{1} << 34;

// With a target, the array must have its dimensions and a type that holds its elements. Where the
// target's dimensions are bounds it may have fewer elements; the literal has the bounds, and the file's
// sizes as real ones.
Result<Literal> readNpy(std::span<const std::byte> file, std::optional<Shape> target = std::nullopt);
// Of an array with fewer elements than its bounds the real ones. Narrow floats are written as the same bits
// in '<V2' or '|V1', sub-byte integers as 8-bit ones.
Result<std::vector<std::byte>> writeNpy(const Literal& literal);

Result<Literal> loadNpy(const std::string& path, std::optional<Shape> target = std::nullopt);
Status saveNpy(const std::string& path, const Literal& literal);

struct NamedLiteral {
  std::string name;  // without ".npy"
  Literal literal;
};
// The members in the order of the file. `targetOf` gives the target shape by name.
Result<std::vector<NamedLiteral>> loadNpz(
    const std::string& path, const std::function<std::optional<Shape>(std::string_view name)>& targetOf = {});
Status saveNpz(const std::string& path, std::span<const NamedLiteral> members);

// Arguments of a computation: a .npy for its only parameter, or a .npz with members arg0, arg1, ... or named
// as the parameters are.
Result<std::vector<Literal>> loadArguments(const std::string& path, const Computation& computation);
struct NamedShape {
  std::string name;
  Shape shape;
};
Result<std::vector<Literal>> loadArguments(const std::string& path, std::span<const NamedShape> parameters);

}  // namespace hilo
