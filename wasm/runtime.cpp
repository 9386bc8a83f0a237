// Parts of the C++ runtime in the little that this module needs of them. The library's own write messages that nobody would read,
// and bring the whole of printf.
#include <__verbose_abort>
#include <cstdlib>

// What is called where an exception would be thrown; libc++ lets programs replace it.
_LIBCPP_BEGIN_NAMESPACE_STD
void __libcpp_verbose_abort(const char*, ...) { std::abort(); }
_LIBCPP_END_NAMESPACE_STD

// Asks for a destructor to be run when the thread ends: the only thread ends with the module and its memory.
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }

// How embind writes the name of a type that it was not told of: there is none, or the types could not be generated.
extern "C" int siprintf(char* text, const char*, ...) {
    *text = '\0';
    return 0;
}
