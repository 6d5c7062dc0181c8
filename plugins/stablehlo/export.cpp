#include "plugins/stablehlo/export.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringExtras.h>

#include <map>
#include <set>
#include <vector>

#include "plugins/stablehlo/export_literal.h"
#include "plugins/stablehlo/export_ops.h"
#include "plugins/stablehlo/sharding_text.h"

namespace hilo::stablehlo {
namespace {

constexpr int kMaxDepth = 500;

// An HLO value: an array or token by its SSA name, or a tuple of such.
struct Value {
  std::string name, type;
  std::vector<Value> elements;
  bool isTuple = false;
};

void flatten(const Value& value, std::vector<Value>& leaves) {
  if (!value.isTuple) {
    leaves.push_back(value);
    return;
  }
  for (const Value& element : value.elements) flatten(element, leaves);
}

using ValuePart = std::string Value::*;
std::string joined(const std::vector<Value>& values, ValuePart part) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ", ") + value.*part;
  return text;
}

class Exporter {
 public:
  explicit Exporter(const pb::HloModuleProto& module) : module_(module) {
    for (const auto& computation : module.computations()) computations_[computation.id()] = &computation;
  }

  ExportResult run() {
    ExportResult result;
    std::string functions;
    if (!function(module_.entry_computation_id(), functions)) {
      result.error = error_;
      return result;
    }
    const auto& header = module_.hilo_header();
    result.text =
        "module @" + symbolName(module_.name()) + " attributes {mhlo.num_partitions = " +
        std::to_string(std::max<int64_t>(1, header.num_partitions())) +
        " : i32, mhlo.num_replicas = " + std::to_string(std::max<int64_t>(1, header.replica_count())) +
        " : i32} {\n" + functions + "}\n";
    return result;
  }

 private:
  using Instruction = pb::HloInstructionProto;
  using Computation = pb::HloComputationProto;
  using Scope = llvm::DenseMap<int64_t, Value>;

  static std::string symbolName(const std::string& name) {
    const bool plain = !name.empty() && llvm::all_of(name, [](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
    }) && !llvm::isDigit(name[0]);
    return plain ? name : quoted(name);
  }

  bool fail(const Instruction& hlo, const std::string& what) {
    if (error_.empty()) error_ = hlo.name() + ": " + what;
    return false;
  }

  const Computation* called(const Instruction& hlo, int n) {
    if (n >= hlo.called_computation_ids_size()) return fail(hlo, "lacks a computation"), nullptr;
    const auto found = computations_.find(hlo.called_computation_ids(n));
    if (found == computations_.end()) return fail(hlo, "calls a computation that is not there"), nullptr;
    return found->second;
  }

  // The value of a shape, its leaves named NAME#0, NAME#1, ... in order, or NAME where there is one.
  bool valueOf(const Instruction& hlo, const pb::ShapeProto& shape, const std::string& name, int total,
               int& next, Value& value) {
    if (shape.element_type() != pb::TUPLE) {
      const auto type = typeText(shape);
      if (!type) return fail(hlo, "has a type StableHLO does not have");
      value = {.name = total == 1 ? name : name + "#" + std::to_string(next), .type = *type};
      ++next;
      return true;
    }
    value.isTuple = true;
    for (const auto& element : shape.tuple_shapes()) {
      if (!valueOf(hlo, element, name, total, next, value.elements.emplace_back())) return false;
    }
    return true;
  }
  static int leafCount(const pb::ShapeProto& shape) {
    if (shape.element_type() != pb::TUPLE) return 1;
    int count = 0;
    for (const auto& element : shape.tuple_shapes()) count += leafCount(element);
    return count;
  }
  bool named(const Instruction& hlo, const std::string& name, Value& value) {
    int next = 0;
    return valueOf(hlo, hlo.shape(), name, leafCount(hlo.shape()), next, value);
  }

  std::string freshName() { return "%v" + std::to_string(++names_); }

  static std::string location(const Instruction& hlo) {
    const pb::OpMetadata& m = hlo.metadata();
    std::string place;
    if (!m.source_file().empty())
      place = quoted(m.source_file()) + ":" + std::to_string(std::max(1, m.source_line())) + ":" +
              std::to_string(std::max(1, m.source_column()));
    if (m.op_name().empty()) return place.empty() ? "" : " loc(" + place + ")";
    return " loc(" + quoted(m.op_name()) + (place.empty() ? "" : "(" + place + ")") + ")";
  }

