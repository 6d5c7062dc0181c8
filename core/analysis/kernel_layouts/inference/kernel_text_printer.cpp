#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/kernel_layouts/inference/kernel_attribute_text.h"
#include "core/analysis/kernel_layouts/inference/kernel_text.h"

namespace hilo::inference {
namespace {

class Printer {
 public:
  explicit Printer(const KernelDescription& kernel) : kernel_(kernel) {}

  std::string print() {
    text_ = fmt::format("kernel sm_{}0\n", kernel_.smMajor);
    for (OpId op : kernel_.body) printOp(kernel_.ops[op], "");
    return std::move(text_);
  }

 private:
  std::string names(const std::vector<ValueId>& values) const {
    std::vector<std::string_view> all;
    for (ValueId value : values) all.push_back(kernel_.values[value].name);
    return fmt::format("{}", fmt::join(all, ", "));
  }

  std::string types(const std::vector<ValueId>& values) const {
    std::vector<std::string> all;
    for (ValueId value : values) all.push_back(toString(kernel_.type(value)));
    return fmt::format("{}", fmt::join(all, ", "));
  }

  void printOp(const KernelOp& op, const std::string& indent) {
    text_ += indent;
    if (!op.results.empty()) text_ += names(op.results) + " = ";
    text_ += op.opcode;
    if (!op.operands.empty()) text_ += " " + names(op.operands);
    std::vector<std::string> attributes;
    for (const auto& [name, value] : op.attributes)
      attributes.push_back(name + " = " + attributeText(name, value));
    if (!attributes.empty()) text_ += fmt::format(" {{{}}}", fmt::join(attributes, ", "));
    if (!op.results.empty()) text_ += " : " + types(op.results);
    for (size_t i = 0; i < op.regions.size(); ++i) {
      text_ += i == 0 ? " {\n" : indent + "} {\n";
      printRegion(op.regions[i], indent + "  ");
    }
    text_ += op.regions.empty() ? "\n" : indent + "}\n";
  }

  void printRegion(const KernelRegion& region, const std::string& indent) {
    std::vector<std::string> arguments;
    for (ValueId value : region.arguments)
      arguments.push_back(kernel_.values[value].name + ": " + toString(kernel_.type(value)));
    if (!arguments.empty()) text_ += fmt::format("{}^({})\n", indent, fmt::join(arguments, ", "));
    for (OpId op : region.ops) printOp(kernel_.ops[op], indent);
  }

  const KernelDescription& kernel_;
  std::string text_;
};

}  // namespace

std::string printKernel(const KernelDescription& kernel) { return Printer(kernel).print(); }

}  // namespace hilo::inference
