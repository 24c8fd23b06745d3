# Headers of others that take longer to read than our code takes to compile are read once.
# Not with a compiler launcher: ccache keys objects by what they include, and a precompiled header is in all of them.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
else()
  set(precompile ON)
endif()
option(CHARM_PRECOMPILE "Read large headers once" ${precompile})

# charm_precompile(TARGET header...)
function(charm_precompile target)
  if(CHARM_PRECOMPILE)
    list(TRANSFORM ARGN REPLACE "^(.+)$" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>" OUTPUT_VARIABLE headers)
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()
