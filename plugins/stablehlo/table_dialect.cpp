#include "plugins/stablehlo/table_dialect.h"

#include <mlir/Bytecode/BytecodeImplementation.h>
#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/DialectImplementation.h>
#include <mlir/IR/OpImplementation.h>

#include "plugins/stablehlo/assembly.h"
#include "plugins/stablehlo/attribute_syntax.h"
#include "plugins/stablehlo/vhlo.h"
#include "plugins/stablehlo/vhlo_text.h"

namespace hilo::stablehlo {
namespace {

using llvm::StringRef;
using mlir::Attribute;
using mlir::OpaqueProperties;
using mlir::Operation;
using mlir::OperationName;

Attribute& propertiesOf(OpaqueProperties properties) { return *properties.as<Attribute*>(); }

mlir::DictionaryAttr propertiesOf(Operation* op) {
  return llvm::dyn_cast_or_null<mlir::DictionaryAttr>(propertiesOf(op->getPropertiesStorage()));
}

// VHLO is written in the generic form, but for its functions.
constexpr OpRow kVhloRow{"vhlo", nullptr, ""};
constexpr OpRow kVhloFunction{"func", nullptr, "", Form::VhloFunction};

// An operation whose only knowledge is its row.
class TableOp final : public OperationName::Impl {
 public:
  TableOp(llvm::StringRef name, const OpRow& row, mlir::Dialect* dialect, mlir::TypeID id)
      : Impl((dialect->getNamespace() + "." + name).str(), dialect, id, mlir::detail::InterfaceMap()),
        row_(row),
        isTerminator_(name == "return" || name == "return_v1") {}

  OperationName::ParseAssemblyFn getParseAssemblyFn() override {
    return [this](mlir::OpAsmParser& parser, mlir::OperationState& state) {
      return parseOp(row_, parser, state);
    };
  }
  void printAssembly(Operation* op, mlir::OpAsmPrinter& printer, StringRef) override {
    printer.printGenericOp(op, /*printOpName=*/true);
  }
  bool hasTrait(mlir::TypeID trait) override {
    return isTerminator_ && trait == mlir::TypeID::get<mlir::OpTrait::IsTerminator>();
  }
  mlir::LogicalResult foldHook(Operation*, llvm::ArrayRef<Attribute>,
                               llvm::SmallVectorImpl<mlir::OpFoldResult>&) override {
    return mlir::failure();
  }
  void getCanonicalizationPatterns(mlir::RewritePatternSet&, mlir::MLIRContext*) override {}
  void populateDefaultAttrs(const OperationName&, mlir::NamedAttrList&) override {}
  mlir::LogicalResult verifyInvariants(Operation*) override { return mlir::success(); }
  mlir::LogicalResult verifyRegionInvariants(Operation*) override { return mlir::success(); }

  std::optional<Attribute> getInherentAttr(Operation* op, StringRef name) override {
    if (const auto properties = propertiesOf(op)) {
      if (Attribute found = properties.get(name)) return found;
    }
    return std::nullopt;
  }
  void setInherentAttr(Operation* op, mlir::StringAttr name, Attribute value) override {
    mlir::NamedAttrList list(propertiesOf(op));
    list.set(name, value);
    propertiesOf(op->getPropertiesStorage()) = list.getDictionary(op->getContext());
  }
  void populateInherentAttrs(Operation* op, mlir::NamedAttrList& attributes) override {
    if (const auto properties = propertiesOf(op)) attributes.append(properties.getValue());
  }
  mlir::LogicalResult verifyInherentAttrs(OperationName, mlir::NamedAttrList&,
                                          llvm::function_ref<mlir::InFlightDiagnostic()>) override {
    return mlir::success();
  }
  int getOpPropertyByteSize() override { return sizeof(Attribute); }
  void initProperties(OperationName, OpaqueProperties storage, OpaqueProperties init) override {
    new (storage.as<Attribute*>()) Attribute(init ? propertiesOf(init) : Attribute());
  }
  void deleteProperties(OpaqueProperties) override {}
  void populateDefaultProperties(OperationName, OpaqueProperties) override {}
  mlir::LogicalResult setPropertiesFromAttr(OperationName, OpaqueProperties properties, Attribute attribute,
                                            llvm::function_ref<mlir::InFlightDiagnostic()> error) override {
    if (!llvm::isa<mlir::DictionaryAttr>(attribute)) return error() << "expected a dictionary of properties";
    propertiesOf(properties) = attribute;
    return mlir::success();
  }
  Attribute getPropertiesAsAttr(Operation* op) override { return propertiesOf(op->getPropertiesStorage()); }
  void copyProperties(OpaqueProperties to, OpaqueProperties from) override {
    propertiesOf(to) = propertiesOf(from);
  }
  bool compareProperties(OpaqueProperties a, OpaqueProperties b) override {
    return propertiesOf(a) == propertiesOf(b);
  }
  llvm::hash_code hashProperties(OpaqueProperties properties) override {
    return llvm::hash_value(propertiesOf(properties).getAsOpaquePointer());
  }

