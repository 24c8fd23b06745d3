# docs/pictures/modules.svg is what docs/pictures/modules draws now.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${PYTHON} ${ROOT}/docs/pictures/modules ${ROOT} OUTPUT_VARIABLE drawn COMMAND_ERROR_IS_FATAL ANY)
file(READ ${ROOT}/docs/pictures/modules.svg kept)
if(NOT drawn STREQUAL kept)
  message(FATAL_ERROR "docs/pictures/modules.svg is not current: run docs/pictures/modules > docs/pictures/modules.svg")
endif()