  bool shardings(const Instruction& hlo, std::string& attributes) {
    const auto add = [&](const std::string& text) { attributes += (attributes.empty() ? "" : ", ") + text; };
    if (hlo.has_sharding()) {
      const auto text = shardingText(hlo.sharding());
      if (!text) return fail(hlo, "a named sharding");
      add("mhlo.sharding = " + quoted(*text));
    }
    if (hlo.frontend_attributes().map_size() > 0) {
      const std::map<std::string, std::string> sorted(hlo.frontend_attributes().map().begin(),
                                                      hlo.frontend_attributes().map().end());
      std::string fields;
      for (const auto& [key, value] : sorted)
        fields += (fields.empty() ? "" : ", ") + quoted(key) + " = " + quoted(value);
      add("mhlo.frontend_attributes = {" + fields + "}");
    }
    return true;
  }

  // `NAME:K = "OPERATION"(OPERANDS) (REGIONS) {ATTRIBUTES} : (TYPES) -> (TYPES)`; the result goes
  // into the scope.
  bool write(const Instruction& hlo, const std::string& operation, const std::vector<Value>& operands,
             const std::string& regions, std::string attributes, Scope& scope, std::string& out) {
    if (!shardings(hlo, attributes)) return false;
    const std::string name = freshName();
    Value value;
    if (!named(hlo, name, value)) return false;
    std::vector<Value> results;
    flatten(value, results);
    const std::string count = results.size() > 1 ? ":" + std::to_string(results.size()) : "";
    out += "    " + (results.empty() ? "" : name + count + " = ") + quoted(operation) + "(" +
           joined(operands, &Value::name) + ")" + (regions.empty() ? "" : " (" + regions + ")") +
           (attributes.empty() ? "" : " {" + attributes + "}") + " : (" + joined(operands, &Value::type) +
           ") -> (" + joined(results, &Value::type) + ")" + location(hlo) + "\n";
    scope[hlo.id()] = std::move(value);
    return true;
  }

  bool operandsOf(const Instruction& hlo, const Scope& scope, std::vector<Value>& values) {
    for (const int64_t id : hlo.operand_ids()) {
      const auto found = scope.find(id);
      if (found == scope.end()) return fail(hlo, "uses an instruction that is not before it");
      values.push_back(found->second);
    }
    return true;
  }

  // The instructions of a computation and its end. `parameters` are what its parameters stand for.
  bool body(const Computation& computation, const std::vector<Value>& parameters, const char* end,
            std::string& out) {
    if (++depth_ > kMaxDepth) return error_ = computation.name() + ": nested too deep", false;
    Scope scope;
    for (const Instruction& hlo : computation.instructions()) {
      if (hlo.opcode() == "parameter") {
        if (hlo.parameter_number() < 0 || hlo.parameter_number() >= static_cast<int64_t>(parameters.size()))
          return fail(hlo, "has no such argument");
        scope[hlo.id()] = parameters[static_cast<size_t>(hlo.parameter_number())];
      } else if (!instruction(hlo, scope, out)) {
        return false;
      }
    }
    const auto root = scope.find(computation.root_id());
    if (root == scope.end()) return error_ = computation.name() + ": has no root", false;
    std::vector<Value> results;
    flatten(root->second, results);
    out += "    " + quoted(end) + "(" + joined(results, &Value::name) + ") : (" +
           joined(results, &Value::type) + ") -> ()\n";
    --depth_;
    return true;
  }

  // "{ ^bb0(...): ... }" with an argument for each leaf of the computation's parameters.
  bool region(const Computation& computation, std::string& out) {
    std::vector<Value> parameters, leaves;
    if (!argumentsOf(computation, parameters)) return false;
    for (const Value& parameter : parameters) flatten(parameter, leaves);
    std::string arguments;
    for (const Value& leaf : leaves)
      arguments += (arguments.empty() ? "" : ", ") + leaf.name + ": " + leaf.type;
    out += "{\n" + (arguments.empty() ? "" : "    ^bb0(" + arguments + "):\n");
    if (!body(computation, parameters, "stablehlo.return", out)) return false;
    out += "    }";
    return true;
  }

