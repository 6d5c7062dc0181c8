#include "core/hlo/eval/array_files.h"

#include <fmt/format.h>

#include "core/hlo/eval/npy.h"

namespace hilo {
namespace {

void collectArrays(const Literal& literal, const std::string& name, std::vector<NamedLiteral>& members) {
  if (literal.shape().isArray()) members.push_back({name, literal});
  for (size_t n = 0; n < literal.elements().size(); ++n) {
    const bool top = name == "out";
    collectArrays(literal.elements()[n], fmt::format("{}{}{}", name, top ? "" : ".", n), members);
  }
}

}  // namespace

Status writeArrays(const std::string& path, const Literal& output) {
  if (path.ends_with(".npy")) {
    if (!output.shape().isArray())
      return fail("not-convertible", "a .npy file holds one array; name it .npz");
    return saveNpy(path, output);
  }
  if (!path.ends_with(".npz")) {
    return fail("unknown-output-kind", fmt::format("cannot tell from the name of {} what to write", path), {},
                {"end it in .npz or .npy"});
  }
  std::vector<NamedLiteral> members;
  collectArrays(output, output.isTuple() ? "out" : "out0", members);
  return saveNpz(path, members);
}

}  // namespace hilo
