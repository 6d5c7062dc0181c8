#include "core/hlo/expand/matrices.h"

#include <algorithm>
#include <ranges>

namespace hilo::library {
namespace {

// What a line of our own operations is in HLO: `name` of the operands `x`.
std::string lineOf(std::string_view name, std::string_view operation, std::string_view x, bool isComplex) {
  const std::string parts = fmt::format("  {0}_re = real({1})\n  {0}_im = imag({1})\n", name, x);
  if (operation == "from-parts")
    return isComplex ? fmt::format("  {} = complex({})\n", name, x)
                     : fmt::format("  {} = copy({})\n", name, x.substr(0, x.find(',')));
  if (operation == "magnitude")
    return isComplex ? parts + fmt::format(
                                   "  {0}_ar = abs({0}_re)\n  {0}_ai = abs({0}_im)\n"
                                   "  {0} = add({0}_ar, {0}_ai)\n",
                                   name)
                     : fmt::format("  {} = abs({})\n", name, x);
  if (operation == "imaginary-part")
    return isComplex ? fmt::format("  {} = imag({})\n", name, x)
                     : fmt::format("  {0} = subtract({1}, {1})\n", name, x);
  if (!isComplex) return fmt::format("  {} = copy({})\n", name, x);
  if (operation == "real-part") return fmt::format("  {} = real({})\n", name, x);
  return parts + fmt::format("  {0}_ni = negate({0}_im)\n  {0} = complex({0}_re, {0}_ni)\n", name);
}

constexpr std::string_view kOwn[] = {"conjugate", "real-part", "imaginary-part", "from-parts", "magnitude"};

// Column i of `a`, and which of its rows stands on the diagonal and which are below.
constexpr std::string_view kColumn = R"(  zero = s32[] constant(0)
  one = s32[] constant(1)
  nothing = $T[] constant($ZERO)
  unit = $T[] constant($ONE)
  rows = s32[$B,$M] iota(), iota_dimension=1
  at = s32[$B,$M] broadcast(i), dimensions={}
  is_at = compare(rows, at), direction=EQ
  is_below = compare(rows, at), direction=GT
  column = dynamic-slice(a, zero, zero, i), dynamic_slice_sizes={$B,$M,1}
  flat = $T[$B,$M] reshape(column)
  no_column = $T[$B,$M] broadcast(nothing), dimensions={}
)";

std::string inHlo(std::string_view text, bool isComplex) {
  std::string written;
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line(part.begin(), part.end());
    if (line == "$COLUMN") {
      written += kColumn;
      continue;
    }
    const size_t equals = line.find(" = "), open = line.find('(');
    const std::string_view operation = equals < open ? line.substr(equals + 3, open - equals - 3) : "";
    if (std::ranges::find(kOwn, operation) == std::end(kOwn)) {
      written.append(line).append("\n");
    } else {
      const std::string_view operands = line.substr(open + 1, line.find(')') - open - 1);
      written += lineOf(line.substr(2, equals - 2), operation, operands, isComplex);
    }
  }
  return written;
}

}  // namespace

Result<Matrices> readMatrices(const Expansion& call, Shape shape) {
  if (!shape.isArray() || shape.rank() < 2) return call.malformed("takes no matrices");
  const ElementType type = shape.elementType();
  const bool isFit = type == ElementType::F32 || type == ElementType::F64 || isComplex(type);
  if (!isFit) return call.refuse(fmt::format("takes matrices of {}", elementTypeName(type)));
  Matrices matrices{.type = type, .realType = isComplex(type) ? complexComponent(type) : type};
  matrices.rows = shape.dimension(shape.rank() - 2);
  matrices.columns = shape.dimension(shape.rank() - 1);
  matrices.reflections = std::min(matrices.rows, matrices.columns);
  for (size_t n = 0; n + 2 < shape.rank(); ++n) matrices.batch *= shape.dimension(n);
  return matrices;
}

Instruction* joinBatch(const Expansion& call, Instruction* value, size_t kept) {
  const Shape shape = value->shape();
  std::vector<int64_t> sizes = {1};
  for (size_t n = 0; n < shape.rank(); ++n) {
    if (n + kept < shape.rank()) sizes[0] *= shape.dimension(n);
    if (n + kept >= shape.rank()) sizes.push_back(shape.dimension(n));
  }
  return call.add(Opcode::Reshape, Shape::array(shape.elementType(), sizes), {value});
}

Instruction* splitBatch(const Expansion& call, Instruction* value, Shape shape) {
  return call.add(Opcode::Reshape, shape.withoutLayout(), {value});
}

Instruction* callOnMatrices(const Expansion& call, std::string_view text, const Matrices& matrices,
                            std::span<Instruction* const> operands, Expansion::Replacements more) {
  Expansion::Replacements all = {{"$T", std::string(elementTypeName(matrices.type))},
                                 {"$R", std::string(elementTypeName(matrices.realType))},
                                 {"$B", fmt::format("{}", matrices.batch)},
                                 {"$M", fmt::format("{}", matrices.rows)},
                                 {"$N", fmt::format("{}", matrices.columns)},
                                 {"$K", fmt::format("{}", matrices.reflections)},
                                 {"$LAST", fmt::format("{}", matrices.reflections - 1)},
                                 {"$ZERO", isComplex(matrices.type) ? "(0, 0)" : "0"},
                                 {"$ONE", isComplex(matrices.type) ? "(1, 0)" : "1"}};
  std::ranges::move(more, std::back_inserter(all));
  return call.callText(inHlo(text, isComplex(matrices.type)), all, operands);
}

}  // namespace hilo::library
