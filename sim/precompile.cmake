# A third of the time of a compiler goes to the headers of libraries: here each compiler reads them once.
# Headers of the project stay out, so that nothing is compiled again that would not be otherwise.
set(headers <nlohmann/json.hpp> <fmt/format.h> <algorithm> <filesystem> <fstream> <functional> <map>
  <memory> <optional> <random> <regex> <variant> <vector>)
# Whoever shares what was read has the same macros, which SQLite does not.
get_property(rooms GLOBAL PROPERTY STARPORT_ROOMS)
list(REMOVE_ITEM rooms starport_database)
if(TARGET starport_headers)
  list(APPEND rooms starport_headers)
endif()
foreach(room IN LISTS rooms)
  target_compile_definitions(${room} PRIVATE BOOST_ALL_NO_LIB BOOST_PROGRAM_OPTIONS_DYN_LINK FMT_SHARED)
endforeach()
# Two, where the fuzzer has a part of the rooms instrumented (tests/fuzz/CMakeLists.txt).
foreach(room IN LISTS rooms)
  set(owner starport_files)
  get_target_property(options ${room} COMPILE_OPTIONS)
  if(STARPORT_FUZZ AND NOT "${options}" MATCHES fuzzer)
    set(owner starport_process)
  endif()
  if(room STREQUAL owner)
    target_precompile_headers(${room} PRIVATE ${headers})
  else()
    target_precompile_headers(${room} REUSE_FROM ${owner})
  endif()
endforeach()
# A file with macros of its own.
if(TARGET starport_execution)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/sim/mpi/matrices/matrix_files.cpp
    TARGET_DIRECTORY starport_execution PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endif()
