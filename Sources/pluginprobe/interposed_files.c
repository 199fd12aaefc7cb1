// The terminal, files and sockets.
#define _GNU_SOURCE
#include "interpose.h"
#include "report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#undef getc
#undef putc
#undef putchar
#undef fputc

// What the compiler calls where it knows the size: no header has these.
size_t __fread_chk(void *data, size_t room, size_t size, size_t count, FILE *stream);
char *__fgets_chk(char *text, size_t room, int size, FILE *stream);
ssize_t __read_chk(int file, void *data, size_t size, size_t room);
ssize_t __pread_chk(int file, void *data, size_t size, off_t offset, size_t room);
ssize_t __recv_chk(int file, void *data, size_t size, size_t room, int flags);

static const char *kind_of(FILE *stream) { return stream == stdout || stream == stderr ? "terminal" : "file"; }
static const char *kind_of_file(int file) { return file >= 0 && file <= 2 ? "terminal" : "file"; }

#define FORMATTED(kind, name, parameters, call)                                                                        \
    int name parameters {                                                                                              \
        const bool was_inside = region_pause();                                                                        \
        if (was_inside) record(kind, #name, __builtin_return_address(0), 0);                                           \
        va_list list;                                                                                                  \
        va_start(list, format);                                                                                        \
        const int result = call;                                                                                       \
        va_end(list);                                                                                                  \
        region_resume(was_inside);                                                                                     \
        return result;                                                                                                 \
    }
FORMATTED("terminal", printf, (const char *format, ...), NEXT(vfprintf)(stdout, format, list))
FORMATTED("terminal", __printf_chk, (int flag __attribute__((unused)), const char *format, ...), NEXT(vfprintf)(stdout, format, list))
FORMATTED(kind_of(stream), fprintf, (FILE * stream, const char *format, ...), NEXT(vfprintf)(stream, format, list))
FORMATTED(kind_of(stream), __fprintf_chk, (FILE * stream, int flag __attribute__((unused)), const char *format, ...),
          NEXT(vfprintf)(stream, format, list))
FORMATTED(kind_of_file(file), dprintf, (int file, const char *format, ...), NEXT(vdprintf)(file, format, list))
FORMATTED(kind_of_file(file), __dprintf_chk, (int file, int flag __attribute__((unused)), const char *format, ...),
          NEXT(vdprintf)(file, format, list))
COUNTED(kind_of_file(file), int, vdprintf, (int file, const char *format, va_list list),
        NEXT(vdprintf)(file, format, list))
COUNTED("terminal", int, vprintf, (const char *format, va_list list), NEXT(vfprintf)(stdout, format, list))
COUNTED("terminal", int, __vprintf_chk, (int flag __attribute__((unused)), const char *format, va_list list),
        NEXT(vfprintf)(stdout, format, list))
COUNTED(kind_of(stream), int, vfprintf, (FILE * stream, const char *format, va_list list),
        NEXT(vfprintf)(stream, format, list))
COUNTED(kind_of(stream), int, __vfprintf_chk, (FILE * stream, int flag __attribute__((unused)), const char *format, va_list list),
        NEXT(vfprintf)(stream, format, list))
COUNTED("terminal", int, puts, (const char *text), NEXT(puts)(text))
COUNTED("terminal", int, putchar, (int letter), NEXT(putchar)(letter))
COUNTED(kind_of(stream), int, fputs, (const char *text, FILE *stream), NEXT(fputs)(text, stream))
COUNTED(kind_of(stream), int, fputc, (int letter, FILE *stream), NEXT(fputc)(letter, stream))
COUNTED(kind_of(stream), int, putc, (int letter, FILE *stream), NEXT(putc)(letter, stream))
COUNTED(kind_of(stream), size_t, fwrite, (const void *data, size_t size, size_t count, FILE *stream),
        NEXT(fwrite)(data, size, count, stream))
COUNTED(kind_of(stream), int, fflush, (FILE * stream), NEXT(fflush)(stream))

WATCHED("file", FILE *, fopen, (const char *path, const char *mode), (path, mode))
WATCHED("file", FILE *, fopen64, (const char *path, const char *mode), (path, mode))
WATCHED("file", FILE *, fdopen, (int file, const char *mode), (file, mode))
WATCHED("file", int, fclose, (FILE * stream), (stream))
WATCHED("file", size_t, fread, (void *data, size_t size, size_t count, FILE *stream), (data, size, count, stream))
WATCHED("file", char *, fgets, (char *text, int size, FILE *stream), (text, size, stream))
WATCHED("file", size_t, __fread_chk, (void *data, size_t room, size_t size, size_t count, FILE *stream),
        (data, room, size, count, stream))
WATCHED("file", char *, __fgets_chk, (char *text, size_t room, int size, FILE *stream), (text, room, size, stream))
WATCHED("file", int, fgetc, (FILE * stream), (stream))
WATCHED("file", int, getc, (FILE * stream), (stream))
// The header of the C library turns the first into the third where it optimises.
WATCHED("file", ssize_t, getline, (char **text, size_t *room, FILE *stream), (text, room, stream))
WATCHED("file", ssize_t, getdelim, (char **text, size_t *room, int end, FILE *stream), (text, room, end, stream))
WATCHED("file", ssize_t, __getdelim, (char **text, size_t *room, int end, FILE *stream), (text, room, end, stream))
WATCHED("file", int, fseek, (FILE * stream, long offset, int from), (stream, offset, from))
WATCHED("file", DIR *, opendir, (const char *path), (path))
WATCHED("file", struct dirent *, readdir, (DIR * folder), (folder))
WATCHED("file", int, stat, (const char *restrict path, struct stat *restrict facts), (path, facts))
WATCHED("file", int, fstat, (int file, struct stat *facts), (file, facts))
WATCHED("file", int, lstat, (const char *restrict path, struct stat *restrict facts), (path, facts))
WATCHED("file", int, access, (const char *path, int mode), (path, mode))
WATCHED("file", int, unlink, (const char *path), (path))
WATCHED("file", int, rename, (const char *from, const char *to), (from, to))
WATCHED("file", ssize_t, read, (int file, void *data, size_t size), (file, data, size))
WATCHED("file", ssize_t, pread, (int file, void *data, size_t size, off_t offset), (file, data, size, offset))
WATCHED("file", ssize_t, pread64, (int file, void *data, size_t size, off64_t offset), (file, data, size, offset))
WATCHED("file", ssize_t, __read_chk, (int file, void *data, size_t size, size_t room), (file, data, size, room))
WATCHED("file", ssize_t, __pread_chk, (int file, void *data, size_t size, off_t offset, size_t room),
        (file, data, size, offset, room))
WATCHED("file", ssize_t, pwrite, (int file, const void *data, size_t size, off_t offset), (file, data, size, offset))
WATCHED("file", ssize_t, pwrite64, (int file, const void *data, size_t size, off64_t offset), (file, data, size, offset))
WATCHED("file", ssize_t, readv, (int file, const struct iovec *parts, int count), (file, parts, count))
WATCHED("file", off_t, lseek, (int file, off_t offset, int from), (file, offset, from))
WATCHED("file", off64_t, lseek64, (int file, off64_t offset, int from), (file, offset, from))
WATCHED("file", int, ftruncate, (int file, off_t size), (file, size))
WATCHED("file", int, fallocate, (int file, int mode, off_t offset, off_t size), (file, mode, offset, size))
WATCHED("file", int, posix_fadvise, (int file, off_t offset, off_t size, int advice), (file, offset, size, advice))
WATCHED("file", ssize_t, copy_file_range,
        (int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size, unsigned flags),
        (from, from_offset, to, to_offset, size, flags))
WATCHED("file", ssize_t, splice,
        (int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size, unsigned flags),
        (from, from_offset, to, to_offset, size, flags))
WATCHED("file", int, creat, (const char *path, mode_t mode), (path, mode))
WATCHED("file", int, fdatasync, (int file), (file))
WATCHED("file", int, fsync, (int file), (file))
COUNTED(kind_of_file(file), ssize_t, write, (int file, const void *data, size_t size), NEXT(write)(file, data, size))
COUNTED(kind_of_file(file), ssize_t, writev, (int file, const struct iovec *parts, int count),
        NEXT(writev)(file, parts, count))

#define OPENS(name, parameters, arguments)                                                                             \
    int name parameters {                                                                                              \
        const bool was_inside = region_pause();                                                                        \
        if (was_inside) record("file", #name, __builtin_return_address(0), 0);                                         \
        va_list list;                                                                                                  \
        va_start(list, flags);                                                                                         \
        const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;                                  \
        va_end(list);                                                                                                  \
        const int result = NEXT(name) arguments;                                                                       \
        region_resume(was_inside);                                                                                     \
        return result;                                                                                                 \
    }
OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPENS(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

WATCHED("systemCall", int, socket, (int domain, int type, int protocol), (domain, type, protocol))
WATCHED("systemCall", ssize_t, send, (int file, const void *data, size_t size, int flags), (file, data, size, flags))
WATCHED("systemCall", ssize_t, recv, (int file, void *data, size_t size, int flags), (file, data, size, flags))
WATCHED("systemCall", ssize_t, __recv_chk, (int file, void *data, size_t size, size_t room, int flags),
        (file, data, size, room, flags))
WATCHED("systemCall", ssize_t, sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags))
WATCHED("systemCall", ssize_t, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))
WATCHED("systemCall", int, sendmmsg, (int file, struct mmsghdr *messages, unsigned count, int flags),
        (file, messages, count, flags))
WATCHED("systemCall", int, recvmmsg,
        (int file, struct mmsghdr *messages, unsigned count, int flags, struct timespec *time),
        (file, messages, count, flags, time))
WATCHED("systemCall", int, pipe, (int files[2]), (files))

// Refuses to close the report's descriptor, and records the attempt in every phase.
static bool is_ours(const char *name, int file, const void *site) {
    if (file < 0 || file != report_descriptor()) return false;
    const bool was_inside = region_pause();
    if (region.is_audio) record("foreignDescriptor", name, site, 0);
    region_resume(was_inside);
    errno = EBADF;
    return true;
}

int close(int file) {
    if (is_ours("close", file, __builtin_return_address(0))) return -1;
    const bool was_inside = region_pause();
    if (was_inside) record("file", "close", __builtin_return_address(0), 0);
    const int result = NEXT(close)(file);
    region_resume(was_inside);
    return result;
}

int dup2(int from, int to) {
    if (is_ours("dup2", to, __builtin_return_address(0))) return -1;
    return NEXT(dup2)(from, to);
}

int dup3(int from, int to, int flags) {
    if (is_ours("dup3", to, __builtin_return_address(0))) return -1;
    return NEXT(dup3)(from, to, flags);
}

int close_range(unsigned first, unsigned last, int flags) {
    const int own = report_descriptor();
    if (own < 0 || first > (unsigned)own || last < (unsigned)own) return NEXT(close_range)(first, last, flags);
    is_ours("close_range", own, __builtin_return_address(0));
    if (first < (unsigned)own) NEXT(close_range)(first, (unsigned)own - 1, flags);
    return last > (unsigned)own ? NEXT(close_range)((unsigned)own + 1, last, flags) : 0;
}

void closefrom(int first) { close_range((unsigned)first, ~0u, 0); }
