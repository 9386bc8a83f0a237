# CMake's view of the toolchain that toolchain.sh makes.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(EMSCRIPTEN ON)

if(DEFINED ENV{QUILLMATE_TOOLCHAIN})
    set(bin "$ENV{QUILLMATE_TOOLCHAIN}/bin")
else()
    cmake_path(SET bin NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../.toolchain/bin")
endif()
set(CMAKE_CXX_COMPILER "${bin}/em++")
set(CMAKE_AR "${bin}/emar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${bin}/emranlib" CACHE FILEPATH "")

# 128-bit vectors are in every object; a page on an engine without them cannot compile the module.
set(CMAKE_CXX_FLAGS_INIT "-msimd128")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