  // By number, whatever their order among the instructions.
  static std::map<int64_t, const Instruction*> parametersOf(const Computation& computation) {
    std::map<int64_t, const Instruction*> byNumber;
    for (const Instruction& hlo : computation.instructions()) {
      if (hlo.opcode() == "parameter") byNumber[hlo.parameter_number()] = &hlo;
    }
    return byNumber;
  }

  bool argumentsOf(const Computation& computation, std::vector<Value>& parameters) {
    for (const auto& [number, hlo] : parametersOf(computation)) {
      Value& value = parameters.emplace_back();
      if (number != static_cast<int64_t>(parameters.size()) - 1) return fail(*hlo, "is numbered with a gap");
      if (!nameLeaves(*hlo, hlo->shape(), value)) return false;
    }
    return true;
  }
  // Block arguments are single values: every leaf gets a name of its own.
  bool nameLeaves(const Instruction& hlo, const pb::ShapeProto& shape, Value& value) {
    if (shape.element_type() != pb::TUPLE) {
      int next = 0;
      return valueOf(hlo, shape, freshName(), 1, next, value);
    }
    value.isTuple = true;
    for (const auto& element : shape.tuple_shapes()) {
      if (!nameLeaves(hlo, element, value.elements.emplace_back())) return false;
    }
    return true;
  }

  bool instruction(const Instruction& hlo, Scope& scope, std::string& out) {
    std::vector<Value> operands, leaves;
    if (!operandsOf(hlo, scope, operands)) return false;
    for (const Value& operand : operands) flatten(operand, leaves);
    const std::string& opcode = hlo.opcode();
    if (opcode == "constant") return constant(hlo, scope, out);
    if (opcode == "tuple") return scope[hlo.id()] = {.elements = operands, .isTuple = true}, true;
    if (opcode == "copy" && operands.size() == 1) return scope[hlo.id()] = operands[0], true;
    if (opcode == "get-tuple-element") return element(hlo, operands, scope);
    if (opcode == "while") return loop(hlo, leaves, scope, out);
    if (opcode == "conditional") return conditional(hlo, operands, scope, out);
    if (opcode == "call") return call(hlo, leaves, scope, out);
    const ExportRow* row = findExport(opcode);
    if (row == nullptr) return fail(hlo, opcode + " has no counterpart in StableHLO");
    std::string attributes, error, regions;
    if (row->attributes != nullptr) {
      const auto text = row->attributes(hlo, error);
      if (!text) return fail(hlo, error + " has no counterpart in StableHLO");
      attributes = *text;
    }
    for (int n = 0; n < row->regions; ++n) {
      const Computation* computation = called(hlo, n);
      if (n > 0) regions += ", ";
      if (computation == nullptr || !region(*computation, regions)) return false;
    }
    return write(hlo, row->operation, leaves, regions, attributes, scope, out);
  }

  bool constant(const Instruction& hlo, Scope& scope, std::string& out) {
    // A constant whose values were not printed has no literal.
    const auto text = hlo.has_literal() ? literalText(hlo.literal())
                                        : std::optional<std::string>("dense_resource<__elided__>");
    const auto type = typeText(hlo.shape());
    if (!text || !type) return fail(hlo, "is a constant StableHLO does not have");
    return write(hlo, "stablehlo.constant", {}, "", "value = " + *text + " : " + *type, scope, out);
  }

  bool element(const Instruction& hlo, const std::vector<Value>& operands, Scope& scope) {
    const bool fits = operands.size() == 1 && operands[0].isTuple && hlo.tuple_index() >= 0 &&
                      hlo.tuple_index() < static_cast<int64_t>(operands[0].elements.size());
    if (!fits) return fail(hlo, "takes an element its tuple does not have");
    scope[hlo.id()] = operands[0].elements[static_cast<size_t>(hlo.tuple_index())];
    return true;
  }

  bool loop(const Instruction& hlo, const std::vector<Value>& leaves, Scope& scope, std::string& out) {
    const Computation *bodyOf = called(hlo, 0), *condition = called(hlo, 1);
    std::string regions;
    if (bodyOf == nullptr || condition == nullptr || !region(*condition, regions)) return false;
    regions += ", ";
    return region(*bodyOf, regions) && write(hlo, "stablehlo.while", leaves, regions, "", scope, out);
  }

