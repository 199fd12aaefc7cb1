// What a plug-in with a C++ library of its own does: it throws, catches and prints. And what none may do: nothing catches what it throws.
#include <iostream>
#include <stdexcept>

extern "C" void planted_throw() {
    try {
        throw std::runtime_error("planted");
    } catch (const std::exception &error) {
        std::cout << error.what() << std::endl;
    }
}

extern "C" void planted_throw_out() { throw std::runtime_error("planted"); }
