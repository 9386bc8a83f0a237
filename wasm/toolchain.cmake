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
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
