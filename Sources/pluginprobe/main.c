// The child process of `iounit plugin`: loads one plug-in, puts it through its phases, and tells on a pipe what it saw. Not for
// people: the parent reads it, distrusts it, and ends it.
#define _GNU_SOURCE
#include "dispatch.h"
#include "findings.h"
#include "handlers.h"
#include "latency.h"
#include "listing.h"
#include "phases.h"
#include "region.h"
#include "report.h"
#include "stack.h"
#include "subject.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

_Thread_local struct region region;

static int touch(struct dl_phdr_info *library, size_t size, void *state) {
    (void)size;
    (void)state;
    enum { PAGE = 4096 };
    for (int index = 0; index < library->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
        const uintptr_t start = (library->dlpi_addr + part->p_vaddr) & ~(uintptr_t)(PAGE - 1);
        const uintptr_t end = library->dlpi_addr + part->p_vaddr + part->p_memsz;
        // Where the kernel is older they are faulted in by and by, which is a warning too many.
        madvise((void *)start, end - start, MADV_POPULATE_READ);
    }
    return 0;
}

/// Reads code and constants of all libraries in, so that a page fault in a block is one of memory that the plug-in touches first.
static void touch_text_pages(void) { dl_iterate_phdr(touch, NULL); }

struct task {
    unsigned seconds;
    const char *uri;
    char **bundles;
    int bundle_count;
    /// Whether an instance and its latency are all that is wanted.
    bool makes;
    /// Whether `check` came to its end. A plug-in may have ended its thread.
    bool is_done;
};

static void *check(void *state) {
    struct task *task = state;
    region.is_audio = true;
    findings_prepare();
    if (!handlers_stack() || !handlers_install_all(task->seconds)) {
        report_line("cannot", "reason", "machine", "detail", "signal handlers cannot be installed", NULL);
        task->is_done = true;
        return NULL;
    }
    report_line("machine", "=rawCallsAreSeen", dispatch_begin() ? "true" : "false", NULL);
    static struct subject subject;
    if (subject_load(&subject, task->uri, task->bundles, task->bundle_count) && subject_start(&subject)) {
        if (task->makes) {
            latency_tell(&subject);
        } else {
            touch_text_pages();
            phases_run(&subject, task->seconds * 0.6);
        }
    }
    findings_tell();
    task->is_done = true;
    return NULL;
}

/// Has a user's library describe its processors as plug-ins, to a file that it makes. Tells why where it cannot.
static void describe_processors(const char *library, const char *file) {
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

int main(int count, char **words) {
    const bool lists = count >= 5 && strcmp(words[1], "list") == 0;
    // Behind the number of texts these, then bundles.
    const int texts = count >= 5 ? atoi(words[4]) : 0;
    const bool finds = count >= 5 && strcmp(words[1], "find") == 0 && texts >= 0 && texts <= count - 5;
    const bool describes = count == 6 && strcmp(words[1], "describe") == 0;
    const bool makes = count >= 7 && strcmp(words[1], "make") == 0;
    if (!lists && !finds && !describes && !makes && (count < 7 || strcmp(words[1], "check") != 0)) {
        fputs("pluginprobe is a part of iounit plugin, and is not run by itself\n", stderr);
        return 64;
    }
    // Ends this process when its parent dies.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int report = report_open(atoi(words[2]), words[3]);
    // A plug-in may read its process's words.
    memset(words[3], 'x', strlen(words[3]));
    // Closes inherited descriptors, so that plug-ins cannot write to them.
    if (report > 3) syscall(SYS_close_range, 3, report - 1, 0);
    syscall(SYS_close_range, report + 1, ~0u, 0);
    if (lists || finds) {
        const bool is_whole = lists
                                  ? listing_tell_bundles(words + 4, count - 4)
                                  : listing_tell_found(words + 5, texts, words + 5 + texts, count - 5 - texts);
        // Without its last line a list is none.
        if (!is_whole) syscall(SYS_exit_group, 1);
    } else if (describes) {
        describe_processors(words[4], words[5]);
    } else {
        struct task task = {(unsigned)atoi(words[4]), words[5], words + 6, count - 6, makes, false};
        if (!stack_run(check, &task)) {
            report_line("cannot", "reason", "machine", "detail", "a thread cannot be started", NULL);
        } else if (!task.is_done) {
            report_line("ended", "by", "pthread_exit", NULL);
        }
    }
    report_line("end", NULL);
    // Skips the libraries' exit handlers: what they do is not judged.
    syscall(SYS_exit_group, 0);
}
