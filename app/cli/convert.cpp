#include "core/workspace/open/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/argument_shapes.h"
#include "app/cli/command.h"
#include "app/cli/report.h"
#include "app/cli/written_module.h"
#include "core/workspace/document/document.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/runs.h"

namespace hilo::cli {
namespace {

struct Options {
  std::string input;
  std::string output = "-";
  std::string to, argumentShapes;
  std::vector<std::string> arguments;  // one file, or one a device
  std::string note;
  bool gzip = false;
  bool metadata = true, largeConstants = false, operandShapes = false;
  CLI::Option *metadataGiven = nullptr, *largeConstantsGiven = nullptr, *operandShapesGiven = nullptr;
};

// The module's note goes into the document that was just written.
Status keepNote(const std::string& path, const Module& module, const std::string& note) {
  TRY(const auto store, RunStore::open(path));
  return store->setNote(moduleHash(module), std::string(module.name()), note);
}

Result<HiloDocument> documentOf(const Options& options) {
  const std::string& input = options.input;
  TRY(PathContent content, openPath(input));
  const bool isRefined = !options.argumentShapes.empty();
  if (std::holds_alternative<DocumentFile>(content) && !isRefined) {
    TRY(HiloDocument document, readDocument(input));
    // All of it is written anew: the numbers are of the input, and its arguments may be replaced.
    for (DocumentItem& item : document.items) item.storedId = 0;
    for (DocumentSeries& series : document.series) series.storedId = 0;
    return document;
  }
  TRY(OpenedItem opened, itemOf(std::move(content)));
  if (const auto* file = std::get_if<std::shared_ptr<const OpenedFile>>(&opened);
      file != nullptr && isRefined) {
    TRY(opened, refinedOf(*file, options.argumentShapes));
  }
  HiloDocument document;
  document.items.push_back({.title = std::filesystem::path(input).filename().string(),
                            .sourcePath = input,
                            .opened = std::move(opened)});
  return document;
}

// One list a device.
Result<std::vector<std::vector<Literal>>> readArguments(const Module& module,
                                                        const std::vector<std::string>& paths) {
  const ArgumentSource files{
      .kind = ArgumentSource::Kind::File, .path = paths[0], .otherPaths = {paths.begin() + 1, paths.end()}};
  TRY(ArgumentSource source, settleArguments(module, files));
  std::vector<std::vector<Literal>> lists = {std::move(source.given)};
  std::ranges::move(source.otherGiven, std::back_inserter(lists));
  return lists;
}

Status writeDocument(const Options& options) {
  TRY(HiloDocument document, documentOf(options));
  const auto* file = std::get_if<std::shared_ptr<const OpenedFile>>(&document.items.front().opened);
  if (file == nullptr && !(options.arguments.empty() && options.note.empty()))
    return fail("not-a-module", "arguments and notes go with a module, and this is a dump");
  if (!options.arguments.empty()) {
    TRY(document.items.front().arguments, readArguments(*(*file)->module, options.arguments));
  }
  TRY(const SavedDocument saved, saveDocument(options.output, document));
  printWarnings(saved.leftOut);
  return options.note.empty() ? Status() : keepNote(options.output, *(*file)->module, options.note);
}

// Arguments and a note are kept or refused, never dropped.
Status checkHeld(const Options& options, OutputKind kind) {
  const auto name = std::ranges::find(outputKinds(), kind, &OutputKindInfo::kind)->name;
  if (!options.note.empty())
    return fail("not-convertible", fmt::format("a note cannot be kept in a {}", name), {},
                {"a .hilo document holds one"});
  if (!options.arguments.empty() && !holdsArguments(kind))
    return fail("not-convertible", fmt::format("arguments cannot be kept in a {}", name), {},
                {"the snapshot kinds and a .hilo document hold them"});
  return {};
}

// The file with the arguments of --args, where there are some, in place of its own.
Result<std::shared_ptr<const OpenedFile>> withArguments(std::shared_ptr<const OpenedFile> file,
                                                        const Options& options) {
  if (options.arguments.empty()) return file;
  auto copy = std::make_shared<OpenedFile>(*file);
  TRY(copy->arguments, readArguments(*file->module, options.arguments));
  copy->result.reset();  // it is of the snapshot's own arguments
  return copy;
}

int run(const Options& options) {
  if (options.to.empty() && options.output.ends_with(".hilo")) {
    const Status written = writeDocument(options);
    if (!written) printError(written.error());
    return written ? kOk : kNo;
  }
  const auto kind = outputKindFor(options.to, options.output);
  if (!kind) {
    printError(kind.error());
    return kUsage;
  }
  if (const Status held = checkHeld(options, *kind); !held) {
    printError(held.error());
    return kNo;
  }
  const auto opened = openRefined(options.input, options.argumentShapes);
  if (!opened) return kNo;
  const auto file = withArguments(*opened, options);
  if (!file) {
    printError(file.error());
    return kNo;
  }
  ConvertOptions convert{.kind = *kind, .gzip = options.gzip || options.output.ends_with(".gz")};
  if (options.metadataGiven->count() > 0) convert.metadata = options.metadata;
  const bool givenLarge = options.largeConstantsGiven->count() > 0;
  convert.largeConstants =
      givenLarge ? std::optional(options.largeConstants) : largeConstantsOn(options.output, *kind);
  if (options.operandShapesGiven->count() > 0) convert.operandShapes = options.operandShapes;
  const auto bytes = convertModule(**file, convert);
  if (!bytes) {
    printError(bytes.error());
    return kNo;
  }
  const Status written = writeOutput(options.output, *bytes);
  if (!written) {
    printError(written.error());
    return kNo;
  }
  if (!givenLarge) noteElided(options.output, *kind, *bytes);
  return kOk;
}

std::string kindsHelp() {
  std::string text = "\nKinds of output:\n";
  Table table({Table::Align::Left, Table::Align::Left, Table::Align::Left});
  for (const OutputKindInfo& info : outputKinds()) {
    table.add({std::string(info.name), std::string(info.extension), std::string(info.what)});
  }
  return text + table.text(2);
}

}  // namespace

void addConvert(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("convert", "Write a module in another form");
  command
      ->add_option("IN", options->input,
                   "HLO text or protobuf, gzip or not, or a .hilo document; - reads standard input")
      ->required();
  command->add_option("-o,--output", options->output, "Where to; - is standard output")
      ->capture_default_str();
  command->add_option("--to", options->to, "What to write; told by the ending of -o where this is left out");
  addArgumentShapes(*command, options->argumentShapes);
  command
      ->add_option("--args", options->arguments,
                   "Arguments to keep in a snapshot or a .hilo document: a .npz or .npy file; several, with "
                   "commas, are one a device")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--note", options->note, "A note to keep in a .hilo document");
  command->add_flag("--gzip", options->gzip, "Compress; a name that ends in .gz does so by itself");
  options->metadataGiven =
      command->add_flag("--metadata,!--no-metadata", options->metadata, "Print metadata={...} or not");
  options->largeConstantsGiven =
      command->add_flag("--large-constants,!--no-large-constants", options->largeConstants,
                        "Print constants of more than 10 elements in full, or as {...}");
  options->operandShapesGiven =
      command->add_flag("--operand-shapes,!--no-operand-shapes", options->operandShapes,
                        "Print the shape before each operand, or not");
  command->footer(kindsHelp() + R"(
A name that ends in .hilo gets a document, which may hold a whole dump directory: the modules themselves, arguments,
and what the studio keeps about them. Every command reads F.hilo as its first module and F.hilo#2 as its second.

A dump that XLA printed comes back byte for byte: hilo convert X -o -  gives X.

Exit status: 0 written, 1 the input cannot be read or the form cannot hold it, 2 wrong usage.

Examples:
  hilo convert module.hlo.pb                       print a protobuf as HLO text
  hilo convert module.hlo -o module.pb.gz          text to a compressed HloModuleProto
  hilo convert module.hlo --to short --no-metadata
  hilo convert polymorphic.mlir --argument-shapes 4,f32[4,2]    the module it is for these arguments
  hilo convert xla_dump/ -o report.hilo            a whole dump in one file
  hilo convert module.hlo --args inputs.npz -o module.snapshot.pb    module and arguments for other tools
  hilo convert module.hlo --args inputs.npz --note "differs on one device" -o report.hilo
  hilo convert a.hlo --to canonical | diff - <(hilo convert b.hlo --to canonical))");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
