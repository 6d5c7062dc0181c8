#include "core/workspace/store/store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <thread>

namespace hilo {
namespace {

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("hilo_store_" + std::to_string(::getpid()) +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    path_ = (folder_ / "deep" / "runs.sqlite").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::unique_ptr<RunStore> opened() {
    auto store = RunStore::open(path_);
    EXPECT_TRUE(store) << toString(store.error());
    return store ? std::move(*store) : nullptr;
  }
  std::filesystem::path folder_;
  std::string path_;
};

RunRecord sample(uint64_t hash = 0xfedcba9876543210u) {
  RunRecord run;
  run.moduleName = "jit_f";
  run.moduleHash = hash;
  run.engine = "reference";
  run.argumentsDescription = "seed 7";
  run.label = "before";
  run.machine = "test machine";
  run.startedAt = "2020-01-02T03:04:05Z";
  run.timings.samplesNs = {30, 10, 20};
  run.compileNs = 5;
  run.outputDigest = 42;
  Literal vector(Shape::array(ElementType::F32, {2}));
  vector.mutableData<float>()[1] = 1.5f;
  run.output = Literal::tuple({vector, Literal::scalar<int8_t>(ElementType::S4, -3)});
  run.version = "0.1";
  run.warmUps = 2;
  run.resultNames = {"loss", "grads.1"};
  run.thunkTimes = {{.name = "dot.1",
                     .kind = "dot",
                     .instruction = 7,
                     .sequence = 1,
                     .thunk = 3,
                     .times = 12,
                     .totalNs = 345}};
  run.notes = {"filled", "quote ' and \" and \xff"};
  return run;
}

TEST_F(StoreTest, KeepsARunWhole) {
  RunId id;
  {
    auto store = opened();
    const auto added = store->add(sample());
    ASSERT_TRUE(added);
    id = *added;
  }
  const auto run = opened()->get(id);
  ASSERT_TRUE(run) << toString(run.error());
  EXPECT_EQ(run->id, id);
  EXPECT_EQ(run->moduleName, "jit_f");
  EXPECT_EQ(run->moduleHash, 0xfedcba9876543210u);
  EXPECT_EQ(run->label, "before");
  EXPECT_EQ(run->timings.samplesNs, (std::vector<int64_t>{30, 10, 20}));
  EXPECT_EQ(run->outputDigest, 42u);
  ASSERT_TRUE(run->output);
  EXPECT_EQ(*run->output, *sample().output);
  EXPECT_EQ(run->notes[0], "filled");
  EXPECT_EQ(run->version, "0.1");
  EXPECT_EQ(run->warmUps, 2);
  EXPECT_EQ(run->resultNames, (std::vector<std::string>{"loss", "grads.1"}));
  ASSERT_EQ(run->thunkTimes.size(), 1u);
  EXPECT_EQ(run->thunkTimes[0].name, "dot.1");
  EXPECT_EQ(run->thunkTimes[0].kind, "dot");
  EXPECT_EQ(run->thunkTimes[0].thunk, 3u);
  EXPECT_EQ(run->thunkTimes[0].totalNs, 345);
  EXPECT_TRUE(opened()->list()->front().thunkTimes.empty());
}

TEST_F(StoreTest, ListsNewestFirstAndByModule) {
  auto store = opened();
  const auto first = store->add(sample(1)), second = store->add(sample(2)), third = store->add(sample(1));
  const auto all = store->list();
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[0].id, *third);
  EXPECT_FALSE((*all)[0].output);
  const auto ofOne = store->listOfModule(1);
  ASSERT_EQ(ofOne->size(), 2u);
  EXPECT_EQ((*ofOne)[1].id, *first);
  EXPECT_EQ(store->list(1)->size(), 1u);
  ASSERT_TRUE(store->remove(*second));
  EXPECT_EQ(store->get(*second).error().kind, "no-such-run");
  EXPECT_EQ(store->remove(*second).error().kind, "no-such-run");
  ASSERT_TRUE(store->setNotes(*first, {"kept"}));
  EXPECT_EQ(store->get(*first)->notes, std::vector<std::string>{"kept"});
}

TEST_F(StoreTest, LargeOutputsAreKeptByDigestAlone) {
  auto store = opened();
  RunRecord run = sample();
  run.output =
      Literal(Shape::array(ElementType::U8, {static_cast<int64_t>(RunStore::kOutputLimitBytes) + 1}));
  const auto kept = store->get(*store->add(run));
  EXPECT_FALSE(kept->output);
  EXPECT_EQ(kept->notes.back(), "output over 64 MiB: only its digest is kept");
}

TEST_F(StoreTest, TwoUsersOfOneFileBothWrite) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([this] {
      auto store = opened();
      ASSERT_NE(store, nullptr);
      for (int n = 0; n < 25; ++n) ASSERT_TRUE(store->add(sample()));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(opened()->list()->size(), 50u);
}

TEST_F(StoreTest, BookmarksAreKeptByModuleAndNameInTheOrderTheyWereMade) {
  const Bookmark dot{7, "jit_f", "dot.1", "too slow"}, add{7, "jit_f", "add", ""},
      other{8, "jit_g", "dot.1", ""};
  for (const Bookmark& bookmark : {dot, add, other}) ASSERT_TRUE(opened()->keep(bookmark));
  auto store = opened();
  EXPECT_EQ(*store->bookmarksOf(7), (std::vector<Bookmark>{dot, add}));
  EXPECT_EQ(*store->bookmarksOf(9), std::vector<Bookmark>{});
  // Kept again: another note, the same place.
  Bookmark changed = dot;
  changed.note = "quote ' and \n";
  ASSERT_TRUE(store->keep(changed));
  EXPECT_EQ(*store->bookmarksOf(7), (std::vector<Bookmark>{changed, add}));
  ASSERT_TRUE(store->removeBookmark(7, "dot.1"));
  EXPECT_EQ(*store->bookmarksOf(7), std::vector<Bookmark>{add});
  EXPECT_EQ(store->removeBookmark(7, "dot.1").error().kind, "no-such-bookmark");
  EXPECT_EQ(*store->bookmarksOf(8), std::vector<Bookmark>{other});
}

TEST_F(StoreTest, ScenariosAreKeptByModuleAndName) {
  auto store = opened();
  const KeptScenario a{"late", R"({"preset": "gpu"})"}, b{"early", R"({"preset": "best"})"};
  ASSERT_TRUE(store->keepScenario(7, a));
  ASSERT_TRUE(store->keepScenario(7, b));
  ASSERT_TRUE(store->keepScenario(8, a));
  EXPECT_EQ(*store->scenariosOf(7), (std::vector<KeptScenario>{b, a}));
  const KeptScenario again{"late", "{}"};
  ASSERT_TRUE(store->keepScenario(7, again));
  EXPECT_EQ(*store->scenariosOf(7), (std::vector<KeptScenario>{b, again}));
  ASSERT_TRUE(store->removeScenario(7, "early"));
  EXPECT_EQ(*store->scenariosOf(7), std::vector<KeptScenario>{again});
  EXPECT_EQ(store->removeScenario(7, "early").error().kind, "no-such-scenario");
}

// A store as the first version made it, with one run.
constexpr const char* kFirstVersion = R"(
CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, module_name TEXT NOT NULL, module_hash INTEGER NOT NULL,
  engine TEXT NOT NULL, arguments TEXT NOT NULL, label TEXT NOT NULL, flags TEXT NOT NULL, machine TEXT NOT NULL,
  started_at TEXT NOT NULL, compile_ns INTEGER NOT NULL, samples_ns TEXT NOT NULL, output_digest INTEGER NOT NULL,
  output BLOB, notes TEXT NOT NULL);
INSERT INTO run VALUES (1, 'old', 5, 'reference', 'seed 0', '', '', '', '', 0, '[7]', 9, NULL, '["n"]');
PRAGMA user_version = 1;)";

