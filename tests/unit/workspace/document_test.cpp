#include "core/workspace/document/document.h"

#include <fstream>

#include "core/workspace/open/convert.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/path/open_path.h"
#include "tests/unit/workspace/document_fixture.h"

namespace hilo {
namespace {

TEST_F(DocumentTest, ModulesComeBackAsTheyWereRead) {
  HiloDocument document;
  document.items.push_back(itemOf(kAddModule, "add.hlo"));
  const auto proto = convertModule(fileOf(document.items[0]), {.kind = OutputKind::HloProto});
  ASSERT_TRUE(proto);
  document.items.push_back(itemOf(*proto, "add.pb"));
  document.viewState = {{"selected", "sum"}};
  const auto saved = saveDocument(path_, document);
  ASSERT_TRUE(saved) << toString(saved.error());
  EXPECT_TRUE(isDocument(path_));
  EXPECT_TRUE(isDocument(path_ + "#2"));
  const auto read = readDocument(path_);
  ASSERT_TRUE(read) << toString(read.error());
  ASSERT_EQ(read->items.size(), 2u);
  EXPECT_EQ(*fileOf(read->items[0]).module->sourceText(), kAddModule);
  EXPECT_EQ(read->items[0].title, "add.hlo");
  EXPECT_EQ(read->items[0].sourcePath, "/somewhere/add.hlo");
  EXPECT_EQ(read->items[0].storedId, saved->itemIds[0]);
  EXPECT_EQ(moduleHash(*fileOf(read->items[1]).module), moduleHash(*fileOf(document.items[0]).module));
  EXPECT_EQ(read->viewState.at("selected"), "sum");
  // What opens files opens documents: the first module, or the one asked for.
  EXPECT_EQ((*openFile(path_))->path, path_);
  EXPECT_TRUE((*openFile(path_))->isText);
  EXPECT_FALSE((*openFile(path_ + "#2"))->isText);
  EXPECT_EQ(openFile(path_ + "#3").error().kind, "empty-document");
}

TEST_F(DocumentTest, ArgumentsAreThoseARunTakes) {
  HiloDocument document;
  document.items.push_back(itemOf(kAddModule, "add.hlo"));
  Literal x(Shape::array(ElementType::F32, {2}));
  x.mutableData<float>()[0] = 3;
  x.mutableData<float>()[1] = -0.5f;
  document.items[0].arguments = {{x}};
  ASSERT_TRUE(saveDocument(path_, document));
  const auto file = openFile(path_);
  ASSERT_TRUE(file) << toString(file.error());
  RunRequest request{.module = (*file)->module};
  request.arguments = {.kind = ArgumentSource::Kind::Given, .given = (*file)->arguments.at(0)};
  const auto run = execute(request, JobContext());
  ASSERT_TRUE(run) << toString(run.error());
  EXPECT_EQ(run->output->data<float>()[0], 6);
  EXPECT_EQ(run->output->data<float>()[1], -1);
}

TEST_F(DocumentTest, RunsBookmarksAndNotesOfItsModulesGoWithIt) {
  const auto store = RunStore::open(":memory:");
  HiloDocument document;
  document.items.push_back(itemOf(kAddModule, "add.hlo"));
  const auto module = fileOf(document.items[0]).module;
  const uint64_t hash = moduleHash(*module);
  const auto run = execute({.module = module}, JobContext());
  ASSERT_TRUE(run);
  ASSERT_TRUE((*store)->add(*run));
  RunRecord stranger = *run;
  stranger.moduleHash = hash + 1;
  ASSERT_TRUE((*store)->add(stranger));
  ASSERT_TRUE((*store)->keep({hash, "add_module", "sum", "wrong by one"}));
  ASSERT_TRUE((*store)->setNote(hash, "add_module", "seen on one machine"));
  ASSERT_TRUE(saveDocument(path_, document, {store->get(), {module}}));

  const auto own = RunStore::open(path_);
  ASSERT_TRUE(own) << toString(own.error());
  const auto runs = (*own)->list();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ(*(*own)->get((*runs)[0].id)->output, *run->output);
  EXPECT_EQ((*own)->bookmarksOf(hash)->at(0).note, "wrong by one");
  EXPECT_EQ(*(*own)->noteOf(hash), "seen on one machine");
  // Saving again changes nothing of them.
  ASSERT_TRUE(saveDocument(path_, *readDocument(path_), {own->get(), {module}}));
  EXPECT_EQ((*own)->list()->size(), 1u);
}

TEST_F(DocumentTest, PassesAreKeptWithWhatTheyMade) {
  const auto item = itemOf(R"(HloModule m
ENTRY %main (x: f32[2]) -> f32[2] {
  %x = f32[2]{0} parameter(0)
  %unused = f32[2]{0} negate(%x)
  ROOT %sum = f32[2]{0} add(%x, %x)
}
)",
                           "m.hlo");
  OptimizeRequest request{.module = fileOf(item).module};
  request.passes = {"dce", "constant-folding{max_steps=1000}"};
  auto series = optimize(request, JobContext());
  ASSERT_TRUE(series) << toString(series.error());
  SeriesStep lowered = series->steps.back();
  lowered.kind = StepKind::Lowering;
  lowered.made = "4 KiB temporary";
  series->steps.push_back(std::move(lowered));
  HiloDocument document{.items = {item}};
  document.series.push_back({0, 0, std::make_shared<PassSeries>(*std::move(series))});
  ASSERT_TRUE(saveDocument(path_, document));
  const auto read = readDocument(path_);
  ASSERT_TRUE(read) << toString(read.error());
  ASSERT_EQ(read->series.size(), 1u);
  const auto& steps = read->series[0].series->steps;
  const auto& before = document.series[0].series->steps;
  ASSERT_EQ(steps.size(), before.size());
  for (size_t n = 0; n < steps.size(); ++n) {
    EXPECT_EQ(steps[n].name, before[n].name);
    EXPECT_EQ(steps[n].kind, before[n].kind);
    EXPECT_EQ(steps[n].outcome, before[n].outcome);
    EXPECT_EQ(steps[n].settings, before[n].settings);
    EXPECT_EQ(steps[n].made, before[n].made);
    EXPECT_EQ((*steps[n].module())->instructionCount(), (*before[n].module())->instructionCount());
    EXPECT_EQ(steps[n].remarks.size(), before[n].remarks.size());
  }
  EXPECT_EQ((*steps.back().module())->instructionCount(), 2u);
  EXPECT_EQ(passText(steps[2].name, steps[2].settings), "constant-folding{max_steps=1000}");
}

TEST_F(DocumentTest, ADumpIsTakenWhole) {
  const auto dump = folder_ / "dump" / "host_1";
  std::filesystem::create_directories(dump);
  std::ofstream(dump / "module_0001.jit_f.before_optimizations.txt") << kAddModule;
  std::ofstream(dump / "module_0001.jit_f.after_optimizations.txt") << kAddModule;
  std::ofstream(dump / "module_0001.jit_f.after_optimizations-buffer-assignment.txt")
      << "BufferAssignment:\n";
  auto opened = openItem((folder_ / "dump").string());
  ASSERT_TRUE(opened) << toString(opened.error());
  HiloDocument document;
  document.items.push_back({.title = "dump", .sourcePath = "dump", .opened = *opened});
  ASSERT_TRUE(saveDocument(path_, document));
  std::filesystem::remove_all(folder_ / "dump");
  const auto read = openDump(path_);
  ASSERT_TRUE(read) << toString(read.error());
  const auto& before = *std::get<std::shared_ptr<const OpenedDump>>(*opened);
  ASSERT_EQ((*read)->modules.size(), 1u);
  const DumpModuleInfo& module = (*read)->modules[0];
  EXPECT_EQ(module.process, before.modules[0].process);
  ASSERT_EQ(module.stages.size(), 2u);
  EXPECT_EQ(module.stages[1].name, before.modules[0].stages[1].name);
  const auto stage = loadStage(**read, 0, 1);
  ASSERT_TRUE(stage) << toString(stage.error());
  EXPECT_EQ((*stage)->module->instructionCount(), 2u);
  for (const DumpFileInfo& file : module.files) {
    if (file.kind != "module") EXPECT_EQ(*readDumpFile(**read, file.path), "BufferAssignment:\n");
  }
}

TEST_F(DocumentTest, SavingAgainKeepsAddsAndTakesAway) {
  writeSample();
  auto document = *readDocument(path_);
  document.items.push_back(itemOf(kAddModule, "second.hlo"));
  const auto second = saveDocument(path_, document);
  ASSERT_TRUE(second) << toString(second.error());
  EXPECT_EQ(second->itemIds[0], document.items[0].storedId);
  document = *readDocument(path_);
  ASSERT_EQ(document.items.size(), 2u);
  document.items.erase(document.items.begin());
  ASSERT_TRUE(saveDocument(path_, document));
  document = *readDocument(path_);
  ASSERT_EQ(document.items.size(), 1u);
  EXPECT_EQ(document.items[0].title, "second.hlo");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1)
      << "one file, nothing beside it";
}

}  // namespace
}  // namespace hilo
