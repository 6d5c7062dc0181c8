# Settings and target functions shared by every room. A room's CMakeLists.txt is
# one or two calls of these; it holds no logic of its own.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set_property(GLOBAL PROPERTY GLOBAL_DEPENDS_NO_CYCLES ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# -fPIC everywhere: libraries, programs and the precompiled header must agree.
add_compile_options(-fPIC -Wall -Wextra -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Lets ccache see through precompiled headers, and compiles templates once, in the header.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp" -fpch-instantiate-templates)
  add_link_options(-fuse-ld=lld)
  # CMake's own flags, without the header's absolute path behind -Xclang, where ccache does not look.
  set(CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH -Xclang -emit-pch -include <PCH_HEADER> -x c++-header)
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
endif()
if(HILO_SANITIZE)
  add_compile_options(-fsanitize=${HILO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HILO_SANITIZE})
endif()
if(HILO_FUZZ)
  # Coverage counters everywhere: without them in the libraries a fuzz target mutates blindly.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(fmt REQUIRED)

# What every file of the project may use of the standard library, fmt and Abseil: the start of each precompiled header.
set(HILO_PRECOMPILED
  <algorithm> <array> <atomic> <charconv> <cmath> <cstdint> <cstring> <deque> <expected> <filesystem>
  <functional> <limits> <map> <memory> <mutex> <optional> <span> <string> <string_view> <thread>
  <tuple> <type_traits> <unordered_map> <unordered_set> <utility> <variant> <vector>
  <fmt/format.h> <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h> <absl/container/inlined_vector.h>)

# hilo_library(NAME [BELOW_IR] [SUBDIRS dir...] [DEPS target...] [PRIVATE_DEPS target...])
# One room as a static library: every .cpp of the current folder (not of subfolders but those named). Its precompiled
# header is that of core/hlo/ir, which nearly every file includes: a fifth to a quarter of the time of a file. A room
# BELOW_IR, which knows no module, has that of core/base.
function(hilo_library name)
  cmake_parse_arguments(ARG "BELOW_IR" "" "SUBDIRS;DEPS;PRIVATE_DEPS" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(sub ${ARG_SUBDIRS})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${sub}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
  if(NOT name STREQUAL "hilo_base")
    target_link_libraries(${name} PUBLIC hilo_base)
  endif()
  if(ARG_BELOW_IR)
    target_precompile_headers(${name} REUSE_FROM hilo_base)
  elseif(NOT name STREQUAL "hilo_base" AND NOT name STREQUAL "hilo_ir")
    target_precompile_headers(${name} REUSE_FROM hilo_ir)
  endif()
endfunction()

# hilo_ui_library(NAME [DEPS target...] [PRIVATE_DEPS target...])
# One room of the user interface: as hilo_library, with Qt, moc, and hilo_style's precompiled header.
function(hilo_ui_library name)
  cmake_parse_arguments(ARG "" "" "SUBDIRS;DEPS;PRIVATE_DEPS" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  foreach(sub ${ARG_SUBDIRS})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${sub}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/${sub}/*.h)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC hilo_base ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
  if(NOT name STREQUAL "hilo_style")
    target_link_libraries(${name} PUBLIC hilo_style)
    target_precompile_headers(${name} REUSE_FROM hilo_style)
  endif()
endfunction()

# The code of tests themselves: compiled in half the time of -O3. Under AddressSanitizer, whose checks are most of what
# the optimizer then has to read, -O0 halves it again, and no fuzz target needs to know their branches. What they test
# keeps its own options.
set(HILO_TEST_OPTIONS -O1)
if(HILO_SANITIZE MATCHES address)
  set(HILO_TEST_OPTIONS -O0)
endif()
if(HILO_FUZZ)
  list(APPEND HILO_TEST_OPTIONS -fno-sanitize=fuzzer-no-link)
endif()

# hilo_add_test(NAME LABELS label... [COST seconds] [SHARDS n])
# The program NAME as a test without a display; of SHARDS as n tests NAME_1, NAME_2, ... that each run their share
# of its tests. Sets NAME_TESTS, the names. COST: about how long it runs alone, in release; of those that run longest
# it is said, so that they begin first and no processor is idle at the end.
function(hilo_add_test name)
  cmake_parse_arguments(ARG "" "COST;SHARDS" "LABELS" ${ARGN})
  set(tests ${name})
  if(ARG_SHARDS)
    list(TRANSFORM tests APPEND _1)
    foreach(number RANGE 2 ${ARG_SHARDS})
      list(APPEND tests ${name}_${number})
    endforeach()
  endif()
  set(index 0)
  foreach(test ${tests})
    set(environment QT_QPA_PLATFORM=offscreen)
    if(ARG_SHARDS)
      list(APPEND environment GTEST_TOTAL_SHARDS=${ARG_SHARDS} GTEST_SHARD_INDEX=${index})
    endif()
    add_test(NAME ${test} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${test} PROPERTIES LABELS "${ARG_LABELS}" ENVIRONMENT "${environment}")
    if(ARG_COST)
      set_tests_properties(${test} PROPERTIES COST ${ARG_COST})
    endif()
    math(EXPR index "${index} + 1")
  endforeach()
  set(${name}_TESTS ${tests} PARENT_SCOPE)
endfunction()

# hilo_qt_test(NAME [LABEL fast|slow] [COST seconds] [SHARDS n] [DEPS target...])
# As hilo_test, for what draws: *_test.cpp of the current folder with a QApplication, without a display.
function(hilo_qt_test name)
  cmake_parse_arguments(ARG "" "LABEL;COST;SHARDS" "DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  add_executable(${name} ${sources})
  target_precompile_headers(${name} REUSE_FROM hilo_qt_test_main)
  target_compile_options(${name} PRIVATE ${HILO_TEST_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} hilo_qt_test_main)
  if(NOT ARG_LABEL)
    set(ARG_LABEL fast)
  endif()
  hilo_add_test(${name} LABELS ${ARG_LABEL} COST ${ARG_COST} SHARDS ${ARG_SHARDS})
  set(${name}_TESTS ${${name}_TESTS} PARENT_SCOPE)
endfunction()

# The test programs about what threads share, and nothing else: what a check under ThreadSanitizer builds.
add_custom_target(threaded_tests)

# hilo_test(NAME [THREADS] [LABEL fast|slow|gpu] [COST seconds] [SHARDS n] [DEPS target...])
# One test program for the current folder: every *_test.cpp in it, linked with GoogleTest. THREADS: it is one of
# threaded_tests, with the label `threads` besides.
function(hilo_test name)
  cmake_parse_arguments(ARG "THREADS" "LABEL;COST;SHARDS" "DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  add_executable(${name} ${sources})
  target_precompile_headers(${name} REUSE_FROM hilo_test_support)
  target_compile_options(${name} PRIVATE ${HILO_TEST_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} hilo_base hilo_test_support GTest::gtest_main GTest::gmock)
  if(NOT ARG_LABEL)
    set(ARG_LABEL fast)
  endif()
  if(ARG_THREADS)
    add_dependencies(threaded_tests ${name})
    list(APPEND ARG_LABEL threads)
  endif()
  hilo_add_test(${name} LABELS ${ARG_LABEL} COST ${ARG_COST} SHARDS ${ARG_SHARDS})
  set(${name}_TESTS ${${name}_TESTS} PARENT_SCOPE)
endfunction()

# hilo_add_rooms([FIRST folder...]): every folder below the current one that has a CMakeLists.txt, so that a new
# room is a new folder and no edit here. FIRST names those the others need to exist.
function(hilo_add_rooms)
  cmake_parse_arguments(ARG "" "" "FIRST" ${ARGN})
  file(GLOB rooms CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  list(TRANSFORM rooms REPLACE "/CMakeLists.txt$" "")
  list(REMOVE_ITEM rooms ${ARG_FIRST})
  foreach(room ${ARG_FIRST} ${rooms})
    add_subdirectory(${room})
  endforeach()
endfunction()

# hilo_proto_library(NAME [LITE] FILE.proto...): messages of the current folder, generated by protoc. Their headers
# are included from the repository root: "core/hlo/proto/schema/hlo.pb.h". LITE leaves the descriptors out, for a
# plug-in: two copies of one descriptor in a process end it.
function(hilo_proto_library name)
  cmake_parse_arguments(ARG "LITE" "" "" ${ARGN})
  set(generated ${PROJECT_BINARY_DIR}/generated)
  set(out ${generated})
  if(ARG_LITE)
    set(generated ${PROJECT_BINARY_DIR}/generated_lite)
    set(out lite:${generated})
  endif()
  file(MAKE_DIRECTORY ${generated})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(sources)
  set(schemas)
  foreach(schema ${ARG_UNPARSED_ARGUMENTS})
    string(REGEX REPLACE "\\.proto$" "" stem ${folder}/${schema})
    list(APPEND sources ${generated}/${stem}.pb.cc ${generated}/${stem}.pb.h)
    list(APPEND schemas ${folder}/${schema})
  endforeach()
  add_custom_command(
    OUTPUT ${sources}
    COMMAND protobuf::protoc -I${PROJECT_SOURCE_DIR} --cpp_out=${out} ${schemas}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS ${ARG_UNPARSED_ARGUMENTS}
    VERBATIM)
  add_library(${name} STATIC ${sources})
  target_compile_options(${name} PRIVATE -w)
  target_include_directories(${name} SYSTEM PUBLIC ${generated})
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf)
  if(ARG_LITE)
    target_compile_options(${name} PRIVATE -fvisibility=hidden -O1)
  endif()
endfunction()

# hilo_plugin(NAME SOURCE... [OUTPUT folder]): a plug-in, a shared library that sees plugins/sdk alone. Without
# OUTPUT it lies in plugins/ of the build, where the programs look, and is installed.
function(hilo_plugin name)
  cmake_parse_arguments(ARG "" "OUTPUT" "" ${ARGN})
  set(output ${PROJECT_BINARY_DIR}/plugins)
  if(ARG_OUTPUT)
    set(output ${ARG_OUTPUT})
  endif()
  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS})
  if(NOT ARG_OUTPUT)
    install(TARGETS ${name} DESTINATION lib/hilo/plugins)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${output}
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()
