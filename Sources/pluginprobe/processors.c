#define _GNU_SOURCE
#include "processors.h"
#include "report.h"

#include <dlfcn.h>
#include <stdio.h>

void processors_describe(const char *library, const char *file) {
    void *handle = dlopen(library, RTLD_NOW);
    if (!handle) {
        report_line("cannot", "reason", "load", "detail", dlerror(), NULL);
        return;
    }
    int (*describe)(const char *, const char *) =
        (int (*)(const char *, const char *))dlsym(handle, "iounit_processors_describe");
    if (!describe) {
        report_line("cannot", "reason", "binary", "detail",
                    "it is not linked with CheckedProcessors, by which a library offers its processors", NULL);
        return;
    }
    const int count = describe(library, file);
    if (count < 0) report_line("cannot", "reason", "description", "detail", "its description cannot be written", NULL);
    if (count == 0) {
        report_line("cannot", "reason", "description", "detail", "its function iounit_processors offers no processor", NULL);
    }
}