 private:
  const OpRow& row_;
  const bool isTerminator_;
};

class TableDialect : public mlir::Dialect {
 public:
  TableDialect(StringRef name, mlir::MLIRContext* context, mlir::TypeID id) : Dialect(name, context, id) {
    allowUnknownOperations(false);
    for (const OpRow& row : opTable(name))
      mlir::RegisteredOperationName::insert(std::make_unique<TableOp>(row.name, row, this, ids_.allocate()),
                                            {});
  }
  Attribute parseAttribute(mlir::DialectAsmParser& parser, mlir::Type) const override {
    return parseDialectAttribute(parser);
  }
  mlir::Type parseType(mlir::DialectAsmParser& parser) const override {
    return parseDialectType(parser, getNamespace());
  }

 protected:
  mlir::TypeIDAllocator ids_;
};

}  // namespace

// A class a dialect: MLIR tells dialects apart by their C++ types.
#define HILO_DIALECT(Class, name)                                                                           \
  class Class final : public TableDialect {                                                                 \
   public:                                                                                                  \
    static constexpr llvm::StringLiteral getDialectNamespace() { return name; }                             \
    explicit Class(mlir::MLIRContext* context) : TableDialect(name, context, mlir::TypeID::get<Class>()) {} \
  };
HILO_DIALECT(StablehloDialect, "stablehlo")
HILO_DIALECT(MhloDialect, "mhlo")
HILO_DIALECT(ChloDialect, "chlo")
HILO_DIALECT(CheckDialect, "check")
HILO_DIALECT(InterpreterDialect, "interpreter")
#undef HILO_DIALECT

// Shardy's attributes stay text: XLA carries them as text too.
class ShardyDialect final : public TableDialect {
 public:
  static constexpr llvm::StringLiteral getDialectNamespace() { return "sdy"; }
  explicit ShardyDialect(mlir::MLIRContext* context)
      : TableDialect("sdy", context, mlir::TypeID::get<ShardyDialect>()) {}
  Attribute parseAttribute(mlir::DialectAsmParser& parser, mlir::Type) const override {
    return parser.getBuilder().getStringAttr("#sdy." + parser.getFullSymbolSpec());
  }
};

class VhloDialect final : public TableDialect {
 public:
  static constexpr llvm::StringLiteral getDialectNamespace() { return "vhlo"; }
  explicit VhloDialect(mlir::MLIRContext* context)
      : TableDialect("vhlo", context, mlir::TypeID::get<VhloDialect>()) {
    for (const VhloOp& op : vhloOps()) {
      const bool isFunction = StringRef(op.name) == "func_v1";
      auto made =
          std::make_unique<TableOp>(op.name, isFunction ? kVhloFunction : kVhloRow, this, ids_.allocate());
      addVhloProperties(made->getInterfaceMap());
      mlir::RegisteredOperationName::insert(std::move(made), {});
    }
    addVhloBytecode(*this);
  }
  Attribute parseAttribute(mlir::DialectAsmParser& parser, mlir::Type) const override {
    return parseVhloAttribute(parser);
  }
  mlir::Type parseType(mlir::DialectAsmParser& parser) const override { return parseVhloType(parser); }
};

void registerDialects(mlir::DialectRegistry& registry) {
  registry.insert<StablehloDialect, MhloDialect, ChloDialect, CheckDialect, InterpreterDialect, ShardyDialect,
                  VhloDialect>();
}

}  // namespace hilo::stablehlo
