# A Debian package of what is installed: cmake --build build/release --target deb
#
# Its maintainer is whoever makes it: STARPORT_MAINTAINER, "Name <address>", else what git knows.
find_package(Git QUIET)
foreach(key name email)
  set(${key} "")
  if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} config user.${key} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      OUTPUT_VARIABLE ${key} OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endforeach()
if(NOT name OR NOT email)
  set(name Nobody)
  set(email root@localhost)
endif()
set(STARPORT_MAINTAINER "${name} <${email}>" CACHE STRING "Who makes packages: Name <address>")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${STARPORT_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Simulates schedules of the matrix product on workers
that differ in speed, link and memory, compares them, and bounds how far
each is from the best possible. With heuristics of five papers, sweeps,
figures, and runs for real under MPI.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/triggers)
# To draw; to run for real; for the examples. To compile heuristics and programs.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-matplotlib, fonts-liberation, openmpi-bin, python3")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, nlohmann-json3-dev, libfmt-dev, libboost-program-options-dev")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/debian.cmake)
include(CPack)

add_custom_target(deb COMMAND ${CMAKE_CPACK_COMMAND} --config ${PROJECT_BINARY_DIR}/CPackConfig.cmake
  -B ${PROJECT_BINARY_DIR} DEPENDS ${programs} starport_library USES_TERMINAL VERBATIM)
if(TARGET manual)
  add_dependencies(deb manual)
endif()