  // Branches of StableHLO have no arguments: they see what the branches' parameters stand for.
  bool conditional(const Instruction& hlo, const std::vector<Value>& operands, Scope& scope,
                   std::string& out) {
    if (operands.empty() || static_cast<int>(operands.size()) != hlo.called_computation_ids_size() + 1)
      return fail(hlo, "has not one operand for each branch");
    std::string regions;
    for (int n = 0; n < hlo.called_computation_ids_size(); ++n) {
      const Computation* branch = called(hlo, n);
      if (branch == nullptr) return false;
      regions += n == 0 ? "{\n" : ", {\n";
      if (!body(*branch, {operands[static_cast<size_t>(n) + 1]}, "stablehlo.return", regions)) return false;
      regions += "    }";
    }
    const bool isIf = operands[0].type == "tensor<i1>";
    return write(hlo, isIf ? "stablehlo.if" : "stablehlo.case", {operands[0]}, regions, "", scope, out);
  }

  bool call(const Instruction& hlo, const std::vector<Value>& leaves, Scope& scope, std::string& out) {
    const Computation* computation = called(hlo, 0);
    if (computation == nullptr || !function(computation->id(), functions_)) return false;
    return write(hlo, "func.call", leaves, "", "callee = @" + symbolName(computation->name()), scope, out);
  }

  // Attributes of argument `n` of the entry, leaves counted.
  bool argumentAttributes(const Instruction& parameter, std::string& attributes) {
    if (!shardings(parameter, attributes)) return false;
    const auto add = [&](const std::string& text) { attributes += (attributes.empty() ? "" : ", ") + text; };
    for (const auto& alias : module_.input_output_alias().entries()) {
      if (alias.parameter_number() != parameter.parameter_number() || alias.parameter_shape_index_size() > 0)
        continue;
      add("tf.aliasing_output = " +
          std::to_string(alias.output_shape_index_size() > 0 ? alias.output_shape_index(0) : 0) + " : i32");
    }
    for (const auto& donor : module_.buffer_donor().entries()) {
      if (donor.parameter_number() == parameter.parameter_number() && donor.parameter_shape_index_size() == 0)
        add("jax.buffer_donor = true");
    }
    return true;
  }

  // Writes a function once, after those it calls.
  bool function(int64_t id, std::string& out) {
    const auto found = computations_.find(id);
    if (found == computations_.end()) return error_ = "the module has no entry computation", false;
    const Computation& computation = *found->second;
    const bool isEntry = id == module_.entry_computation_id();
    if (!written_.insert(id).second) return true;
    std::vector<Value> parameters;
    if (!argumentsOf(computation, parameters)) return false;
    std::string arguments, text;
    for (const auto& [number, hlo] : parametersOf(computation)) {
      std::string attributes;
      if (isEntry && !argumentAttributes(*hlo, attributes)) return false;
      std::vector<Value> leaves;
      flatten(parameters[static_cast<size_t>(number)], leaves);
      for (const Value& leaf : leaves)
        arguments += (arguments.empty() ? "" : ", ") + leaf.name + ": " + leaf.type +
                     (attributes.empty() || leaves.size() > 1 ? "" : " {" + attributes + "}") +
                     location(*hlo);
    }
    if (!body(computation, parameters, "func.return", text)) return false;
    std::vector<Value> results;
    for (const Instruction& hlo : computation.instructions()) {
      Value value;
      if (hlo.id() != computation.root_id()) continue;
      if (!named(hlo, "%r", value)) return false;
      flatten(value, results);
    }
    const std::string name = isEntry ? "main" : symbolName(computation.name());
    const std::string made = std::string("  func.func ") + (isEntry ? "public" : "private") + " @" + name +
                             "(" + arguments + ") -> (" + joined(results, &Value::type) + ") {\n" + text +
                             "  }\n";
    out = isEntry ? made + functions_ : out + made;
    return true;
  }

  const pb::HloModuleProto& module_;
  std::map<int64_t, const Computation*> computations_;
  std::set<int64_t> written_;
  std::string functions_, error_;
  int64_t names_ = 0;
  int depth_ = 0;
};

}  // namespace

ExportResult exportStablehlo(const pb::HloModuleProto& module) { return Exporter(module).run(); }

}  // namespace hilo::stablehlo
