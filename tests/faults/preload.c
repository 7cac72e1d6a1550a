/* Makes the Nth file operation of a program fail, or ends the program there.
 *
 * For LD_PRELOAD. Counted are the operations that change or publish files below FAULT_ROOT: opening for
 * writing, write, rename, fsync, unlink, mkdir, rmdir, ftruncate.
 *   FAULT_ROOT   folder whose files are concerned, absolute
 *   FAULT_AT     number of the operation, from 1; 0 counts only
 *   FAULT_MODE   enospc, eio: the operation fails; short: a write ends halfway, then the disk is full; kill: SIGKILL;
 *                interrupt: SIGINT, and the operation goes on
 *   FAULT_COUNT  file that receives the number of operations when the program ends
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long operations;
/* Descriptors of files below the root. */
static atomic_char ours[1 << 16];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int below_root(int folder, const char *path) {
    const char *root = getenv("FAULT_ROOT");
    char whole[2 * PATH_MAX];
    if (!root || !path) return 0;
    if (path[0] == '/') {
        snprintf(whole, sizeof whole, "%s", path);
    } else {
        char link[64], base[PATH_MAX] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        if (folder == AT_FDCWD) {
            if (!getcwd(base, sizeof base)) return 0;
        } else {
            ssize_t length = readlink(link, base, sizeof base - 1);
            if (length < 0) return 0;
            base[length] = 0;
        }
        snprintf(whole, sizeof whole, "%s/%s", base, path);
    }
    return strncmp(whole, root, strlen(root)) == 0;
}

static int is_mode(const char *name) {
    const char *mode = getenv("FAULT_MODE");
    return mode && strcmp(mode, name) == 0;
}

/* Counts an operation; the error that it shall fail with, or 0. */
static int fault(void) {
    const char *at = getenv("FAULT_AT");
    long number = ++operations;
    if (!at || atol(at) != number) return 0;
    if (is_mode("kill")) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    if (is_mode("interrupt")) {
        raise(SIGINT);
        return 0;
    }
    return is_mode("eio") ? EIO : ENOSPC;
}

static int failed(int error) {
    errno = error;
    return -1;
}

static int counted(int folder, const char *path) {
    return below_root(folder, path) ? fault() : 0;
}

static int descriptor_counted(int fd) {
    return fd >= 0 && fd < (int)sizeof ours && ours[fd] ? fault() : 0;
}

static int opened(int fd, int is_ours) {
    if (fd >= 0 && fd < (int)sizeof ours) ours[fd] = is_ours;
    return fd;
}

#define OPEN(name, folder, parameters, arguments)                          \
    int name parameters {                                                  \
        mode_t mode = 0;                                                   \
        if (flags & (O_CREAT | O_TMPFILE)) {                               \
            va_list list;                                                  \
            va_start(list, flags);                                         \
            mode = va_arg(list, mode_t);                                   \
            va_end(list);                                                  \
        }                                                                  \
        int is_ours = below_root(folder, path);                            \
        int error = is_ours && (flags & O_ACCMODE) != O_RDONLY ? fault() : 0; \
        if (error) return failed(error);                                   \
        return opened(REAL(name) arguments, is_ours);                      \
    }
OPEN(open, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, folder, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPEN(openat64, folder, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

int close(int fd) {
    opened(fd, 0);
    return REAL(close)(fd);
}

ssize_t write(int fd, const void *data, size_t bytes) {
    int error = descriptor_counted(fd);
    if (error && is_mode("short") && bytes > 1) return REAL(write)(fd, data, bytes / 2);
    return error ? failed(error) : REAL(write)(fd, data, bytes);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    int error = descriptor_counted(fd);
    return error ? failed(error) : REAL(writev)(fd, parts, count);
}

int fsync(int fd) {
    int error = descriptor_counted(fd);
    return error ? failed(error) : REAL(fsync)(fd);
}

int fdatasync(int fd) {
    int error = descriptor_counted(fd);
    return error ? failed(error) : REAL(fdatasync)(fd);
}

int ftruncate64(int fd, off64_t length) {
    int error = descriptor_counted(fd);
    return error ? failed(error) : REAL(ftruncate64)(fd, length);
}

int rename(const char *from, const char *to) {
    int error = counted(AT_FDCWD, to);
    return error ? failed(error) : REAL(rename)(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags) {
    int error = counted(to_folder, to);
    return error ? failed(error) : REAL(renameat2)(from_folder, from, to_folder, to, flags);
}

int unlink(const char *path) {
    int error = counted(AT_FDCWD, path);
    return error ? failed(error) : REAL(unlink)(path);
}

int unlinkat(int folder, const char *path, int flags) {
    int error = counted(folder, path);
    return error ? failed(error) : REAL(unlinkat)(folder, path, flags);
}

int mkdir(const char *path, mode_t mode) {
    int error = counted(AT_FDCWD, path);
    return error ? failed(error) : REAL(mkdir)(path, mode);
}

int rmdir(const char *path) {
    int error = counted(AT_FDCWD, path);
    return error ? failed(error) : REAL(rmdir)(path);
}

__attribute__((destructor)) static void report(void) {
    const char *file = getenv("FAULT_COUNT");
    FILE *out = file ? fopen(file, "w") : NULL;
    if (out) {
        fprintf(out, "%ld\n", (long)operations);
        fclose(out);
    }
}
