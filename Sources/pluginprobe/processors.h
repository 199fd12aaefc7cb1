// A user's library with processors.
#pragma once

/// Has the library describe its processors as plug-ins, to a file that it makes. Tells why where it cannot.
void processors_describe(const char *library, const char *file);
