# Writes a ctest entry ROOM.SUITE for each suite of a test program; one for each test would spend more time on starting
# processes than on many of the tests. With -DPROGRAM=..., -DLABEL=ROOM, -DOUTPUT=..., -DLONG=ROOM.SUITE;... (suites that
# start first).
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)[^ \n]+\\.[\n ]" suites "${listed}")
set(tests "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n|\\..$" "" suite "${suite}")
  set(test ${LABEL}.${suite})
  set(cost "")
  if(test IN_LIST LONG)
    set(cost "COST 1000")
  endif()
  string(APPEND tests "add_test([==[${test}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${suite}.*]==])\n"
    "set_tests_properties([==[${test}]==] PROPERTIES LABELS ${LABEL} TIMEOUT 1800 ${cost})\n")
endforeach()
file(WRITE ${OUTPUT} "${tests}")