TEST_F(StoreTest, AnOlderSchemaIsBroughtUpToDate) {
  std::filesystem::create_directories(folder_ / "deep");
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, kFirstVersion, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
  auto store = opened();
  const auto old = store->list();
  ASSERT_EQ(old->size(), 1u);
  EXPECT_EQ((*old)[0].moduleName, "old");
  EXPECT_EQ((*old)[0].devices, 1);
  EXPECT_EQ((*old)[0].notes, std::vector<std::string>{"n"});
  RunRecord run = sample();
  run.devices = 4;
  EXPECT_EQ(store->get(*store->add(run))->devices, 4);
  ASSERT_TRUE(store->keep({5, "old", "dot", "note"}));
  EXPECT_EQ(store->bookmarksOf(5)->size(), 1u);
}

TEST_F(StoreTest, ANewerSchemaIsRefusedUntouched) {
  opened();
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
  sqlite3_exec(handle, "PRAGMA user_version = 99", nullptr, nullptr, nullptr);
  sqlite3_close(handle);
  const auto store = RunStore::open(path_);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, "store-too-new");
}

TEST_F(StoreTest, AnotherFileIsRefused) {
  std::filesystem::create_directories(folder_ / "deep");
  std::FILE* file = std::fopen(path_.c_str(), "w");
  std::fputs("this is no database, whatever its name says; it is long enough to be read as one", file);
  std::fclose(file);
  EXPECT_EQ(RunStore::open(path_).error().kind, "store-failed");
}

}  // namespace
}  // namespace hilo
