// Loading plug-ins: the example works end to end, wrong ones are refused by name.
#include "core/plugin_host/plugin_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/plugin_host/plugin_format.h"
#include "core/workspace/open/opened.h"

namespace hilo {
namespace {

using testing::HasSubstr;

const std::string kPlugins = HILO_TEST_PLUGINS;

std::string refusalOf(const std::string& file) {
  const PluginLibrary library = loadPlugin(kPlugins + "/refused/" + file);
  EXPECT_EQ(library.plugin, nullptr);
  return library.refused ? library.refused->kind + ": " + library.refused->message : "";
}

class PluginTable : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("HILO_PLUGIN_PATH", (kPlugins + "/example:" + kPlugins + "/none").c_str(), 1);
  }
};

TEST_F(PluginTable, LoadsTheExamples) {
  const auto pluginOf = [](std::string_view name) -> const HiloPlugin* {
    for (const PluginLibrary& library : pluginLibraries()) {
      if (library.plugin != nullptr && library.plugin->name == name) return library.plugin;
    }
    return nullptr;
  };
  EXPECT_EQ(pluginLibraries().size(), 2u);
  const HiloPlugin *reader = pluginOf("example"), *kernels = pluginOf("scaled-add");
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->format_count, 1u);
  ASSERT_NE(kernels, nullptr);
  EXPECT_EQ(kernels->format_count, 0u);
}

TEST_F(PluginTable, RefusesByName) {
  EXPECT_THAT(refusalOf("hilo_wrong_version_plugin.so"), HasSubstr("plugin-version: "));
  EXPECT_THAT(refusalOf("hilo_wrong_version_plugin.so"), HasSubstr("interface 8, this program has 1"));
  EXPECT_THAT(refusalOf("hilo_small_struct_plugin.so"), HasSubstr("plugin-malformed: "));
  EXPECT_THAT(refusalOf("hilo_no_entry_plugin.so"), HasSubstr("exports no hilo_plugin()"));
  EXPECT_THAT(refusalOf("missing.so"), HasSubstr("plugin-not-loadable: "));
}

TEST_F(PluginTable, ReadsThroughTheExample) {
  const auto file = openBytes("constant 2.5\n", "two.txt");
  ASSERT_TRUE(file.has_value()) << toString(file.error());
  EXPECT_EQ((*file)->kind, "one constant");
  const Instruction* root = (*file)->module->entry()->root();
  ASSERT_EQ(root->opcode(), Opcode::Constant);
  EXPECT_EQ(*reinterpret_cast<const float*>(root->literal().bytes().data()), 2.5f);
}

TEST_F(PluginTable, GivesThePluginsErrorAPlace) {
  const auto file = openBytes("constant two\n", "two.txt");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(toString(file.error()), "two.txt:1:10: error: syntax-error: expected a number");
}

TEST_F(PluginTable, SaysWhichPluginIsMissing) {
  const auto file = openBytes("module @m {\n}\n", "x");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().kind, "unknown-file-kind");
  EXPECT_THAT(file.error().notes.back(), HasSubstr("the stablehlo plug-in reads it"));
}

}  // namespace
}  // namespace hilo
