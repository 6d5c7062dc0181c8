#include "core/analysis/tile_program/print_tile_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/hlo/ir/module.h"

namespace hilo {
namespace {

class Printer {
 public:
  explicit Printer(const TiledFusion& fusion) : fusion_(fusion), names_(fusion.space.names()) {}

  std::string text() {
    for (const TileProgram& program : fusion_.programs) print(program);
    return std::move(text_);
  }

 private:
  template <typename... T>
  void line(int depth, fmt::format_string<T...> format, T&&... values) {
    text_.append(static_cast<size_t>(2 * depth), ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
    text_ += '\n';
  }

  std::string variableText(size_t number) const {
    const VariableTile& v = fusion_.tiling.variables[number];
    return fmt::format("{} in [0, {}] by {}", names_[number], v.size - 1, v.tile);
  }

  std::string variablesText(const std::vector<size_t>& numbers) const {
    std::vector<std::string> all;
    for (const size_t number : numbers) all.push_back(variableText(number));
    return fmt::format("{}", fmt::join(all, ", "));
  }

  void print(const TileProgram& program) {
    program_ = &program;
    if (program.ranksMeet) line(0, "{} ranks meet", fusion_.allReduce->ranks);
    const auto grid = fusion_.grid(program);
    if (grid.empty()) {
      line(0, "program of 1 tile");
    } else {
      line(0, "program of {} tiles: {}", fmt::join(grid, " x "), variablesText(program.variables));
    }
    printReads();
    printBlock(0, 1);
    for (const TileStore& store : program.stores) printStore(store);
  }

  void printStore(const TileStore& store) {
    switch (store.where) {
      case TileStore::Where::Result:
        return line(1, "store {} as result {} at {}", nameOf(store.value), store.result, placeOf(store.tile));
      case TileStore::Where::Shared:
        return line(1, "share {} at {}", nameOf(store.value), placeOf(store.tile));
      case TileStore::Where::OwnPart:
        return line(1, "share this rank's part of {} at {}", nameOf(store.value), placeOf(store.tile));
    }
  }

  void printReads() {
    for (size_t i = 0; i < fusion_.space.variables.size(); ++i) {
      const IndexVariable& read = fusion_.space.variables[i].index;
      if (read.kind != IndexVariable::Kind::Runtime) continue;
      std::vector<std::string> place;
      for (const AffineExpression& at : read.place) place.push_back(at.text(names_));
      line(1, "{} = index %{}({}) in [{}, {}]", names_[i], read.read->name(), fmt::join(place, ", "),
           read.range.lower, read.range.upper);
    }
  }

  void printBlock(size_t block, int depth) {
    for (const size_t number : program_->blocks[block].operations) {
      const TileOperation& operation = program_->operations[number];
      if (!operation.loop) {
        line(depth, "{} = {}", nameOf({number, 0}), textOf(operation));
        continue;
      }
      line(depth, "{} = for {}: {}", nameOf({number, 0}),
           variablesText(program_->blocks[*operation.loop].variables), typesOf(operation));
      printBlock(*operation.loop, depth + 1);
      line(depth + 1, "{} {}", operationText(operation), operandsOf(operation));
    }
  }

  std::string nameOf(const TileUse& use) const {
    const bool isOfMany = program_->operations[use.operation].instruction->shape().isTuple();
    return isOfMany ? fmt::format("%{}#{}", use.operation, use.result) : fmt::format("%{}", use.operation);
  }

  std::string operandsOf(const TileOperation& operation) const {
    std::vector<std::string> all;
    for (const TileUse& operand : operation.operands) all.push_back(nameOf(operand));
    return fmt::format("{}", fmt::join(all, ", "));
  }

  // "bf16[16,32]"; of several results "(f32[16], s32[16])".
  static std::string typesOf(const TileOperation& operation) {
    const Shape shape = operation.instruction->shape();
    const size_t count = shape.isTuple() ? shape.tupleShapes().size() : 1;
    std::vector<std::string> all;
    for (size_t i = 0; i < count; ++i)
      all.push_back(
          fmt::format("{}[{}]", elementTypeName(operation.type(i)), fmt::join(operation.sizes(), ",")));
    return count == 1 ? all[0] : fmt::format("({})", fmt::join(all, ", "));
  }

  std::string operationText(const TileOperation& operation) const {
    const Instruction& instruction = *operation.instruction;
    switch (operation.op) {
      case TileOp::Elementwise:
        return std::string(instruction.opcodeText());
      case TileOp::Reduce:
        return fmt::format("reduce {} over {}", instruction.get<Attr::ToApply>()->name(),
                           fmt::join(instruction.dimensions(), ","));
      case TileOp::AllReduce:
        return fmt::format("all-reduce {} of {} ranks", instruction.get<Attr::ToApply>()->name(),
                           fusion_.allReduce->ranks);
      case TileOp::Broadcast:
      case TileOp::Transpose:
        return fmt::format("{} {{{}}}", toString(operation.op), fmt::join(instruction.dimensions(), ","));
      default:
        return std::string(toString(operation.op));
    }
  }

  std::string textOf(const TileOperation& operation) const {
    std::string text = fmt::format("{} {}", operationText(operation), typesOf(operation));
    if (!operation.operands.empty()) text += " " + operandsOf(operation);
    const bool isPlaced = operation.op == TileOp::Load || operation.op == TileOp::Iota ||
                          operation.op == TileOp::Choose || operation.op == TileOp::Constant ||
                          operation.op == TileOp::AllReduce || operation.op == TileOp::Collect;
    if (isPlaced) text += fmt::format(" %{}", operation.instruction->name());
    if (operation.op == TileOp::Choose) {
      std::vector<std::string> all;
      for (const InstructionTile& tile : operation.candidates) all.push_back(placeOf(tile));
      text += fmt::format(" where {}", fmt::join(all, " else "));
    } else if (isPlaced && !operation.tile.dimensions.empty()) {
      text += " at " + placeOf(operation.tile);
    }
    return text;
  }

  // "(d0, s0 by 2)", with the distance of elements where it is not 1; ? where the tile may reach outside.
  std::string placeOf(const InstructionTile& tile) const {
    std::vector<std::string> all;
    for (const TileDimension& d : tile.dimensions) {
      const std::string by = d.size > 1 && d.stride != 1 ? fmt::format(" by {}", d.stride) : "";
      all.push_back(d.offset.text(names_) + by + (d.isMasked ? "?" : ""));
    }
    return fmt::format("({})", fmt::join(all, ", "));
  }

  const TiledFusion& fusion_;
  const std::vector<std::string> names_;
  const TileProgram* program_ = nullptr;
  std::string text_;
};

}  // namespace

std::string toString(const TiledFusion& fusion) { return Printer(fusion).text(); }

}  // namespace hilo
